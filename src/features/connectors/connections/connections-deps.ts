import type { Config, Secrets } from '../../../foundation/config/config.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { Connector } from '../port.ts';

/** The dependencies of the operations on an organization's connections. */
export interface ConnectionsDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly apps: DeploymentApps;
}

/** The app of one connector in the deployment settings. Says whether secrets are set; never contains them. */
export interface DeploymentApp extends Pick<Connector, 'appHasWebhookSecret'> {
  /** True if client id and secret are both set. Only then the app applies (specification, settings rules 2 and 3). */
  readonly configured: boolean;
  readonly webhookSecretSet: boolean;
  /** Address to which the provider redirects people; it must be registered there byte for byte. */
  readonly redirectUri: string;
  /** Address to which the provider sends events. */
  readonly webhookUrl: string;
}

/** The apps by kind: one for each connector of this program, configured or not. */
export type DeploymentApps = ReadonlyMap<string, DeploymentApp>;

export function deploymentApps(
  connectors: readonly Connector[],
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { providerSettings }: Pick<Secrets, 'providerSettings'>,
): DeploymentApps {
  return new Map(
    connectors.map(({ kind, appHasWebhookSecret, settings }) => {
      const { clientId, clientSecret, redirectUri, webhookSecret } = settings.read(providerSettings);
      const app: DeploymentApp = {
        appHasWebhookSecret,
        configured: clientId !== undefined && clientSecret !== undefined,
        webhookSecretSet: webhookSecret !== undefined,
        redirectUri: redirectUri ?? `${baseUrl}/api/v1/integrations/${kind}/callback`,
        webhookUrl: `${baseUrl}/api/v1/webhook/${kind}`,
      };
      return [kind, app];
    }),
  );
}

/** Returns the app of a stored connection. Throws if this program has no such connector. */
export function appOf(apps: DeploymentApps, kind: string): DeploymentApp {
  const app = apps.get(kind);
  if (app === undefined) throw new Error(`This version has no connector of the kind ${kind}.`);
  return app;
}
