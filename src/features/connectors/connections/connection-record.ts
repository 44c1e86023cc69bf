import { z } from 'zod';
import { isoTime, isoTimeOrNull } from '../../../foundation/kernel/clock.ts';
import { connectionCounts } from '../health/connection-health.ts';
import { syncRun } from '../sync/sync-state.ts';
import { type ConfigurationPull, connectionStates, presentScope, stateLabels } from './connection.ts';
import type { ConnectionWithSetup } from './show-connections.ts';

/** The configuration pull request of a connection (contract section 3). */
export const pullRequestRecord = z
  .object({
    url: z.string().nullable().describe('`null` if the branch has this configuration already.'),
    number: z.int().nullable(),
    state: z.enum(['open', 'closed', 'merged']),
    branch: z.string(),
  })
  .meta({ id: 'ConfigurationPullRequest' });

/** The page at which a person authorizes the account of a connection. */
export const authorizationRecord = z.object({ authorizationUrl: z.string() }).meta({ id: 'Authorization' });

export function toPullRequestRecord({ url, number, state, branch }: ConfigurationPull) {
  return { url: url ?? null, number: number ?? null, state, branch };
}

const bindingRecord = z
  .object({
    githostConnectionId: z.string(),
    repository: z.string().describe('Full name at the Git host.'),
    branch: z.string(),
    scope: z
      .record(z.string(), z.unknown())
      .describe('The scope that applies; before the first merge the chosen one.'),
  })
  .meta({ id: 'Binding' });

/** A connection (contract section 3). A field is `null` until it has a value. Contains no secret. */
export const connectionRecord = z
  .object({
    id: z.string(),
    kind: z.string().describe('The kind of connector.'),
    name: z.string(),
    state: z.enum(connectionStates),
    stateLabel: z.string().describe('The state in words.'),
    appConfigured: z
      .boolean()
      .describe('True if an OAuth app is configured, on the connection or in the deployment settings.'),
    webhookSecretConfigured: z
      .boolean()
      .describe('True if a secret for the verification of webhooks is configured.'),
    account: z
      .object({ id: z.string(), name: z.string(), url: z.string().nullable() })
      .nullable()
      .describe('The workspace or account at the provider.'),
    binding: bindingRecord.nullable().describe('The context repository.'),
    pullRequest: pullRequestRecord.nullable().describe('The last configuration pull request.'),
    redirectUri: z.string().describe("Register exactly this text as the app's redirect URI."),
    webhookUrl: z.string().describe('The URL to which the provider sends its webhooks.'),
    lastAcceptedAt: z.iso.datetime().nullable().describe('Time of the last webhook that was accepted.'),
    lastRejectedAt: z.iso.datetime().nullable().describe('Time of the last webhook that was rejected.'),
    lastSyncAt: z.iso.datetime().nullable(),
    reauthorizeBy: z.iso
      .datetime()
      .nullable()
      .describe('When the account must be authorized again; `null` if the provider sets no end.'),
    nextCheckAt: z.iso
      .datetime()
      .nullable()
      .describe('Planned time of the next look at the configuration on the branch.'),
    progress: syncRun
      .nullable()
      .describe('Progress of the comparison of the provider with the mirrored files; `null` if none runs.'),
    counts: connectionCounts,
    error: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('What a person must fix now.'),
    errors: z
      .array(
        z.object({
          code: z
            .string()
            .describe(
              '`job_failed` if the work was given up, `job_retried` if it runs again; that of a refused push, or of a note such as `family_skipped`.',
            ),
          message: z.string(),
          at: z.iso.datetime().describe('Time of the failed run, or of the next one.'),
          retryAt: z.iso
            .datetime()
            .nullable()
            .describe('When it is tried again by itself; `null` if it was given up.'),
        }),
      )
      .describe('Failures of its work, newest first, at most 20.'),
  })
  .meta({ id: 'Connection' });

export type ConnectionRecord = z.output<typeof connectionRecord>;

export function toConnectionRecord(connection: ConnectionWithSetup): ConnectionRecord {
  const { account, binding } = connection;
  const record: ConnectionRecord = {
    ...connection,
    stateLabel: stateLabels[connection.state],
    account: account === undefined ? null : { ...account, url: account.url ?? null },
    binding: binding === undefined ? null : { ...binding, scope: { ...presentScope(connection) } },
    pullRequest: connection.pull === undefined ? null : toPullRequestRecord(connection.pull),
    lastAcceptedAt: isoTimeOrNull(connection.lastAcceptedAt),
    lastRejectedAt: isoTimeOrNull(connection.lastRejectedAt),
    lastSyncAt: isoTimeOrNull(connection.lastSyncAt),
    reauthorizeBy: isoTimeOrNull(connection.reauthorizeBy),
    nextCheckAt: isoTimeOrNull(connection.nextCheckAt),
    progress: connection.progress ?? null,
    error: connection.error ?? null,
    errors: connection.errors.map(({ at, retryAt, ...failure }) => ({
      ...failure,
      at: isoTime(at),
      retryAt: isoTimeOrNull(retryAt),
    })),
  };
  // Drops the fields of the connection that the record does not have.
  return connectionRecord.parse(record);
}
