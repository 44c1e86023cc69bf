import type { Config, ConnectorAppConfig, Secrets } from '../../../foundation/config/config.ts';
import type { ConnectionKind } from './connection.ts';

/** What the deployment settings say of the app of one provider. Holds no secret, only whether there is one. */
export interface DeploymentApp {
  /** Both parts are set: only then it applies (specification, settings rules 2 and 3). */
  readonly configured: boolean;
  readonly webhookSecretSet: boolean;
  /** Where the provider sends people back to, byte for byte as it must be registered there. */
  readonly redirectUri: string;
  /** Where the provider sends events to. */
  readonly webhookUrl: string;
}

export type DeploymentApps = Readonly<Record<ConnectionKind, DeploymentApp>>;

export function deploymentApps(
  { baseUrl, connectors }: Pick<Config, 'baseUrl' | 'connectors'>,
  secrets: Pick<Secrets, 'trackerClientSecret' | 'trackerWebhookSecret' | 'oncallClientSecret'>,
): DeploymentApps {
  const appOf = (
    kind: ConnectionKind,
    { clientId, redirectUri }: ConnectorAppConfig,
    clientSecret: string | undefined,
  ) => ({
    configured: clientId !== undefined && clientSecret !== undefined,
    redirectUri: redirectUri ?? `${baseUrl}/api/v1/integrations/${kind}/callback`,
    webhookUrl: `${baseUrl}/api/v1/webhook/${kind}`,
  });
  return {
    tracker: {
      ...appOf('tracker', connectors.tracker, secrets.trackerClientSecret),
      webhookSecretSet: secrets.trackerWebhookSecret !== undefined,
    },
    // Settings rule 5: the secrets of oncall webhooks are made per subscription.
    oncall: {
      ...appOf('oncall', connectors.oncall, secrets.oncallClientSecret),
      webhookSecretSet: false,
    },
  };
}
