import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHealth } from '../../../src/features/connectors/health/connection-health.ts';
import { rebuildConnection } from '../../../src/features/connectors/setup/sync-connection.ts';
import type { Incident, Service } from '../../standins/oncall/types.ts';
import { readSyncError } from '../../support/connectors/sync-error.ts';
import {
  type OncallConnection,
  type OncallService,
  openOncallService,
} from '../../support/oncall/oncall-service.ts';

const dayMs = 86_400_000;

let service: OncallService;
let connection: OncallConnection;
let shop: Service;

beforeEach(async () => {
  service = await openOncallService();
  connection = await service.draft();
  await connection.authorize();
  shop = connection.account.addService('Shop', { description: 'Sells things' });
  await connection.configure([shop.id]);
});

afterEach(async () => {
  const { rest } = service.oncall;
  const strays = service.oncall.strays();
  await service[Symbol.asyncDispose]();
  expect(strays).toEqual([]);
  expect(rest.writes.filter((call) => !/ \/webhook_subscriptions(?:\/|$)/.test(call))).toEqual([]);
});

const incidents = () => connection.account.incidents;
const pathOf = ({ id, createdAt }: Incident) =>
  `oncall/incidents/${new Date(createdAt).toISOString().slice(0, 7).replace('-', '/')}/${id}.md`;
const fileOf = async (incident: Incident, from = connection) => (await from.files())[pathOf(incident)];
const mirrored = async (from = connection) =>
  Object.keys(await from.files()).filter((path) => path.startsWith('oncall/incidents/'));
const callsOf = (pattern: RegExp) => service.oncall.calls.filter((call) => pattern.test(call));

