import { afterEach, beforeEach, expect, it } from 'vitest';
import { oncallSubscribe, oncallTasks } from '../../../src/features/connectors/oncall/tasks.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import type { Incident, Incidents, Service } from '../../standins/oncall/types.ts';
import { killedService } from '../../support/connectors/killed-service.ts';
import { createRandom, type Random } from '../../support/connectors/random.ts';
import { freePort } from '../../support/http/free-port.ts';
import { openChangedBranch, ownFiles } from '../../support/mirror/changed-branch.ts';
import {
  type OncallConnection,
  type OncallService,
  openOncallService,
} from '../../support/oncall/oncall-service.ts';
import { testSeed } from '../../support/run/seed.ts';

const rounds = Number(process.env['ONCALL_ROUNDS'] ?? 50);
const changesPerRound = 10;

let baseUrl: string;
let service: OncallService;

beforeEach(async () => {
  baseUrl = `http://127.0.0.1:${await freePort()}`;
  service = await openOncallService(baseUrl);
});

afterEach(() => service[Symbol.asyncDispose]());

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
  if (random.below(3) === 0) await subscriptions.retryFailed();
}

it.for([
  ['with a log entry', logged, false],
  ['of any kind, and a sweep', [...logged, ...quiet], true],
] as const)(
  'the Git tree equals a fresh mirror after changes %s, whatever happens to events, workers, servers and the branch',
  { timeout: 1_800_000 },
  async ([_name, changes, full]) => {
    const { database, oncall } = service;
    const random = createRandom(testSeed());
    await using branch = await openChangedBranch();
    const connection = await service.draft('us', 'incidents', branch);
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
    const program = { kind: 'oncall', settings: oncall.settings, baseUrl, branch: branch.access };
    const processes = killedService(database, program, random);
    await connection.request({ full: true });
    for (let round = 0; round < rounds; round += 1) {
      await processes.start();
      for (let n = 0; n < changesPerRound; n += 1) {
        changeAnything(account.incidents, services, random, changes);
      }
      await deliver(connection, random);
      if (random.below(3) === 0) subscriptions.remove(subscriptions.all[0]?.id ?? '');
      await enqueue(database.queries, oncallSubscribe, { connectionId }, { runAt: 0 });
      branch.refuse(random);
      for (let n = random.below(3); n > 0; n -= 1) await branch.change(database, connection.targetId, random);
      if (random.below(3) > 0) await processes.worked();
    }
    await processes.kill();
    await branch.settle(database, connection.targetId);
    const stored = await database.queries.selectFrom('deliveries').select('delivery_key').execute();
    const keys = new Set(stored.map(({ delivery_key }) => delivery_key));
    const accepted = subscriptions.deliveries.filter(({ statuses }) => statuses.includes(200));
    expect(accepted.filter(({ id }) => !keys.has(id))).toEqual([]);
    expect(accepted.length).toBeGreaterThan(0);

    // On a fast machine the rounds reach the limit of the provider, and a comparison would wait for half a minute.
    oncall.rest.requestsPerMinute = 1_000_000;
    await database.queries.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'ready').execute();
    await service.run();
    await connection.sync({ full });
    // The first may have gone on with a run that a kill interrupted: it had read some incidents before the last changes.
    await connection.sync({ full });
    const unfinished = await database.queries
      .selectFrom('jobs')
      .select(['task', 'run_at'])
      .where('task', '=', oncallTasks.content.name)
      .execute();
    expect(unfinished).toEqual([]);
    expect(subscriptions.all).toHaveLength(1);
    const files = await connection.committed();
    const fresh = await service.draft('us', 'another-organization');
    await fresh.authorize();
    await fresh.configure(scope);
    await fresh.sync();
    expect(files).toEqual({ ...(await fresh.committed()), ...ownFiles });
    expect(Object.keys(files).length).toBeGreaterThan(4);
    expect(oncall.strays()).toEqual([]);
  },
);
