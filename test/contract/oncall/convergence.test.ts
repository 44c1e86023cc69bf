import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { oncallSubscribe, oncallSyncContent } from '../../../src/features/connectors/oncall/tasks.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { reapExpiredLeases } from '../../../src/foundation/jobs/lease/reap.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { Incident, Incidents, Service } from '../../standins/oncall/types.ts';
import {
  type OncallConnection,
  type OncallService,
  openOncallService,
} from '../../support/oncall/oncall-service.ts';
import { compileCache } from '../../support/program/compile-cache.ts';
import { sampleSize } from '../../support/run/long-run.ts';
import { createRandom, type Random } from '../../support/tracker/random-changes.ts';

const program = join(import.meta.dirname, '../../support/oncall/sync-program.ts');
/** Another seed makes other changes; the moments of kills differ in each run. */
const seed = Number(process.env['ONCALL_SEED'] ?? sampleSize({ sample: 1, all: Date.now() % 2 ** 31 }));
const rounds = sampleSize({ sample: 3, all: 50 });
const changesPerRound = 10;

let service: OncallService;

beforeEach(async () => {
  service = await openOncallService();
});

afterEach(() => service[Symbol.asyncDispose]());

async function startWorker(): Promise<ChildProcess> {
  const settings = [service.database.options, service.oncall.settings].map((each) => JSON.stringify(each));
  const worker = spawn(process.execPath, [program, ...settings, new URL(service.webhookUrl).origin], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...compileCache() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(worker.stdout, 'data');
  return worker;
}

/** Kills a worker, and ends its leases at once, as time does. */
async function kill(worker: ChildProcess): Promise<void> {
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  const { queries } = service.database;
  const ended = { lease_until: 0 };
  await queries.updateTable('jobs').set(ended).where('state', '=', 'running').execute();
  await queries.updateTable('lanes').set(ended).where('lease_token', 'is not', null).execute();
  await reapExpiredLeases(service.database, systemClock);
}

type Change = (incidents: Incidents, incident: Incident, random: Random) => void;

/** Changes with a log entry. */
const logged: readonly Change[] = [
  (incidents, incident) => incidents.acknowledge(incident),
  (incidents, incident) => incidents.resolve(incident),
  (incidents, incident) => incidents.reopen(incident),
  (incidents, incident, random) => incidents.prioritize(incident, `P${random.below(5)}`),
  (incidents, incident, random) => void incidents.annotate(incident, `Note ${random.below(1_000)}`),
  (incidents, incident) => incidents.askResponder(incident, incident.assignees[0] ?? never()),
];

/** Changes that only a sweep finds. */
const quiet: readonly Change[] = [
  (incidents, incident, random) => incidents.retitle(incident, `Title ${random.below(1_000)}`),
  (incidents, incident, random) => {
    const note = random.pick(incident.notes);
    if (note !== undefined) incidents.editNote(note, `Edited ${random.below(1_000)}`);
  },
  (incidents, incident, random) => {
    const note = random.pick(incident.notes);
    if (note !== undefined) incidents.deleteNote(incident, note);
  },
];

function never(): never {
  throw new Error('expected a value');
}

function changeAnything(
  incidents: Incidents,
  services: readonly Service[],
  random: Random,
  changes: readonly Change[],
): void {
  const chosen = random.pick(services) ?? never();
  const incident = random.pick(incidents.all);
  const kind = random.below(10);
  if (incident === undefined || kind < 3) incidents.trigger(chosen);
  else if (kind === 3) incidents.moveTo(incident, chosen);
  else if (kind === 4) {
    const target = random.pick(incidents.all);
    if (target !== undefined && target !== incident) incidents.merge(incident, target);
  } else random.pick(changes)?.(incidents, incident, random);
}

/** Delivers the events that were held: some twice, some late, some never, in any order; and some old ones again. */
async function deliver({ subscriptions }: OncallConnection, random: Random): Promise<void> {
  subscriptions.duplicated = random.below(3) === 0;
  await subscriptions.release((waiting) => random.shuffle(waiting).filter(() => random.below(5) > 0));
  const old = random.pick(subscriptions.deliveries);
  if (old !== undefined) await subscriptions.redeliver(old);
}

it.each([
  ['with a log entry', logged, false],
  ['of any kind, and a sweep', [...logged, ...quiet], true],
] as const)(
  'the Git tree equals a fresh mirror after changes %s, whatever happens to events and workers',
  async (_name, changes, full) => {
    const { database, oncall } = service;
    const random = createRandom(seed);
    const connection = await service.draft();
    await connection.authorize();
    const { account, subscriptions, id: connectionId } = connection;
    const services = ['Shop', 'Pay', 'Mail'].map((name) => account.addService(name));
    const scope = services.slice(0, 2).map(({ id }) => id);
    await connection.configure(scope);
    for (let n = 0; n < 15; n += 1) {
      account.incidents.trigger(random.pick(services) ?? never(), {
        at: Date.now() - random.below(300) * 86_400_000,
        quiet: true,
      });
    }
    subscriptions.held = true;
    let worker = await startWorker();
    await enqueue(database.queries, oncallSyncContent, { connectionId, full: true }, { runAt: 0 });
    for (let round = 0; round < rounds; round += 1) {
      for (let n = 0; n < changesPerRound; n += 1) {
        changeAnything(account.incidents, services, random, changes);
      }
      await deliver(connection, random);
      if (random.below(3) === 0) subscriptions.remove(subscriptions.all[0]?.id ?? '');
      await enqueue(database.queries, oncallSubscribe, { connectionId }, { runAt: 0 });
      await sleep(random.below(200));
      if (round % 2 === 0) {
        await kill(worker);
        worker = await startWorker();
      }
    }
    await kill(worker);
    await database.queries.updateTable('jobs').set({ run_at: 0 }).execute();
    await service.run();
    await connection.sync({ full });
    expect(subscriptions.all).toHaveLength(1);
    const files = await connection.committed();
    const fresh = await service.draft('us', 'another-organization');
    await fresh.authorize();
    await fresh.configure(scope);
    await fresh.sync();
    expect(files, `ONCALL_SEED=${seed}`).toEqual(await fresh.committed());
    expect(Object.keys(files).length).toBeGreaterThan(10);
    expect(oncall.strays()).toEqual([]);
  },
  600_000,
);
