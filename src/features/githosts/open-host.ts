import type { GitHost, GitProvider, HostSettings } from '../../backends/git-providers/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { readSecret } from '../../foundation/secrets/secret-store.ts';
import type { GithostConnection } from './githost-connection.ts';
import type { GithostsDeps } from './githosts-deps.ts';

/** The dependencies of opening a connection. */
export type OpenHostDeps = Pick<GithostsDeps, 'keyring' | 'providers' | 'provider' | 'deployment'> & {
  readonly queries: Queries;
};

export interface OpenedHost {
  readonly provider: GitProvider;
  readonly settings: HostSettings;
  readonly host: GitHost;
}

/**
 * Opens a connection with its current secrets, so that a new token or key applies at once. Sends no request.
 * @throws SecretUnreadable, InvalidInput if the deployment settings it relies on are missing
 */
export async function openHost(deps: OpenHostDeps, connection: GithostConnection): Promise<OpenedHost> {
  const provider = deps.providers.get(connection.kind);
  if (provider === undefined) throw new Error(`there is no Git provider of the kind ${connection.kind}`);
  const fields: Record<string, string> = { ...connection.fields };
  for (const { name, secret } of provider.fields) {
    if (!secret) continue;
    const value = await readSecret(deps.queries, deps.keyring, { connectionId: connection.id, field: name });
    if (value !== undefined) fields[name] = value;
  }
  return openWith(deps, provider, fields, connection.installationId);
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
