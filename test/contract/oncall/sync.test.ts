import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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
let pay: Service;

beforeEach(async () => {
  service = await openOncallService();
  connection = await service.draft();
  await connection.authorize();
  shop = connection.account.addService('Shop', { description: 'Sells things' });
  pay = connection.account.addService('Pay');
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

describe('the first comparison with the oncall provider', () => {
  it('mirrors the incidents of the services in scope, however old, and the services', async () => {
    const now = Date.now();
    const ages = [900, 400, 91, 90, 89, 1, 0];
    const wanted = ages.map((days) => incidents().trigger(shop, { at: now - days * dayMs, quiet: true }));
    incidents().trigger(pay, { quiet: true });
    await connection.sync();
    const files = await connection.committed();
    expect(Object.keys(files)).toEqual([...wanted.map(pathOf), 'oncall/services.yaml'].toSorted());
    expect(files['oncall/services.yaml']).toMatch(new RegExp(`^- .*"${shop.id}".*Sells things.*\n$`));
    const ranges = callsOf(/GET \/incidents\?.*since=/).map((call) => {
      const { searchParams } = new URL(`http://x${call.split(' ')[2]}`);
      return Date.parse(searchParams.get('until') ?? '') - Date.parse(searchParams.get('since') ?? '');
    });
    expect(Math.max(...ranges)).toBeLessThanOrEqual(90 * dayMs);
    expect((await connection.row()).lastSyncAt).toBeGreaterThan(0);
  });

  it('leaves out what the scope leaves out', async () => {
    const [old, low, done, wanted] = [
      incidents().trigger(shop, { at: Date.parse('2025-01-01T00:00:00Z'), quiet: true }),
      incidents().trigger(shop, { urgency: 'low', quiet: true }),
      incidents().trigger(shop, { quiet: true }),
      incidents().trigger(shop, { quiet: true }),
    ];
    incidents().resolve(done);
    await connection.configure([shop.id], {
      since: '2025-01-02',
      urgencies: ['high'],
      statuses: ['triggered', 'acknowledged'],
    });
    await connection.sync();
    expect(await mirrored()).toEqual([pathOf(wanted)]);
    expect([old, low]).toHaveLength(2);
  });

  it('loses none of many in one second, and none if one is moved while the list is read', async () => {
    const at = Date.now() - 5 * dayMs;
    const all = Array.from({ length: 50 }, (_, n) =>
      incidents().trigger(shop, { at: n < 30 ? at : at + n * 1_000, quiet: true }),
    );
    const [moved] = all;
    if (moved === undefined) throw new Error('expected an incident');
    let pages = 0;
    service.oncall.beforeAnswer = (call) => {
      if (!/GET \/incidents\?.*since=/.test(call)) return;
      pages += 1;
      if (pages === 2) incidents().moveTo(moved, pay);
    };
    await connection.sync();
    await connection.receive();
    expect(await mirrored()).toEqual(all.slice(1).map(pathOf).toSorted());
  });

  it('goes on where it stopped if the provider fails or the process is killed', async () => {
    const all = Array.from({ length: 45 }, (_, n) =>
      incidents().trigger(shop, { at: Date.now() - (50 - n) * 60_000, quiet: true }),
    );
    service.oncall.failures.push({ calls: /log_entries/, skip: 30, times: 1, reply: { status: 503 } });
    await expect(connection.sync()).rejects.toThrow(/not available/);
    service.oncall.calls.length = 0;
    await connection.sync();
    expect(await mirrored()).toEqual(all.map(pathOf).toSorted());
    expect(callsOf(/GET \/incidents\/\w+\/notes/).length).toBeLessThan(40);
  });

  it('waits when the provider limits requests, and ends afterwards', async () => {
    for (let n = 0; n < 5; n += 1) incidents().trigger(shop, { quiet: true });
    const limited = {
      status: 429,
      headers: { 'ratelimit-reset': '100' },
      body: { error: { message: 'x', code: 2020 } },
    };
    service.oncall.failures.push({ calls: /notes/, skip: 2, times: 1, reply: limited });
    await connection.sync();
    const jobs = await service.database.queries.selectFrom('jobs').select(['task', 'run_at']).execute();
    // On a slow machine the sweep of recent changes reads the new incidents before the comparison does.
    const waiting = jobs.find(({ task }) => /^oncall-sync-(?:content|incremental)$/.test(task));
    expect(waiting, JSON.stringify([jobs, service.oncall.calls])).toBeDefined();
    const seconds = ((waiting?.run_at ?? 0) - Date.now()) / 1_000;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(100);
    const requests = service.oncall.calls.length;
    incidents().trigger(shop, { title: 'While it waits' });
    await connection.receive();
    expect(service.oncall.calls.length).toBe(requests);
    await service.database.queries.updateTable('connection_notes').set({ at: 0 }).execute();
    await service.database.queries.updateTable('jobs').set({ run_at: 0 }).execute();
    await service.run();
    expect(await mirrored()).toHaveLength(6);
  });

  it('keeps the account of each region apart', async () => {
    const european = await service.draft('eu');
    await european.authorize();
    const laden = european.account.addService('Laden');
    await european.configure([laden.id]);
    const [american, german] = [
      incidents().trigger(shop, { quiet: true }),
      european.account.incidents.trigger(laden, { quiet: true }),
    ];
    service.oncall.calls.length = 0;
    await connection.sync();
    expect(callsOf(/^eu /)).toEqual([]);
    await european.sync();
    expect(await mirrored()).toEqual([pathOf(american)]);
    expect(await mirrored(european)).toEqual([pathOf(german)]);
  });

  it('leaves out an incident that it cannot read, and mirrors the others', async () => {
    const [bad, good] = [
      incidents().trigger(shop, { quiet: true }),
      incidents().trigger(shop, { quiet: true }),
    ];
    const shapeless = { status: 200, body: { notes: 'none' } };
    service.oncall.failures.push({ calls: new RegExp(`${bad.id}/notes`), reply: shapeless });
    await connection.sync();
    expect(await mirrored()).toEqual([pathOf(good)]);
  });

  it('says on the connection that the account may no longer be used', async () => {
    service.oncall.failures.push({ calls: /GET /, reply: { status: 403, body: {} } });
    await connection.sync();
    const errorOf = async () => await readSyncError(service.database.queries, connection.id);
    expect(await errorOf()).toMatchObject({ code: 'oncall_failed' });
    service.oncall.failures.length = 0;
    await connection.sync({ full: true });
    expect(await errorOf()).toBeUndefined();
  });
});

describe('the file of an incident', () => {
  it('has its timeline and notes, with times in UTC, and the incident that it was merged into', async () => {
    const { account } = connection;
    const bob = account.addUser('Bob');
    const [target, source] = [
      incidents().trigger(shop, { title: 'Main' }),
      incidents().trigger(shop, { title: 'Copy' }),
    ];
    incidents().acknowledge(source, bob);
    incidents().annotate(source, `See ${account.webOrigin}/incidents/${target.id}`, bob);
    incidents().prioritize(source, 'P1');
    incidents().merge(source, target);
    await connection.sync();
    const text = (await fileOf(source)) ?? '';
    expect(text).toContain('title: Copy\n');
    expect(text).toContain('status: resolved\n');
    expect(text).toContain('priority: P1\n');
    expect(text).toContain(`mergedInto: ${target.id}\n`);
    expect(text).toMatch(/\nacknowledgedAt: \d{4}-\d\d-\d\dT[\d:.]+Z\nresolvedAt: /);
    expect(text).toMatch(
      new RegExp(`## Notes\n\n<!-- orgctx:note .*"author":\\{"id":"${bob.id}","name":"Bob"\\}`),
    );
    expect(text).toContain(`(${target.id}.md)`);
    expect(text).not.toContain('+02:00');
    expect(text).not.toContain('@example.com');
    expect(await fileOf(target)).not.toContain('mergedInto');
  });

  it('exists for an incident without a title', async () => {
    const nameless = incidents().trigger(shop, { title: null });
    await connection.sync();
    expect(await fileOf(nameless)).toContain(`id: ${nameless.id}\n`);
  });

  it('has all of more than 10,000 log entries', async () => {
    const busy = incidents().trigger(shop, { at: Date.now() - dayMs, quiet: true });
    for (let n = 0; n < 103; n += 1) {
      connection.account.freeze(Date.now() - dayMs + n * 2_000);
      incidents().addLog(busy, 100);
    }
    connection.account.freeze(undefined);
    await connection.sync();
    expect((await fileOf(busy))?.match(/<!-- orgctx:event /g)).toHaveLength(10_301);
  });

  it('has the parts that the configuration asks for', async () => {
    const incident = incidents().trigger(shop);
    incidents().annotate(incident, 'A note');
    await connection.configure([shop.id], { content: { notes: false, timeline: false } });
    await connection.sync();
    const text = await fileOf(incident);
    expect(text).not.toMatch(/Timeline|A note/);
  });
});

describe('events of the oncall provider', () => {
  beforeEach(() => connection.sync());

  it('change the file of an incident in scope', async () => {
    const incident = incidents().trigger(shop, { title: 'Down' });
    expect(await connection.receive()).toContain('oncall-sync-incremental');
    expect(await fileOf(incident)).toContain('status: triggered\n');
    incidents().acknowledge(incident);
    await connection.receive();
    expect(await fileOf(incident)).toContain('status: acknowledged\n');
    incidents().annotate(incident, 'It was the disk.');
    incidents().askResponder(incident, connection.account.addUser('Eve'));
    await connection.receive();
    expect(await fileOf(incident)).toMatch(/Asked Eve[^]*It was the disk\./);
  });

  it('are acknowledged and never fetched for services out of scope, their notes and unknown incidents', async () => {
    const other = incidents().trigger(pay);
    incidents().annotate(other, 'Nothing to see');
    incidents().askResponder(other, connection.account.viewer);
    incidents().resolve(other);
    service.oncall.calls.length = 0;
    await connection.receive();
    expect(service.oncall.calls).toEqual([]);
    const statuses = connection.subscriptions.deliveries.flatMap(({ statuses: each }) => each);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(await mirrored()).toEqual([]);
  });

  it('follow an incident out of the scope and back, also when they are late', async () => {
    const incident = incidents().trigger(shop);
    await connection.receive();
    connection.subscriptions.held = true;
    incidents().moveTo(incident, pay);
    incidents().moveTo(incident, shop);
    await connection.subscriptions.release((waiting) => waiting.toReversed());
    await connection.receive();
    expect(await mirrored()).toHaveLength(1);
    connection.subscriptions.held = false;
    incidents().moveTo(incident, pay);
    await connection.receive();
    expect(await mirrored()).toEqual([]);
  });

  it('that were lost are found in the log, also for old incidents', async () => {
    const old = incidents().trigger(shop, { at: Date.now() - 300 * dayMs, quiet: true });
    const fresh = incidents().trigger(shop, { quiet: true });
    await connection.sync({ full: true });
    connection.subscriptions.dropped = true;
    incidents().resolve(old);
    incidents().annotate(fresh, 'Lost');
    const created = incidents().trigger(shop, { title: 'Lost, too' });
    // The range of the log ends before the present millisecond.
    service.advance(1_000);
    service.oncall.calls.length = 0;
    await connection.sync();
    expect(callsOf(/GET \/incidents\?/)).toEqual([]);
    expect(await fileOf(old)).toContain('status: resolved\n');
    expect(await fileOf(fresh)).toContain('> Lost\n');
    expect(await fileOf(created)).toContain('title: "Lost, too"\n');
  });

  it('that were lost are found in a log that is longer than the provider lists', async () => {
    const incident = incidents().trigger(shop, { quiet: true });
    const noisy = incidents().trigger(pay, { quiet: true });
    service.advance(2 * 3_600_000);
    connection.subscriptions.dropped = true;
    incidents().resolve(incident);
    const now = connection.account.now();
    for (let n = 0; n < 12; n += 1) {
      connection.account.freeze(now - n * 60_000);
      incidents().addLog(noisy, 850);
    }
    connection.account.freeze(undefined);
    service.advance(1_000);
    await connection.sync();
    expect(await fileOf(incident)).toContain('status: resolved\n');
  });
});

describe('a merged configuration', () => {
  it('removes what it leaves out without a list, and reads only the services that it adds', async () => {
    // The log of the last minutes does not contain them.
    const before = { at: Date.now() - dayMs, quiet: true };
    const [ofShop, ofPay] = [incidents().trigger(shop, before), incidents().trigger(pay, before)];
    await connection.configure([shop.id, pay.id]);
    await connection.sync();
    expect(await mirrored()).toEqual([ofShop, ofPay].map(pathOf).toSorted());
    service.oncall.calls.length = 0;
    await connection.configure([pay.id]);
    await connection.sync();
    expect(await mirrored()).toEqual([pathOf(ofPay)]);
    expect((await connection.files())['oncall/services.yaml']).not.toContain(shop.id);
    expect(callsOf(/GET \/(?:incidents|services)/)).toEqual([]);
    await connection.configure([shop.id, pay.id]);
    await connection.sync();
    expect(await mirrored()).toHaveLength(2);
    expect(callsOf(/GET \/incidents\?/).every((call) => call.includes(shop.id))).toBe(true);
    expect(callsOf(/GET \/incidents\?/).some((call) => call.includes(pay.id))).toBe(false);
    expect(callsOf(new RegExp(`/incidents/${ofPay.id}`))).toEqual([]);
  });

  it('that names an unknown service mirrors the others, and says so on the connection', async () => {
    const incident = incidents().trigger(shop, { quiet: true });
    const errorOf = async () => await readSyncError(service.database.queries, connection.id);
    await connection.configure([shop.id, 'PNONE']);
    await connection.sync();
    expect(await mirrored()).toEqual([pathOf(incident)]);
    const message = expect.stringContaining('no service PNONE.');
    expect(await errorOf()).toMatchObject({ code: 'scope_unknown', message });
    await connection.configure([shop.id, pay.id]);
    await connection.sync();
    expect(await errorOf()).toBeUndefined();
  });

  it('reads older incidents alone if it admits those', async () => {
    const [old, fresh] = [100, 5].map((days) =>
      incidents().trigger(shop, { at: Date.now() - days * dayMs, quiet: true }),
    ) as [Incident, Incident];
    const dayOf = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
    await connection.configure([shop.id], { since: dayOf(50) });
    await connection.sync();
    expect(await mirrored()).toEqual([pathOf(fresh)]);
    service.oncall.calls.length = 0;
    await connection.configure([shop.id], { since: dayOf(150) });
    await connection.sync();
    expect(await mirrored()).toEqual([old, fresh].map(pathOf).toSorted());
    expect(callsOf(new RegExp(`/incidents/${fresh.id}`))).toEqual([]);
  });

  it('that admits more statuses, or renders more, reads all incidents again', async () => {
    const [open, done] = [incidents().trigger(shop), incidents().trigger(shop)];
    incidents().resolve(done);
    incidents().annotate(open, 'Look here');
    await connection.configure([shop.id], { statuses: ['triggered'], content: { notes: false } });
    await connection.sync();
    expect(await mirrored()).toEqual([pathOf(open)]);
    await connection.configure([shop.id], { statuses: ['triggered', 'resolved'], content: { notes: false } });
    await connection.sync();
    expect(await mirrored()).toHaveLength(2);
    expect(await fileOf(open)).not.toContain('## Notes\n\n');
    await connection.configure([shop.id], { statuses: ['triggered', 'resolved'] });
    await connection.sync();
    expect(await fileOf(open)).toContain('## Notes');
  });

  it('that comes while another one is read leaves nothing out', async () => {
    const of = [incidents().trigger(shop), incidents().trigger(pay)];
    await connection.sync();
    service.oncall.beforeAnswer = async (call) => {
      if (!call.includes('GET /incidents?') || !call.includes(pay.id)) return;
      service.oncall.beforeAnswer = () => {};
      await connection.configure([shop.id]);
    };
    await connection.configure([shop.id, pay.id]);
    await connection.sync();
    await connection.configure([shop.id, pay.id]);
    await connection.sync();
    expect(await mirrored()).toEqual(of.map(pathOf).toSorted());
  });
});

describe('a sweep over all incidents', () => {
  it('finds notes that were edited and deleted, and titles: neither has an event or log entry', async () => {
    const incident = incidents().trigger(shop, { title: 'Before' });
    const [edited, deleted] = [incidents().annotate(incident, 'One'), incidents().annotate(incident, 'Two')];
    await connection.sync();
    connection.account.advance(5_000);
    incidents().editNote(edited, 'Uno');
    incidents().deleteNote(incident, deleted);
    incidents().retitle(incident, 'After');
    await connection.sync({ full: true });
    const text = (await fileOf(incident)) ?? '';
    expect(text).toContain('title: After\n');
    expect(text.split('## Notes')[1]).toMatch(/"updatedAt"[^]*> Uno\n$/);
    service.advance(dayMs + 1_000);
    incidents().editNote(edited, 'Eins');
    await service.database.queries
      .updateTable('sync_checkpoints')
      .set({ state: JSON.stringify({ readUpTo: {}, sweptAt: Date.now() - dayMs }) })
      .execute();
    await connection.sync();
    expect(await fileOf(incident)).toContain('> Eins\n');
  });

  it('makes no commit if nothing changed', async () => {
    const incident = incidents().trigger(shop);
    incidents().annotate(incident, 'Same');
    await connection.sync();
    const before = await connection.files();
    await connection.sync({ full: true });
    const waiting = await service.database.queries.selectFrom('mirror_changes').select('path').execute();
    expect(waiting).toEqual([]);
    expect(await connection.files()).toEqual(before);
  });
});
