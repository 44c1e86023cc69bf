import type { Queries } from '../../foundation/db/database.ts';
import { readQueueTime } from '../../foundation/jobs/queue-time.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { MirrorTarget } from './mirror-target.ts';
import { listRefusedTargets } from './mirror-target-store.ts';

/** How mirroring goes in the whole deployment. For the host operator; requests never come here. */
export interface MirrorStatus {
  /** Files that wait to be committed, and their bytes. */
  readonly waiting: number;
  readonly bytes: number;
  /** Since when the longest has waited, ms; 0 when none waits. */
  readonly oldestMs: number;
  /** Targets that take no commits, with the reason; at most 20. */
  readonly refused: readonly MirrorTarget[];
}

export async function mirrorStatus(queries: Queries, clock: Clock): Promise<MirrorStatus> {
  const { waiting, bytes, oldest } = await queries
    .selectFrom('mirror_changes')
    .select(({ fn }) => [
      fn.countAll<number>().as('waiting'),
      // A sum of int8 is numeric, and so text, on Postgres.
      fn.sum<string | number | null>('bytes').as('bytes'),
      fn.min('created_at').as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  const now = await readQueueTime(queries, clock);
  return {
    waiting,
    bytes: Number(bytes ?? 0),
    oldestMs: oldest === null ? 0 : Math.max(0, now - oldest),
    refused: await listRefusedTargets(queries, 20),
  };
}
