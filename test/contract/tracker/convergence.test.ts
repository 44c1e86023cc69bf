import { expect, it } from 'vitest';
import { killedService } from '../../support/connectors/killed-service.ts';
import { createRandom, type Random } from '../../support/connectors/random.ts';
import { freePort } from '../../support/http/free-port.ts';
import { openChangedBranch, ownFiles } from '../../support/mirror/changed-branch.ts';
import { testSeed } from '../../support/run/seed.ts';
import { changeAnything } from '../../support/tracker/random-changes.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, connected, mirrored } = useSyncService();

const rounds = Number(process.env['TRACKER_ROUNDS'] ?? 100);
const changesPerRound = 10;

/** Delivers the events that were held: some twice, some late, some never, in any order; and some old ones again. */
async function deliver(random: Random): Promise<void> {
  const { webhooks } = opened().tracker;
  webhooks.duplicated = random.below(3) === 0;
  await webhooks.release((deliveries) => random.shuffle(deliveries).filter(() => random.below(5) > 0));
  const old = random.pick(webhooks.deliveries);
  if (old !== undefined) await webhooks.redeliver(old);
  if (random.below(3) === 0) await webhooks.retryFailed();
}

const scopes = [{ teams: ['*'] }, { teams: ['ENG'] }, { teams: ['*'], includeArchived: true }];

it('the Git tree equals a fresh mirror after random changes, whatever happens to events, workers, servers and the branch', async () => {
  const { tracker, service } = opened();
  const { queries } = service.database;
  const random = createRandom(testSeed());
  await using branch = await openChangedBranch();
  const synced = await connected({ branch });
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  tracker.webhooks.webhook = { ...service.webhook, url: `${baseUrl}/api/v1/webhook/tracker` };
  tracker.webhooks.held = true;
  // The limits have tests of their own; here jobs would wait for them.
  Object.assign(tracker.graphql.limits, { requests: 10 ** 6, complexity: 10 ** 9 });
  const program = { kind: 'tracker', settings: synced.jobs.values, baseUrl, branch: branch.access };
  const processes = killedService(service.database, program, random);
  await synced.request();
  for (let round = 0; round < rounds; round += 1) {
    await processes.start();
    for (let n = 0; n < changesPerRound; n += 1) changeAnything(tracker.workspace, random);
    await deliver(random);
    if (random.below(4) === 0) await synced.configure({ scope: random.pick(scopes) ?? {} });
    if (random.below(3) === 0) await synced.request();
    branch.refuse(random);
    for (let n = random.below(3); n > 0; n -= 1)
      await branch.change(service.database, synced.targetId, random);
    if (random.below(3) > 0) await processes.worked();
  }
  await processes.kill();
  await branch.settle(service.database, synced.targetId);
  const stored = await queries.selectFrom('deliveries').select('delivery_key').execute();
  const keys = new Set(stored.map(({ delivery_key }) => delivery_key));
  const accepted = tracker.webhooks.deliveries.filter(({ statuses }) => statuses.includes(200));
  expect(accepted.filter(({ id }) => !keys.has(id))).toEqual([]);
  expect(accepted.length).toBeGreaterThan(rounds);
  expect(processes.kills).toBeGreaterThan(rounds / 4);

  await queries.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'ready').execute();
  // All teams are visible in the end, so that there is something to compare.
  tracker.workspace.hiddenTeams.clear();
  await synced.configure({});
  await synced.sync({ full: true });
  // The first may have gone on with a run that a kill interrupted: it had read some families before the last changes.
  await synced.sync({ full: true });
  expect(await synced.waiting()).toEqual([]);
  const files = await synced.files();
  const fresh = await mirrored();
  expect(files).toEqual({ ...(await fresh.files()), ...ownFiles });
  expect(Object.keys(files).length).toBeGreaterThan(10);
  expect(synced.remote.history().every(({ parents }) => parents.length <= 1)).toBe(true);
}, 1_800_000);