describe('a family that the provider refuses', () => {
  const errors = async () =>
    (await readHealth(service.database.queries, [{ id: connection.id, binding: undefined }])).get(
      connection.id,
    )?.errors ?? [];
  const jobs = () =>
    service.database.queries
      .selectFrom('jobs')
      .select(['task', 'state'])
      .where('task', 'in', ['oncall-sync-content', 'oncall-sync-incremental'])
      .execute();

  it.each([
    [403, 'services', /GET \/services/],
    [404, 'notes', /GET \/incidents\/\w+\/notes/],
    [500, 'notes', /GET \/incidents\/\w+\/notes/],
    [403, 'timelines', /GET \/incidents\/\w+\/log_entries/],
    [403, 'log entries', /GET \/log_entries/],
    [403, 'incidents', /GET \/incidents\?/],
  ] as const)(
    '(%s for %s) is left out with a note; all others are mirrored',
    async (status, family, calls) => {
      const all = [incidents().trigger(shop, { title: 'One' }), incidents().trigger(shop, { title: 'Two' })];
      for (const each of all) incidents().annotate(each, 'Noted');
      service.oncall.failures.push({ calls, reply: { status, body: {} } });
      for (let interval = 0; interval < 2; interval += 1) {
        await connection.request();
        await service.run({ attempt: 6 });
        expect(await jobs()).toEqual([]);
      }
      expect(await errors()).toMatchObject([
        { code: 'family_skipped', message: expect.stringContaining(` ${family}, which is left out`) },
      ]);
      expect(await readSyncError(service.database.queries, connection.id)).toBeUndefined();
      // The events of the incidents have them read one by one.
      await connection.subscriptions.settled();
      await service.run({ attempt: 6 });
      expect(await mirrored()).toEqual(all.map(pathOf).toSorted());
      service.oncall.failures.length = 0;
      await connection.sync({ full: true });
      expect(await errors()).toEqual([]);
      for (const each of all) expect(await fileOf(each)).toMatch(/Timeline[^]*> Noted/);
      expect(await connection.files()).toHaveProperty('oncall/services.yaml');
    },
  );

  it('(notes) is read at once where a sweep left it out before it was given out again', async () => {
    const all = Array.from({ length: 22 }, (_, hours) =>
      incidents().trigger(shop, { at: Date.now() - dayMs + hours * 3_600_000, quiet: true }),
    );
    for (const each of all) incidents().annotate(each, 'Noted');
    // Their events name nothing that is mirrored yet.
    await connection.receive();
    const calls = /GET \/incidents\/\w+\/notes/;
    service.oncall.failures.push({ calls, times: 1, reply: { status: 403, body: {} } });
    // The log of the account does not have them read again.
    service.advance(20 * 60_000);
    await connection.sync();
    expect(await errors()).toEqual([]);
    for (const each of all) expect(await fileOf(each)).toMatch(/## Notes\n[^]*> Noted/);
  });

  it('(notes) is read at once everywhere after an edit to which it was given out again', async () => {
    const [one, two] = [1, 2].map((days) =>
      incidents().trigger(shop, { at: Date.now() - days * dayMs, quiet: true }),
    ) as [Incident, Incident];
    for (const each of [one, two]) incidents().annotate(each, 'Noted');
    const calls = /GET \/incidents\/\w+\/notes/;
    service.oncall.failures.push({ calls, reply: { status: 403, body: {} } });
    await connection.sync();
    await connection.receive();
    expect(await errors()).toMatchObject([{ code: 'family_skipped' }]);
    service.oncall.failures.length = 0;
    incidents().annotate(two, 'Again');
    await connection.receive();
    expect(await errors()).toEqual([]);
    for (const each of [one, two]) expect(await fileOf(each)).toMatch(/## Notes\n[^]*> Noted/);
  });

  it('(log entries) holds up no sweep, however long it is refused', async () => {
    const incident = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    await connection.sync();
    await connection.receive();
    service.oncall.failures.push({ calls: /GET \/log_entries/, reply: { status: 403, body: {} } });
    service.advance(20 * 60_000);
    incidents().retitle(incident, 'Another title');
    await connection.sync({ full: true });
    expect(await jobs()).toEqual([]);
    expect(await fileOf(incident)).toContain('title: Another title\n');
  });

  it.each([
    ['notes', /GET \/incidents\/\w+\/notes/],
    ['timelines', /GET \/incidents\/\w+\/log_entries/],
  ] as const)('(%s) leaves the files as they are when a rebuild begins meanwhile', async (family, calls) => {
    const incident = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    incidents().annotate(incident, 'Noted');
    await connection.sync();
    await connection.receive();
    const before = await connection.files();
    expect(before[pathOf(incident)]).toContain('> Noted');
    service.oncall.failures.push({ calls, reply: { status: 403, body: {} } });
    await rebuildConnection(service.setup, connection.scope, { kind: 'host' }, connection.id);
    await service.run();
    expect(await errors()).toMatchObject([{ message: expect.stringContaining(` ${family}, which`) }]);
    expect(await connection.files()).toEqual(before);
    const added = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    service.oncall.failures.length = 0;
    await connection.sync({ full: true });
    expect(await errors()).toEqual([]);
    expect(await mirrored()).toEqual([incident, added].map(pathOf).toSorted());
    expect(await fileOf(incident)).toBe(before[pathOf(incident)]);
  });
});

describe('the daily sweep', () => {
  it('reads an incident whole whose file is lost, although its list has not changed', async () => {
    const incident = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    await connection.sync();
    const file = await fileOf(incident);
    await service.database.queries
      .updateTable('entities')
      .set({ hash: null, updated_at: null })
      .where('id', '=', incident.id)
      .execute();
    await service.database.queries.deleteFrom('mirror_changes').execute();
    await connection.sync({ full: true });
    const written = await service.database.queries.selectFrom('mirror_changes').select('path').execute();
    expect(written).toEqual([{ path: pathOf(incident) }]);
    expect(await fileOf(incident)).toBe(file);
  });

  it('is followed by a rebuild that was requested meanwhile', async () => {
    const all = Array.from({ length: 30 }, () =>
      incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true }),
    );
    await connection.sync();
    const before = await connection.files();
    let isRequested = false;
    service.oncall.beforeAnswer = async (call) => {
      if (isRequested || !/GET \/incidents\?/.test(call)) return;
      isRequested = true;
      await rebuildConnection(service.setup, connection.scope, { kind: 'host' }, connection.id);
    };
    await connection.sync({ full: true });
    expect(isRequested).toBe(true);
    const { queries } = service.database;
    expect(await queries.selectFrom('mirror_rebuilds').selectAll().execute()).toEqual([]);
    const written = await queries.selectFrom('mirror_changes').select('path').execute();
    expect(written.map(({ path }) => path)).toEqual(expect.arrayContaining(all.map(pathOf)));
    expect(await connection.files()).toEqual(before);
  });

  it('reads only incidents whole that changed, and the notes of those that have some', async () => {
    const before = { at: Date.now() - dayMs, quiet: true };
    const all = Array.from({ length: 30 }, () => incidents().trigger(shop, before));
    const [noted, retitled] = all;
    if (noted === undefined || retitled === undefined) throw new Error('expected incidents');
    const note = incidents().annotate(noted, 'First');
    await connection.sync();
    await connection.receive();
    service.advance(10 * 60_000);
    await connection.sync();
    service.oncall.calls.length = 0;
    await connection.sync({ full: true });
    const ofOne = () => callsOf(/GET \/incidents\/\w+/).map((call) => call.replace(/\?.*/, ''));
    expect(ofOne()).toEqual([`us GET /incidents/${noted.id}/notes`]);
    incidents().editNote(note, 'Edited');
    incidents().retitle(retitled, 'Another title');
    await connection.sync({ full: true });
    expect(await fileOf(noted)).toContain('> Edited\n');
    expect(await fileOf(retitled)).toContain('title: Another title\n');
  });
});

