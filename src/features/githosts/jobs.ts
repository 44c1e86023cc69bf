import type { FeatureJobs } from '../../foundation/jobs/feature-jobs.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import { checkGithost } from './check-githost.ts';
import { listEveryGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { removeKeysInUse } from './ssh-key.ts';

export type GithostJobsDeps = GithostsDeps & {
  readonly log: Logger;
  readonly syncIntervalMs: number;
  readonly dataDir: string;
};

/** Checks the credentials of every connection once per SYNC_INTERVAL, and removes key files of killed workers. */
export function githostJobs(deps: GithostJobsDeps): FeatureJobs {
  let nextAt = 0;
  return {
    handlers: [],
    reconciler: {
      subject: 'Git-host connections',
      prepare: () => removeKeysInUse(deps.dataDir),
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
    const checks = connections.map((connection) =>
      checkGithost(deps, connection, signal).catch((error: unknown) => {
        if (signal.aborted) return;
        // The host cannot be asked now. The connection keeps its state, and the next round asks again.
        deps.log.warn({ err: error, connectionId: connection.id }, 'a Git-host connection was not checked');
      }),
    );
    await Promise.all(checks);
    signal.throwIfAborted();
  }
}
