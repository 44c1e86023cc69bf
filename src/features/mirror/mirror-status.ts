import type { Queries } from '../../foundation/db/database.ts';
import { readQueueTime } from '../../foundation/jobs/queue-time.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { MirrorTarget } from './mirror-target.ts';
import { listRefusedTargets } from './mirror-target-store.ts';

/** The state of mirroring in the whole deployment. For the host operator only; requests must not use it. */
export interface MirrorStatus {
  /** Number of files that wait to be committed. */
  readonly waiting: number;
  /** Their total size. */
  readonly bytes: number;
  /** Age of the oldest pending change, in milliseconds; 0 if there is none. */
  readonly oldestMs: number;
  /** Targets that refuse commits, with the reason; at most 20. */
  readonly refused: readonly MirrorTarget[];
}

/** Reads the state of mirroring. */
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
