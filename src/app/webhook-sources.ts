import type { Readers } from '../features/connectors/intake/commit-deliveries.ts';
import type { WebhookSource } from '../features/connectors/intake/webhook-source.ts';
import { trackerWebhooks } from '../features/connectors/tracker/webhook.ts';
import type { Settings } from './open-database.ts';

/** The providers whose webhooks are known, by what a delivery's row calls them. */
export const webhookReaders: Readers = new Map([[trackerWebhooks.source, trackerWebhooks]]);

export function trackerWebhookSource({ config, secrets }: Settings): WebhookSource {
  return {
    reader: trackerWebhooks,
    toleranceMs: config.webhookToleranceMs.tracker,
    deploymentSecret: secrets.trackerWebhookSecret,
  };
}
