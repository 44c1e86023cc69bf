import {
  type GitHost,
  GitHostError,
  type GitProvider,
  type HostSettings,
} from '../../backends/git-providers/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { readSecret } from '../../foundation/secrets/secret-store.ts';
import { credentialsFailure } from './credentials-failure.ts';
import type { GithostConnection } from './githost-connection.ts';
import { recordGithostCheck } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';

/** The dependencies of opening a connection. */
export type OpenHostDeps = Pick<
  GithostsDeps,
  'keyring' | 'providers' | 'provider' | 'deployment' | 'baseUrl'
> & {
  readonly queries: Queries;
};

export interface OpenedHost {
  readonly provider: GitProvider;
  readonly settings: HostSettings;
  readonly host: GitHost;
}

/** Opens a connection as `openUnrecorded` does, and records on it that the host refused its credentials. */
export async function openHost(deps: OpenHostDeps, connection: GithostConnection): Promise<OpenedHost> {
  const opened = await openUnrecorded(deps, connection);
  // An App that is not installed has no credentials.
  if (connection.state === 'pending') return opened;
  return { ...opened, host: recordingRefusals(opened.host, deps, connection) };
}

/**
 * Opens a connection with its current secrets, so that a new token or key applies at once. `replaced` has new values of
 * its fields, which are used in place of the stored ones. Sends no request.
 * @throws SecretUnreadable, InvalidInput if the deployment settings it relies on are missing or of another host
 */
export async function openUnrecorded(
  deps: OpenHostDeps,
  connection: GithostConnection,
  replaced: Readonly<Record<string, string>> = {},
): Promise<OpenedHost> {
  const provider = deps.providers.get(connection.kind);
  if (provider === undefined) throw new Error(`there is no Git provider of the kind ${connection.kind}`);
  const fields: Record<string, string> = { ...connection.fields, ...replaced };
  for (const { name, secret } of provider.fields) {
    if (!secret || fields[name] !== undefined) continue;
    const value = await readSecret(deps.queries, deps.keyring, { connectionId: connection.id, field: name });
    if (value !== undefined) fields[name] = value;
  }
  const opened = openWith(deps, provider, fields, connection.installationId);
  checkDeployment(connection, opened);
  return opened;
}

/** Returns the host of a connection, which is recorded as failed as soon as any call is refused. */
function recordingRefusals(host: GitHost, deps: OpenHostDeps, connection: GithostConnection): GitHost {
  return new Proxy(host, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        try {
          return await (Reflect.apply(method, target, given) as unknown);
        } catch (error) {
          if (!(error instanceof GitHostError) || error.reason !== 'authentication') throw error;
          const failure = credentialsFailure(deps, connection, error);
          await recordGithostCheck(deps.queries, connection, { state: 'failed', error: failure });
          const { host: place } = new URL(connection.url);
          throw new GitHostError(place, 'authentication', failure.message, { cause: error });
        }
      };
    },
  });
}

/** The id of an installation says nothing to another host, and may be that of another account there. */
function checkDeployment({ name, apiUrl }: GithostConnection, { settings }: OpenedHost): void {
  if (settings.deploymentApp !== true || settings.apiUrl === apiUrl) return;
  throw new InvalidInput(
    `The connection ${name} uses the App of this deployment, and the deployment has another Git host since. Remove the connection and add it again, or have the operator set GITHOST_URL and GITHOST_API_URL back.`,
  );
}

/** Opens a connection from the values of its fields. @throws InvalidInput naming the fields */
export function openWith(
  { provider: hostDeps, deployment }: Pick<GithostsDeps, 'provider' | 'deployment'>,
  provider: GitProvider,
  fields: Readonly<Record<string, string>>,
  installationId?: string,
): OpenedHost {
  const ofDeployment = deployment.kind === provider.kind ? deployment.settings : undefined;
  const settings = {
    ...provider.parse(fields, ofDeployment),
    ...(installationId === undefined ? {} : { installationId }),
  };
  return { provider, settings, host: provider.open(settings, hostDeps) };
}

/** Returns what a host answers about new credentials. @throws InvalidInput with the reason why it refuses them */
export async function refusalAsInput<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    if (error instanceof GitHostError) throw new InvalidInput(error.message, { cause: error });
    throw error;
  });
}
