import { z } from 'zod';
import {
  connectionKinds,
  connectionStates,
  stateLabel,
} from '../../../features/connectors/connections/connection.ts';
import type { ShownConnection } from '../../../features/connectors/connections/show-connections.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';

const later = z.null().describe('Always `null` in this version.');

/** A connection as REST shows it (contract section 3); `null` for what is not there yet. Never a secret. */
export const connectionRecord = z
  .object({
    id: z.string(),
    kind: z.enum(connectionKinds),
    name: z.string(),
    state: z.enum(connectionStates),
    stateLabel: z.string().describe('The state in words.'),
    appConfigured: z
      .boolean()
      .describe('Whether there is an OAuth app: saved on the connection, or in the deployment settings.'),
    webhookSecretConfigured: z.boolean().describe('Whether a secret is there to verify webhooks with.'),
    account: z
      .object({ id: z.string(), name: z.string(), url: z.string().nullable() })
      .nullable()
      .describe('The workspace or account at the provider.'),
    binding: later,
    pullRequest: later,
    redirectUri: z.string().describe("To be registered as the app's redirect URI, character for character."),
    webhookUrl: z.string().describe('Where the provider sends its webhooks.'),
    lastAcceptedAt: z.iso.datetime().nullable().describe('Of its webhooks, like the next.'),
    lastRejectedAt: z.iso.datetime().nullable(),
    lastSyncAt: z.iso.datetime().nullable(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Connection' });

export type ConnectionRecord = z.output<typeof connectionRecord>;

export function toConnectionRecord(connection: ShownConnection): ConnectionRecord {
  const { account } = connection;
  return {
    id: connection.id,
    kind: connection.kind,
    name: connection.name,
    state: connection.state,
    stateLabel: stateLabel(connection.state),
    appConfigured: connection.appConfigured,
    webhookSecretConfigured: connection.webhookSecretConfigured,
    account: account === undefined ? null : { ...account, url: account.url ?? null },
    binding: null,
    pullRequest: null,
    redirectUri: connection.redirectUri,
    webhookUrl: connection.webhookUrl,
    lastAcceptedAt: timeOrNull(connection.lastAcceptedAt),
    lastRejectedAt: timeOrNull(connection.lastRejectedAt),
    lastSyncAt: timeOrNull(connection.lastSyncAt),
    error: connection.error ?? null,
  };
}

function timeOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : isoTime(ms);
}
