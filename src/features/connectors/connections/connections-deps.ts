import type { Database } from '../../../foundation/db/database.ts';
import type { GitDeps } from '../../../foundation/git/process/git-deps.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { GithostsDeps } from '../../githosts/githosts-deps.ts';
import type { RepositoriesDeps } from '../../repositories/repositories-deps.ts';
import type { Connector } from '../port.ts';

/** The dependencies of the operations on an organization's connections. */
export interface ConnectionsDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly connectors: readonly Connector[];
  /** The parsed settings of all connectors, by name. They contain secrets. */
  readonly providerSettings: Readonly<Record<string, unknown>>;
  /** Public address of the service. */
  readonly baseUrl: string;
}

/** The dependencies of the steps that set a connection up. */
export interface SetupDeps extends ConnectionsDeps {
  readonly githosts: GithostsDeps;
  readonly repositories: RepositoriesDeps;
  readonly git: GitDeps;
  readonly log: Logger;
}

/** Returns the connector of a stored connection. Throws if this program has none of its kind. */
export function connectorOf(connectors: readonly Connector[], kind: string): Connector {
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
