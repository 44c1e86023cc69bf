import { setTimeout as pause } from 'node:timers/promises';
import type { CommandContext } from '../frame/context.ts';
import type { ProgressStep } from '../frame/progress.ts';
import type { ApiClient } from '../remote/api-client.ts';
import { connectionPath, type RemoteConnection, remoteConnection } from './remote-connection.ts';

const pollMs = 400;

/** The steps of a setup that end without the caller. */
export const waits = {
  /** A person authorizes the account in a browser. */
  authorization: ({ state }: RemoteConnection) => state !== 'draft' && state !== 'disconnected',
  /** A person merges the configuration pull request. A failure that only a person can fix ends the wait, too. */
  merge: ({ state, error }: RemoteConnection) =>
    (error ?? undefined) !== undefined || !['authorized', 'awaiting_merge'].includes(state),
  /** The worker mirrors what exists already, and commits it. A failure ends the wait, too. */
  backfill: ({ state, error, errors, lastSyncAt, counts }: RemoteConnection) =>
    state !== 'connected' ||
    (error ?? undefined) !== undefined ||
    ((lastSyncAt ?? undefined) !== undefined && (counts.pending === 0 || errors.length > 0)),
} as const;

/** Reads a connection until a step has ended, and reports the progress. */
export async function waitForConnection(
  api: ApiClient,
  { id }: RemoteConnection,
  hasEnded: (connection: RemoteConnection) => boolean,
  report: (step: ProgressStep) => void,
  { signal }: Pick<CommandContext, 'signal'>,
): Promise<RemoteConnection> {
  for (;;) {
    const current = await api.call({ path: connectionPath(id) }, remoteConnection);
    if (hasEnded(current)) return current;
    report(stepOf(current));
    await pause(pollMs, undefined, { signal });
  }
}

function stepOf({ name, state, stateLabel, progress, counts }: RemoteConnection): ProgressStep {
  if (state !== 'connected') return { phase: `${name}: ${stateLabel}` };
  const phase = `${name}: ${counts.mirrored} records are mirrored`;
  return progress ? { phase, done: progress.done, total: progress.total } : { phase };
}
