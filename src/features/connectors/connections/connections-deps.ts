import type { GitDeps } from '../../../foundation/git/process/git-deps.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { GithostsDeps } from '../../githosts/githosts-deps.ts';
import type { RepositoriesDeps } from '../../repositories/repositories-deps.ts';
import type { Connector, SettingValues } from '../port.ts';

/** The dependencies of the operations on connections, of people and of jobs. */
export interface ConnectionsDeps extends GithostsDeps {
  readonly connectors: readonly Connector[];
  readonly providerSettings: SettingValues;
}

/** The dependencies of the steps that set a connection up. */
export interface SetupDeps extends ConnectionsDeps {
  readonly repositories: RepositoriesDeps;
  readonly git: GitDeps;
  readonly log: Logger;
}

/** Returns the connector of a stored connection. Throws if this program has none of its kind. */
export function connectorOf<Known extends Pick<Connector, 'kind'>>(
  connectors: readonly Known[],
  kind: string,
): Known {
  const found = connectors.find((connector) => connector.kind === kind);
  if (found === undefined) throw new Error(`This version has no connector of the kind ${kind}.`);
  return found;
}

/** Returns the app of a connector in the deployment settings. Says whether secrets are set; never contains them. */
export function deploymentApp(
  { providerSettings, baseUrl }: Pick<ConnectionsDeps, 'providerSettings' | 'baseUrl'>,
  { kind, settings }: Connector,
) {
  const { clientId, clientSecret, redirectUri, webhookSecret } = settings.read(providerSettings);
  return {
    /** True if client id and secret are both set. Only then the app applies (specification, settings rules 2 and 3). */
    configured: clientId !== undefined && clientSecret !== undefined,
    webhookSecretSet: webhookSecret !== undefined,
    /** Address to which the provider redirects people; it must be registered there byte for byte. */
    redirectUri: redirectUri ?? `${baseUrl}/api/v1/integrations/${kind}/callback`,
    webhookUrl: webhookUrlOf(baseUrl, kind),
  };
}

/** Returns the address to which the provider of a kind sends events. */
export function webhookUrlOf(baseUrl: string, kind: string): string {
  return `${baseUrl}/api/v1/webhook/${kind}`;
}
