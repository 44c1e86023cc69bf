import type { Connector, WebhookReader, WebhookTolerance } from '../port.ts';

/** A provider whose webhooks are received, with the settings of the deployment. */
export interface WebhookSource {
  /** The kind of connector; the last part of the path of its webhooks. */
  readonly kind: string;
  readonly reader: WebhookReader;
  readonly tolerance: WebhookTolerance;
  /** Secret for connections without their own; `undefined` if the deployment has none. */
  readonly deploymentSecret: string | undefined;
}

/** Returns the sources of all connectors. */
export function webhookSources(
  connectors: readonly Connector[],
  providerSettings: Readonly<Record<string, unknown>>,
): readonly WebhookSource[] {
  return connectors.map(({ kind, webhooks, settings }) => {
    const { tolerance, webhookSecret: deploymentSecret } = settings.read(providerSettings);
    return { kind, reader: webhooks, tolerance, deploymentSecret };
  });
}
