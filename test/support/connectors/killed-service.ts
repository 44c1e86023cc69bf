import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { reapExpiredLeases } from '../../../src/foundation/jobs/lease/reap.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { TestDatabase } from '../database/databases.ts';
import { killProcess } from '../kill/kill-process.ts';
import { compileCache } from '../program/compile-cache.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import type { Random } from './random.ts';
import type { SyncProgram } from './sync-program.ts';

/**
 * A worker and a server in processes of their own, each of which is killed right before one of its writes. The random
 * numbers choose the write, so that the moments do not depend on the speed of the host.
 */
export interface KilledService {
  /** Starts the processes that do not run. */
  start(): Promise<void>;
  /** Resolves when the worker was killed, or when no job is due. */
  worked(): Promise<void>;
  /** Kills both processes at once. */
  kill(): Promise<void>;
  /** Number of processes that were killed before a write. */
  readonly kills: number;
}

/** Numbers of writes before a process is killed. The largest ones let a worker finish what an earlier one could not. */
const maxWrites = { worker: 500, server: 40 } as const;

export function killedService(
  database: TestDatabase,
  options: Omit<SyncProgram, 'database'>,
  random: Random,
): KilledService {
  const running = new Map<keyof typeof maxWrites, ChildProcess>();
  let kills = 0;

  async function startProcess(role: keyof typeof maxWrites): Promise<void> {
    const former = running.get(role);
    if (former !== undefined && !hasEnded(former)) return;
    if (former !== undefined) kills += 1;
    if (role === 'worker') await endLeases(database);
    const support = join(import.meta.dirname, '..');
    const given = JSON.stringify({ ...options, database: database.options });
    const at = `${1 + random.below(maxWrites[role])}:${join(temporaryFolder(), 'writes.json')}`;
    const child = spawn(
      process.execPath,
      [
        '--import',
        join(support, 'kill/kill-at-write.ts'),
        join(support, 'connectors/sync-program.ts'),
        role,
        given,
      ],
      {
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], KILL_AT_WRITE: at, ...compileCache() },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    running.set(role, child);
    await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  }

  return {
    async start() {
      await startProcess('server');
      await startProcess('worker');
    },
    async worked() {
      const worker = running.get('worker');
      if (worker === undefined) return;
      while (!hasEnded(worker) && (await hasWork(database))) await sleep(20);
    },
    async kill() {
      for (const child of running.values()) await killProcess(child);
      running.clear();
      await endLeases(database);
    },
    get kills() {
      return kills;
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Returns whether a job is due or runs, besides those that read a configuration, which no process here runs. */
async function hasWork({ queries }: TestDatabase): Promise<boolean> {
  const job = await queries
    .selectFrom('jobs')
    .select('id')
    .where('task', 'not like', '%-sync-config')
    .where('state', 'in', ['ready', 'running'])
    .where('run_at', '<=', systemClock())
    .limit(1)
    .executeTakeFirst();
  return job !== undefined;
}

/** Ends the leases of a worker that was killed, as time does. */
async function endLeases(database: TestDatabase): Promise<void> {
  const ended = { lease_until: 0 };
  await database.queries.updateTable('jobs').set(ended).where('state', '=', 'running').execute();
  await database.queries.updateTable('lanes').set(ended).where('lease_token', 'is not', null).execute();
  while ((await reapExpiredLeases(database, systemClock)) > 0);
}
