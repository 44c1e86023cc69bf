import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, DatabaseOptions, Queries } from '../../src/foundation/db/database.ts';
import { enqueueAll } from '../../src/foundation/jobs/enqueue.ts';
import type { Random } from '../support/connectors/random.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createEffects, type Effect, readEffects } from './effects.ts';
import { busyPids, type JournalSummary, monotonicMs, readJournal, summarize, writeLine } from './journal.ts';
import { batch, edit, single, type Work } from './tasks.ts';

export interface KillOptions {
  readonly jobs: number;
  readonly lanes: number;
  /** Number of workers that are killed and replaced while jobs are pending. */
  readonly kills: number;
  readonly workers: number;
  readonly leaseMs: number;
  /** Chooses the moments of kills, the victims and the work. */
  readonly random: Random;
}

export interface Outcome extends JournalSummary {
  readonly enqueued: number;
  /** Jobs with at least one recorded effect, and edits that were coalesced into a later edit of the same entity. */
  readonly done: number;
  readonly lost: readonly number[];
  /** Effects whose fence is below that of an earlier effect in the same lane. */
  readonly staleEffects: number;
  readonly kills: number;
  readonly seconds: number;
}

/** Jobs that one worker runs at once: while one of four workers starts, the others can serve every lane. */
const concurrency = 8;
/** Range of the random delay between two kills, in milliseconds. */
const pause = [250, 1_100] as const;
/** Range of the random duration of a job, in milliseconds; long enough that most kills hit a running job. */
const duration = [20, 200] as const;
/** Maximum time that a kill waits for a busy worker, in milliseconds. */
const victimMs = 5_000;
/** Maximum time for the queue to become empty after the last kill, in milliseconds. */
const drainMs = 300_000;

/**
 * Enqueues jobs while worker processes are killed and replaced; resolves when the queue is empty or after the time
 * limit.
 */
export async function killWorkers(
  database: Database & { readonly options: DatabaseOptions },
  options: KillOptions,
): Promise<Outcome> {
  const started = monotonicMs();
  const journal = join(temporaryFolder(), 'journal');
  await writeFile(journal, '');
  await createEffects(database.queries);
  const works = plan(options);
  const pool = new WorkerPool(database.options, journal, options);
  try {
    await Promise.all([enqueueOverTime(database, works, options, pool), pool.killAtRandom(options.kills)]);
    await untilEmpty(database.queries);
  } finally {
    await pool.end();
  }
  const effects = await readEffects(database.queries);
  const lost = missing(works, effects);
  return {
    ...summarize(await readJournal(journal)),
    enqueued: works.length,
    done: works.length - lost.length,
    lost,
    staleEffects: countStale(effects),
    kills: options.kills,
    seconds: (monotonicMs() - started) / 1_000,
  };
}

/** The worker processes; each killed one is replaced. */
class WorkerPool {
  readonly #args: readonly string[];
  readonly #journal: string;
  readonly #workers: ChildProcess[];
  readonly #random: Random;
  #rounds = 0;

  constructor(options: DatabaseOptions, journal: string, { workers, leaseMs, random }: KillOptions) {
    this.#journal = journal;
    this.#random = random;
    const script = join(import.meta.dirname, 'worker.ts');
    this.#args = [script, JSON.stringify(options), journal, String(leaseMs), String(concurrency)];
    this.#workers = Array.from({ length: workers }, () => this.#start());
  }

  /** Number of kills done so far, including the current one. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Kills workers at random moments; prefers a worker with a job in flight. */
  async killAtRandom(kills: number): Promise<void> {
    for (let n = 0; n < kills; n += 1) {
      await sleep(between(this.#random, ...pause));
      // This enqueues new jobs, so that a worker becomes busy.
      this.#rounds += 1;
      const place = await this.#victim();
      await this.#kill(this.#workers[place]);
      this.#workers[place] = this.#start();
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => this.#kill(worker)));
  }

  /** Waits for a worker with a job in flight: on a busy machine all workers may still be starting. */
  async #victim(): Promise<number> {
    const places = [...this.#workers.keys()];
    for (const deadline = monotonicMs() + victimMs; monotonicMs() < deadline; await sleep(10)) {
      const pids = busyPids(await readJournal(this.#journal));
      const busy = places.filter((place) => pids.includes(this.#workers[place]?.pid ?? 0));
      if (busy.length > 0) return this.#random.pick(busy) ?? 0;
    }
    return this.#random.below(places.length);
  }

  #start(): ChildProcess {
    return spawn(process.execPath, this.#args, { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async #kill(worker: ChildProcess | undefined): Promise<void> {
    if (worker?.pid === undefined) throw new Error('The worker did not start.');
    if (worker.exitCode !== null) throw new Error('A worker exited by itself; see its output above.');
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
    writeLine(this.#journal, { what: 'kill', pid: worker.pid, at: monotonicMs() });
  }
}

/**
 * Plans the jobs: seven of ten run alone, two in batches, one is an edit of one of a few entities; one in fifty fails
 * at first.
 */
function plan({ jobs, lanes, random }: KillOptions): readonly Work[] {
  const versions = new Map<string, number>();
  return Array.from({ length: jobs }, (_, n) => {
    const lane = `lane-${n % lanes}`;
    const work = { n, lane, ms: between(random, ...duration), fails: n % 50 === 7 };
    if (n % 10 !== 9) return work;
    // Every entity belongs to one lane, so the lane identifies the entity.
    const entity = `entity-${lane}`;
    const version = (versions.get(entity) ?? 0) + 1;
    versions.set(entity, version);
    return { ...work, entity, version };
  });
}

function taskOf({ n, entity }: Work): typeof single {
  if (entity !== undefined) return edit;
  return n % 10 >= 7 ? batch : single;
}

/** Enqueues jobs at the pace of the kills, so that no kill meets an empty queue. */
async function enqueueOverTime(
  database: Database,
  works: readonly Work[],
  { kills, random }: KillOptions,
  pool: Pick<WorkerPool, 'rounds'>,
): Promise<void> {
  for (let from = 0; from < works.length; ) {
    while (from / works.length > pool.rounds / kills) await sleep(20);
    const until = from + between(random, 1, 40);
    const burst = works.slice(from, until);
    await database.transaction(async (tx) => {
      for (const task of [single, batch, edit]) {
        const own = burst.filter((work) => taskOf(work) === task);
        if (own.length > 0) await enqueueAll(tx, task, own);
      }
    });
    from = until;
  }
}

async function untilEmpty(queries: Queries): Promise<void> {
  const deadline = monotonicMs() + drainMs;
  while (monotonicMs() < deadline) {
    const left = await queries
      .selectFrom('jobs')
      .where('state', '!=', 'dead')
      .select('id')
      .executeTakeFirst();
    if (left === undefined) return;
    await sleep(50);
  }
}

/**
 * Returns the jobs without an effect. An edit is not lost when the last edit of its entity is done, because edits
 * coalesce.
 */
function missing(works: readonly Work[], effects: readonly Effect[]): readonly number[] {
  const done = new Set(effects.map(({ n }) => n));
  const last = new Map(works.map(({ n, entity }) => [entity ?? n, n]));
  return works.flatMap(({ n, entity }) => (done.has(last.get(entity ?? n) ?? n) ? [] : [n]));
}

function countStale(effects: readonly Effect[]): number {
  const highest = new Map<string, number>();
  return effects.filter(({ lane, fence }) => {
    const former = highest.get(lane) ?? 0;
    highest.set(lane, Math.max(former, fence));
    return fence < former;
  }).length;
}

function between(random: Random, from: number, to: number): number {
  return from + random.below(to - from + 1);
}
