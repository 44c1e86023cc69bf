import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, DatabaseOptions, Queries } from '../../src/foundation/db/database.ts';
import { enqueueAll } from '../../src/foundation/jobs/enqueue.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createEffects, type Effect, readEffects } from './effects.ts';
import { judge, monotonicMs, pidsAtWork, readJournal, type Verdict, writeLine } from './journal.ts';
import { batch, edit, single, type Work } from './tasks.ts';

export interface KillOptions {
  readonly jobs: number;
  readonly lanes: number;
  /** Workers killed and replaced while there is work. */
  readonly kills: number;
  readonly workers: number;
  readonly leaseMs: number;
}

export interface Outcome extends Verdict {
  readonly enqueued: number;
  /** Jobs of which one effect at least is recorded, and edits that a later one of the same entity stands for. */
  readonly done: number;
  readonly lost: readonly number[];
  /** Effects whose fence is below one recorded before it in the same lane. */
  readonly staleEffects: number;
  readonly kills: number;
  readonly seconds: number;
}

/** Jobs that one worker runs at once: while one of four starts, the others have room for every lane. */
const concurrency = 8;
/** Between two kills, ms: at random in this range. */
const pause = [250, 1_100] as const;
/** What a job takes, ms: long enough that most kills meet one. */
const length = [20, 200] as const;
/** How long a kill waits for a worker at work. */
const victimMs = 5_000;
/** After the last kill: the queue must come to its end by itself. */
const drainMs = 60_000;

/** Enqueues jobs while worker processes are killed and replaced; resolves when the queue is empty or does not become so. */
export async function killWorkers(
  database: Database & { readonly options: DatabaseOptions },
  options: KillOptions,
): Promise<Outcome> {
  const started = monotonicMs();
  const journal = join(temporaryFolder(), 'journal');
  await writeFile(journal, '');
  await createEffects(database.queries);
  const works = plan(options);
  const crew = new Crew(database.options, journal, options);
  try {
    await Promise.all([enqueueOverTime(database, works, options, crew), crew.killAtRandom(options.kills)]);
    await untilEmpty(database.queries);
  } finally {
    await crew.end();
  }
  const effects = await readEffects(database.queries);
  const lost = missing(works, effects);
  return {
    ...judge(await readJournal(journal)),
    enqueued: works.length,
    done: works.length - lost.length,
    lost,
    staleEffects: countStale(effects),
    kills: options.kills,
    seconds: (monotonicMs() - started) / 1_000,
  };
}

/** Real processes; each that is killed is replaced by another. */
class Crew {
  readonly #args: readonly string[];
  readonly #journal: string;
  readonly #workers: ChildProcess[];
  #rounds = 0;

  constructor(options: DatabaseOptions, journal: string, { workers, leaseMs }: KillOptions) {
    this.#journal = journal;
    const script = join(import.meta.dirname, 'worker.ts');
    this.#args = [script, JSON.stringify(options), journal, String(leaseMs), String(concurrency)];
    this.#workers = Array.from({ length: workers }, () => this.#start());
  }

  /** Kills that have been done or are about to be. */
  get rounds(): number {
    return this.#rounds;
  }

  /** At random moments, a worker with work in hand wherever there is one. */
  async killAtRandom(kills: number): Promise<void> {
    for (let n = 0; n < kills; n += 1) {
      await sleep(between(...pause));
      // New work comes in now, so that there is somebody at work.
      this.#rounds += 1;
      const place = await this.#victim();
      await this.#kill(this.#workers[place]);
      this.#workers[place] = this.#start();
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => this.#kill(worker)));
  }

  /** Waits for one that has work in hand: on a busy machine all may be about to start. */
  async #victim(): Promise<number> {
    const places = [...this.#workers.keys()];
    for (const deadline = monotonicMs() + victimMs; monotonicMs() < deadline; await sleep(10)) {
      const atWork = pidsAtWork(await readJournal(this.#journal));
      const busy = places.filter((place) => atWork.includes(this.#workers[place]?.pid ?? 0));
      if (busy.length > 0) return busy[between(0, busy.length - 1)] ?? 0;
    }
    return between(0, places.length - 1);
  }

  #start(): ChildProcess {
    return spawn(process.execPath, this.#args, { stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async #kill(worker: ChildProcess | undefined): Promise<void> {
    if (worker?.pid === undefined) throw new Error('The worker did not start.');
    if (worker.exitCode !== null) throw new Error('A worker ended by itself; its reason is above.');
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
    writeLine(this.#journal, { what: 'kill', pid: worker.pid, at: monotonicMs() });
  }
}

/** Seven in ten run alone, two in batches, one is an edit of one of a few entities; one in fifty fails at first. */
function plan({ jobs, lanes }: KillOptions): readonly Work[] {
  const versions = new Map<string, number>();
  return Array.from({ length: jobs }, (_, n) => {
    const lane = `lane-${n % lanes}`;
    const work = { n, lane, ms: between(...length), fails: n % 50 === 7 };
    if (n % 10 !== 9) return work;
    // Of one lane, so that its number says it all.
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

/** In step with the kills, so that none of them meets an empty queue. */
async function enqueueOverTime(
  database: Database,
  works: readonly Work[],
  { kills }: KillOptions,
  crew: Pick<Crew, 'rounds'>,
): Promise<void> {
  for (let from = 0; from < works.length; ) {
    while (from / works.length > crew.rounds / kills) await sleep(20);
    const until = from + between(1, 40);
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

/** An edit is not lost when the last one of its entity is done: that is what coalescing means. */
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

function between(from: number, to: number): number {
  return Math.round(from + Math.random() * (to - from));
}
