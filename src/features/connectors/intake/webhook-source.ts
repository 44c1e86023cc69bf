import type { WebhookReader } from '../port.ts';

/** A provider whose webhooks are taken in, with what the deployment says of them. */
export interface WebhookSource {
  readonly reader: WebhookReader;
  /** By how much an event may be older or newer than now, in milliseconds. */
  readonly toleranceMs: number;
  /** For connections without a secret of their own; `undefined` where the deployment has none. */
  readonly deploymentSecret: string | undefined;
}
