import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorker, type Worker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { Incident, Service } from '../../standins/oncall/types.ts';
import {
  type OncallConnection,
  type OncallService,
  openOncallService,
} from '../../support/oncall/oncall-service.ts';
import { silentLog } from '../../support/silent-log.ts';

let service: OncallService;
let connection: OncallConnection;
let shop: Service;

beforeEach(async () => {
  service = await openOncallService();
  connection = await service.draft();
  await connection.authorize();
  shop = connection.account.addService('Shop');
  await connection.configure([shop.id]);
});

afterEach(async () => {
  const strays = service.oncall.strays();
  await service[Symbol.asyncDispose]();
  expect(strays).toEqual([]);
});

const incidents = () => connection.account.incidents;
const pathOf = ({ id, createdAt }: Incident) =>
  `oncall/incidents/${new Date(createdAt).toISOString().slice(0, 7).replace('-', '/')}/${id}.md`;
const fileOf = async (incident: Incident, from = connection) => (await from.files())[pathOf(incident)];
const mirrored = async (from = connection) =>
  Object.keys(await from.files()).filter((path) => path.startsWith('oncall/incidents/'));

describe('the alerts of an incident', () => {
  const withAlerts = () => connection.configure([shop.id], { content: { alerts: true } });
  const listed = async (incident: Incident) =>
    (await fileOf(incident))?.match(/<!-- orgctx:alert /g)?.length ?? 0;

  it('are in its file if the configuration asks for them, on all pages', async () => {
    const incident = incidents().trigger(shop);
    incidents().alert(incident, 'Disk', { disk: { free: 0 } });
    incidents().alert(incident, 'Log', 'See the log.');
    for (let n = 0; n < 120; n += 1) incidents().alert(incident, `More ${n}`);
    await connection.sync();
    expect(await fileOf(incident)).not.toContain('## Alerts');
    await withAlerts();
    await connection.sync({ full: true });
    expect(await listed(incident)).toBe(122);
    const text = await fileOf(incident);
    expect(text).toMatch(/## Alerts\n[^]*"title":"Disk","severity":"critical"[^]*> {3}"disk": \{\n/);
    expect(text).toContain('> See the log.\n');
  });

  it('are cut, and all listed although a page of them is larger than what is read', async () => {
    await withAlerts();
    const incident = incidents().trigger(shop);
    const details = 'x'.repeat(600 * 1024);
    for (let n = 0; n < 30; n += 1) incidents().alert(incident, `Large ${n}`, details);
    await connection.sync();
    expect(await listed(incident)).toBe(30);
    expect((await fileOf(incident))?.length).toBeLessThan(600 * 1024);
  });

  it('are left out if one is larger than what is read, and the sweep goes on', async () => {
    await withAlerts();
    const [huge, other] = [incidents().trigger(shop), incidents().trigger(shop)];
    incidents().alert(huge, 'Huge', 'x'.repeat(17 * 1024 ** 2));
    incidents().alert(other, 'Small');
    await connection.sync();
    expect([await listed(huge), await listed(other)]).toEqual([0, 1]);
  });

  it('are at most 1,000, and at most 2 MiB long', async () => {
    await withAlerts();
    const [many, long] = [incidents().trigger(shop), incidents().trigger(shop)];
    const details = 'x'.repeat(14 * 1024);
    for (let n = 0; n < 1_100; n += 1) incidents().alert(many, 'Many');
    for (let n = 0; n < 300; n += 1) incidents().alert(long, 'Long', details);
    await connection.sync();
    expect(await listed(many)).toBe(1_000);
    expect(await listed(long)).toBeGreaterThan(100);
    expect(await listed(long)).toBeLessThan(150);
  });
});

describe('an incident', () => {
  it('is left out if its notes are larger than what is read, and the others are mirrored', async () => {
    const [huge, good] = [
      incidents().trigger(shop, { quiet: true }),
      incidents().trigger(shop, { quiet: true }),
    ];
    const body = ' '.repeat(16 * 1024 ** 2 + 1);
    service.oncall.failures.push({ calls: new RegExp(`${huge.id}/notes`), reply: { status: 200, body } });
    await connection.sync();
    expect(await mirrored()).toEqual([pathOf(good)]);
  });
});

describe('a provider that hangs after its headers', () => {
  let worker: Worker | undefined;
  const start = (): void => {
    worker = openWorker({
      database: service.database,
      tasks: service.handlers,
      log: silentLog,
      clock: systemClock,
      concurrency: 2,
      pollMs: 50,
    });
    worker.start();
  };
  afterEach(() => worker?.stop(0));

  const jobOf = ({ id }: OncallConnection) =>
    service.database.queries
      .selectFrom('jobs')
      .select(['state', 'last_error'])
      .where('task', '=', 'oncall-sync-content')
      .where('payload', 'like', `%${id}%`)
      .executeTakeFirst();

  it('holds up no other connection, and its job is tried again later', async () => {
    const other = await service.draft('eu', 'another-organization');
    await other.authorize();
    const laden = other.account.addService('Laden');
    await other.configure([laden.id]);
    const stuck = incidents().trigger(shop, { quiet: true });
    const free = other.account.incidents.trigger(laden, { quiet: true });
    const notes = new RegExp(`${stuck.id}/notes`);
    service.oncall.failures.push({ calls: notes, reply: 'stalled' });
    for (const each of [connection, other]) await each.request();
    start();
    await expect.poll(() => fileOf(free, other)).toContain(`id: ${free.id}\n`);
    await expect.poll(() => jobOf(connection)).toMatchObject({ state: 'running' });
    await worker?.stop(0);
    service.hurried = notes;
    start();
    // Not the state and the number of attempts: the back-off may be shorter than the interval of the poll.
    await expect
      .poll(() => jobOf(connection))
      .toMatchObject({ last_error: expect.stringContaining('did not respond within') });
    await worker?.stop(0);
    expect(await jobOf(connection)).toMatchObject({ state: 'ready' });
    service.oncall.failures.length = 0;
    await service.database.queries.updateTable('jobs').set({ run_at: 0 }).execute();
    await service.run();
    expect(await mirrored()).toEqual([pathOf(stuck)]);
  });
});
