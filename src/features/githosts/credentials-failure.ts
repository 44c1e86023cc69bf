import type { GitProvider } from '../../backends/git-providers/port.ts';
import type { OrgctxError } from '../../foundation/kernel/errors.ts';
import { flagName } from '../../foundation/kernel/text/flag-name.ts';
import {
  flagOf,
  type GithostConnection,
  type GithostError,
  isReplaceable,
  sharesApp,
  typedName,
} from './githost-connection.ts';
import type { GithostsDeps } from './githosts-deps.ts';

/**
 * Returns what a connection shows after its host refused the credentials: the reason, and the command that replaces
 * them. It names the address of this service, because another terminal may use another one.
 */
export function credentialsFailure(
  { providers, baseUrl }: Pick<GithostsDeps, 'providers' | 'baseUrl'>,
  connection: GithostConnection,
  { code, message }: Pick<OrgctxError, 'code' | 'message'>,
): GithostError {
  const provider = providers.get(connection.kind);
  const command = provider && renewCommand(connection, provider, baseUrl);
  const remedy =
    command === undefined
      ? 'The operator of this service must correct the settings of its App.'
      : `Replace the credentials: "${command}".`;
  return { code, message: `${message} ${remedy}` };
}

/** Returns the command that replaces the credentials of a connection; `undefined` if they are those of the deployment. */
function renewCommand(
  connection: GithostConnection,
  { can, fields }: GitProvider,
  baseUrl: string,
): string | undefined {
  if (can.install && sharesApp(connection)) return undefined;
  const command = `orgctx githost set ${typedName(connection)} --url ${baseUrl}`;
  const secrets = fields.filter((field) => field.secret && isReplaceable(field.name));
  // Without a flag, the command asks for the secret that the kind requires.
  const [first] = secrets.some(({ required }) => required) ? [] : secrets;
  return first === undefined ? command : `${command} ${flagName(flagOf(first))} <file>`;
}
