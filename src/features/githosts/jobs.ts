import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../foundation/jobs/handler.ts';
import { dataFolder } from '../../foundation/kernel/data-folder.ts';
import { removeLeftRunFolders } from '../../foundation/kernel/run-folder.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { checkGithost } from './check-githost.ts';
import type { GithostConnection } from './githost-connection.ts';
import { findGithost, listEveryGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { removeHook } from './remove-hook.ts';
import { githostCheck, githostUnhook } from './tasks.ts';

export type GithostJobsDeps = GithostsDeps & {
  readonly log: Logger;
  readonly syncIntervalMs: number;
  readonly dataDir: string;
};

/**
 * Checks the credentials of every connection once per SYNC_INTERVAL, or when its host reports a change, and removes
 * webhooks that are no longer needed and key files of killed workers.
 */
export function githostJobs(deps: GithostJobsDeps): FeatureJobs {
  let nextAt = 0;
  return {
    handlers: [
      handle(githostUnhook, (payload, context) => removeHook(deps, payload, context)),
      handle(githostCheck, async ({ organizationId, githostConnectionId }, { signal }) => {
        const found = await findGithost(deps.database.queries, { organizationId }, githostConnectionId);
        if (found !== undefined) await checkIfReachable(deps, found, signal);
      }),
    ],
    reconciler: {
      subject: 'Git-host connections',
      prepare: () => removeLeftRunFolders(dataFolder(deps.dataDir).ssh.folder),
      async reconcile(signal) {
        if (deps.clock() < nextAt) return;
        nextAt = deps.clock() + deps.syncIntervalMs;
        await checkEvery(deps, signal);
      },
    },
  };
}

async function checkEvery(deps: GithostJobsDeps, signal: AbortSignal): Promise<void> {
  for (let after = ''; ; ) {
    const connections = await listEveryGithost(deps.database.queries, after, 50);
    const last = connections.at(-1);
    if (last === undefined) return;
    after = last.id;
    const checks = connections.map((connection) => checkIfReachable(deps, connection, signal));
    await Promise.all(checks);
    signal.throwIfAborted();
  }
}

/** Checks a connection. One whose host cannot be asked now keeps its state; the next round asks again. */
async function checkIfReachable(
  deps: GithostJobsDeps,
  connection: GithostConnection,
  signal: AbortSignal,
): Promise<void> {
  try {
    await checkGithost(deps, connection, signal);
  } catch (error) {
    if (signal.aborted) return;
    deps.log.warn({ err: error, connectionId: connection.id }, 'a Git-host connection was not checked');
  }
}