describe('an incident with a long log', () => {
  it('is read again without the log entries that are known', async () => {
    const busy = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    connection.account.freeze(Date.now() - dayMs);
    for (let n = 0; n < 12; n += 1) incidents().addLog(busy, 100);
    connection.account.freeze(undefined);
    await connection.sync();
    await connection.receive();
    service.oncall.calls.length = 0;
    incidents().acknowledge(busy);
    await connection.receive();
    expect(await fileOf(busy)).toContain('status: acknowledged\n');
    expect((await fileOf(busy))?.match(/<!-- orgctx:event /g)).toHaveLength(1_202);
    expect(callsOf(/log_entries/)).toHaveLength(1);
    await connection.sync({ full: true });
    // The log of the account names it once more.
    expect(callsOf(new RegExp(`/incidents/${busy.id}/log_entries`))).toHaveLength(2);
  });

  const entriesIn = async (incident: Incident) =>
    (await fileOf(incident))?.match(/<!-- orgctx:event /g)?.length ?? 0;
  const stored = () => service.database.queries.selectFrom('oncall_log_entries').select('entry').execute();
  const yesterday = (add: () => void) => {
    connection.account.freeze(Date.now() - dayMs);
    add();
    connection.account.freeze(undefined);
  };

  it('has all new log entries, however often it was read before, and the newest 8 MiB of all', async () => {
    const busy = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    yesterday(() => incidents().addLog(busy, 300, 'x'.repeat(20 * 1024)));
    await connection.sync();
    for (let touch = 0; touch < 4; touch += 1) {
      incidents().annotate(busy, `Note ${touch}`);
      await connection.receive();
    }
    incidents().addLog(busy, 250, 'Escalated');
    incidents().annotate(busy, 'The last one');
    await connection.receive();
    expect((await fileOf(busy))?.match(/> Escalated \d/g)).toHaveLength(250);
    expect(await entriesIn(busy)).toBe(556);
    incidents().addLog(busy, 200, 'y'.repeat(20 * 1024));
    incidents().annotate(busy, 'After the limit');
    await connection.receive();
    expect((await fileOf(busy))?.match(/> yyy/g)).toHaveLength(200);
    const lengths = (await stored()).map(({ entry }) => entry.length);
    const length = lengths.reduce((a, b) => a + b, 0);
    expect(length).toBeGreaterThan(7.9 * 1024 ** 2);
    expect(length).toBeLessThanOrEqual(8 * 1024 ** 2);
    expect(await entriesIn(busy)).toBe(lengths.length);
  });

  it('is not read whole because a job left the rest of its new log entries to another one', async () => {
    const busy = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    yesterday(() => incidents().addLog(busy, 1_500));
    await connection.sync();
    await connection.receive();
    incidents().addLog(busy, 450);
    incidents().annotate(busy, 'Noted');
    service.oncall.calls.length = 0;
    service.oncall.beforeAnswer = (call) => sleep(call.includes('/log_entries') ? 400 : 0);
    await connection.receive();
    expect(await entriesIn(busy)).toBe(1_952);
    // The fifth page has known entries; another job begins with the page that the first one ended at.
    expect(callsOf(/log_entries/).length).toBeLessThan(8);
  });

  it('has no stored log entries after a rebuild that does not find it', async () => {
    const busy = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    yesterday(() => incidents().addLog(busy, 150));
    await connection.sync();
    expect(await stored()).toHaveLength(151);
    await rebuildConnection(service.setup, connection.scope, { kind: 'host' }, connection.id);
    incidents().moveTo(busy, connection.account.addService('Another'));
    await service.run();
    expect(await mirrored()).toEqual([]);
    expect(await stored()).toEqual([]);
  });

  it('holds up no other incident for more than a second while its log is read', async () => {
    const busy = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    connection.account.freeze(Date.now() - dayMs);
    for (let n = 0; n < 20; n += 1) incidents().addLog(busy, 100);
    connection.account.freeze(undefined);
    let read = 0;
    service.oncall.beforeAnswer = async (call) => {
      if (!call.includes('/log_entries')) return;
      read += 1;
      await sleep(150);
      if (read === 5) incidents().trigger(shop, { title: 'Meanwhile' });
      await connection.subscriptions.settled();
    };
    const order: string[] = [];
    const present = service.oncall.beforeAnswer;
    service.oncall.beforeAnswer = async (call) => {
      order.push(call);
      await present(call);
    };
    await connection.sync();
    await connection.receive();
    const other = incidents().all.find(({ title }) => title === 'Meanwhile');
    expect(other).toBeDefined();
    const at = order.findIndex((call) => call.includes(`/incidents/${other?.id}`));
    const last = order.findLastIndex((call) => call.includes(`/incidents/${busy.id}/log_entries`));
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThan(last);
    expect((await fileOf(busy))?.match(/<!-- orgctx:event /g)).toHaveLength(2_001);
  });
});
