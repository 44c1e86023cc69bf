import { beforeEach, expect, it } from 'vitest';
import { seedOrganization } from '../../../../test/support/codesearch/seeded-repositories.ts';
import {
  commitTo,
  issueEntity,
  seedBoundConnection,
  withStore,
} from '../../../../test/support/connectors/entity-stores.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { targetFor } from '../../../../test/support/mirror/mirroring.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { HttpRequest } from '../../../foundation/net/http.ts';
import { OutboundError } from '../../../foundation/net/outbound-error.ts';
import { repositoryClone } from '../../repositories/tasks.ts';
import { resumeAssets } from '../entities/asset-rows.ts';
import { forgetEntities } from '../entities/forget-entities.ts';
import { mirrorEntities } from '../entities/mirror-entities.ts';
import { trackerRecords } from '../tracker/kinds/kinds.ts';
import { type HostPauses, openHostPauses } from './fetch-asset.ts';
import { type AssetSource, mirrorAssetFile } from './mirror-asset.ts';
import { type AssetPayload, mirrorAsset } from './tasks.ts';

const png = (text: string) => Buffer.from(`\u0089PNG\r\n\u001a\n${text}`, 'latin1');
const urlOf = (name: string) => `https://uploads.example/x/${name}`;
const record = 'tracker/issues/ENG/ENG-1.md';

describeEachDatabase('the assets of an entity', (open) => {
  let database: Database;
  let connection: ConnectionId;
  let tree: Map<string, string>;
  let source: AssetSource;
  /** Files by address; `undefined` for a host that does not answer. */
  let files: Map<string, Buffer | undefined>;
  let asked: string[];
  let pauses: HostPauses;
  let now: number;

  beforeEach(async () => {
    database = await open();
    const scope = await seedOrganization(database, 'acme');
    const target = await targetFor(database, scope, 'https://git.example.com/a/b');
    connection = await seedBoundConnection(database, scope, 'c-1', target.id);
    tree = new Map();
    files = new Map();
    asked = [];
    now = 1_000_000;
    pauses = openHostPauses(() => now);
    source = {
      uploads: { origin: 'https://uploads.example', accessToken: () => Promise.resolve('token') },
      maxBytes: 1_000,
      maxTotalBytes: 1_500,
      allowTypes: [],
    };
  });

  const http = {
    request({ url, maxBytes = 0 }: HttpRequest) {
      asked.push(url);
      const body = files.get(url);
      if (new URL(url).host === 'hanging.example') throw new OutboundError('host', 'timeout', 'No answer.');
      if (body === undefined && files.has(url)) throw new OutboundError('host', 'refused', 'No answer.');
      if (body !== undefined && body.length > maxBytes)
        throw new OutboundError('host', 'too_large', 'The response is too large.');
      const status = body === undefined ? 404 : 200;
      return Promise.resolve({ status, headers: {}, body: body ?? Buffer.alloc(0), url });
    },
  };
  const issueWith = (urls: readonly string[], identifier = 'ENG-1', updatedAt = '1') =>
    issueEntity(identifier, urls.map((url) => `![x](${url})`).join(' '), {
      id: 'i',
      assets: urls,
      updatedAt,
    });
  const mirror = (urls: readonly string[], identifier?: string, updatedAt?: string) =>
    withStore(database, connection, (store) =>
      mirrorEntities(store, [issueWith(urls, identifier, updatedAt)], 'edit'),
    );

  const jobsOf = () =>
    database.queries
      .selectFrom('jobs')
      .select(['id', 'payload'])
      .where('task', '=', mirrorAsset.name)
      .orderBy('id')
      .execute();

  async function runJob(payload: string, attempt = 1): Promise<void> {
    const context: JobContext = {
      signal: new AbortController().signal,
      log: silentLog,
      attempt,
      maxAttempts: mirrorAsset.maxAttempts,
      fence: 1,
      assertHeld: () => Promise.resolve(),
    };
    const deps = { database, http, pauses, records: trackerRecords, open: () => Promise.resolve(source) };
    const parsed: AssetPayload = mirrorAsset.payload.parse(JSON.parse(payload));
    await mirrorAssetFile(deps, parsed, context);
  }

  /** Runs a job once: `done`, `later` if its host is paused, or the message of its error. */
  async function outcomeOf(payload: string): Promise<string> {
    try {
      await runJob(payload);
      return 'done';
    } catch (error) {
      if (error instanceof Unavailable && error.retryAfter !== undefined) return 'later';
      return error instanceof Error ? error.message : String(error);
    }
  }

  /** Runs the pending jobs as a worker does, each once. */
  async function runJobs(attempt = 1): Promise<number> {
    const jobs = await jobsOf();
    for (const { id, payload } of jobs) {
      await runJob(payload, attempt);
      await database.queries.deleteFrom('jobs').where('id', '=', id).execute();
    }
    await commitTo(database, tree);
    return jobs.length;
  }
  const body = (path = record) => tree.get(path)?.split('\n---\n')[1]?.trim();
  const assets = () => [...tree.keys()].filter((path) => path.includes('/assets/')).toSorted();

  it('are copied beside its file, which leads to them', async () => {
    files.set(urlOf('My%20Shot.gif'), png('1'));
    await mirror([urlOf('My%20Shot.gif')]);
    await runJobs();
    const [path = ''] = assets();
    expect(path).toMatch(/^tracker\/issues\/ENG\/assets\/ENG-1\/[\da-f]{16}-my-shot-[\da-f]{8}\.png$/);
    expect(tree.get(path)).toBe(png('1').toString());
    expect(body()).toBe(`![x](${path.slice('tracker/issues/ENG/'.length)})`);
  });

  it('are not fetched again for an edit, and are deleted with the last address that leads to them', async () => {
    files.set(urlOf('a'), png('same')).set(urlOf('a?2'), png('same'));
    await mirror([urlOf('a'), urlOf('a?2')]);
    expect(await runJobs()).toBe(2);
    expect(assets()).toHaveLength(1);
    await mirror([urlOf('a')], 'ENG-1', '2');
    expect([await runJobs(), assets().length]).toEqual([0, 1]);
    await mirror([], 'ENG-1', '3');
    expect([await runJobs(), assets().length]).toEqual([0, 0]);
  });

  it('move with it and are deleted with it', async () => {
    files.set(urlOf('a'), png('1'));
    await mirror([urlOf('a')]);
    await runJobs();
    await mirror([urlOf('a')], 'OPS-1');
    await runJobs();
    expect([...tree.keys()].every((path) => path.startsWith('tracker/issues/OPS/'))).toBe(true);
    expect(assets()).toHaveLength(1);
    await withStore(database, connection, (store) =>
      forgetEntities(store, [{ kind: 'issue', id: 'i' }], 'edit'),
    );
    await runJobs();
    expect(tree).toEqual(new Map());
  });

  it('leave the address and a note when one or all of them are too large, a page, or of a type that is not allowed', async () => {
    source = { ...source, allowTypes: ['image/*'] };
    const names = ['huge', 'first', 'second', 'page', 'text'];
    const sizes = [1_200, 900, 900];
    for (const [index, size] of sizes.entries()) files.set(urlOf(names[index] ?? ''), png('a'.repeat(size)));
    files.set(urlOf('page'), Buffer.from('<!doctype html>Log in')).set(urlOf('text'), Buffer.from('text'));
    await mirror(names.map(urlOf));
    await runJobs();
    const notes = [...tree].filter(([path]) => path.endsWith('.txt')).map(([, content]) => content);
    expect(notes).toHaveLength(4);
    for (const reason of ['larger than', 'run scripts', 'does not allow text/plain'])
      expect(notes.some((note) => note.includes(reason))).toBe(true);
    // An image that does not exist would show nothing: its place has a link to the note, with the reason.
    const links = body() ?? '';
    expect(links.match(/\[x\]\(assets\/ENG-1\/[\w-]+\.txt "not copied: [^"]+"\)/g)).toHaveLength(4);
    expect(links).toContain('"not copied: the configuration does not allow text/plain")');
    expect(links.match(/!\[x\]\(assets\/ENG-1\/[\w-]+\.png\)/g)).toHaveLength(1);
    expect(links).not.toContain('https://');
    expect(assets().filter((path) => path.endsWith('.png'))).toHaveLength(1);
  });

  it('that failed are fetched again after an edit, and the copy replaces the note', async () => {
    await mirror([urlOf('a')]);
    await runJobs();
    const [note = ''] = assets();
    expect(tree.get(note)).toBe(
      `This file was not copied: its host answered with HTTP 404.\nOriginal: ${urlOf('a')}\n`,
    );
    expect(body()).toContain('.txt "not copied: its host answered with HTTP 404")');
    files.set(urlOf('a'), png('1'));
    await mirror([urlOf('a')]);
    expect(await runJobs()).toBe(0);
    await mirror([urlOf('a')], 'ENG-1', '2');
    expect(await runJobs()).toBe(1);
    expect(assets()).toMatchObject([expect.stringMatching(/\.png$/)]);
    expect(body()).toMatch(/^!\[x\]\(assets\/[^ ]+\.png\)$/);
  });

  it('are tried again while their host does not answer, and later by a sweep', async () => {
    files.set(urlOf('a'), undefined);
    await mirror([urlOf('a')]);
    await expect(runJobs()).rejects.toThrow('No answer.');
    expect(await runJobs(mirrorAsset.maxAttempts)).toBe(1);
    expect(tree.get(assets()[0] ?? '')).toContain('its host did not answer');
    files.set(urlOf('a'), png('1'));
    await withStore(database, connection, (store) => resumeAssets(store));
    expect(await runJobs()).toBe(1);
    expect(assets()).toMatchObject([expect.stringMatching(/\.png$/)]);
  });

  it('of a host that did not answer in time wait without a request, and uploads do not', async () => {
    const hanging = ['1', '2', '3'].map((name) => `https://hanging.example/${name}`);
    const urls = [...hanging, 'https://other.example/4', urlOf('5')];
    for (const url of urls) files.set(url, png(url));
    await mirror(urls);
    const results = [];
    for (const { payload } of await jobsOf()) results.push(await outcomeOf(payload));
    expect(results.toSorted()).toEqual(['No answer.', 'done', 'done', 'later', 'later']);
    expect(asked.filter((url) => hanging.includes(url))).toHaveLength(1);
    now += 600_000;
    for (const { payload } of await jobsOf()) await outcomeOf(payload);
    expect(asked.filter((url) => hanging.includes(url))).toHaveLength(2);
    for (const url of hanging)
      source = { ...source, uploads: { ...source.uploads, origin: new URL(url).origin } };
    for (const { payload } of await jobsOf()) await outcomeOf(payload);
    expect(asked.filter((url) => hanging.includes(url))).toHaveLength(5);
  });

  it('are fetched after first clones', () => {
    expect(mirrorAsset.priority).toBeLessThan(repositoryClone.priority);
  });

  it('are ignored if the entity lost them while they were fetched', async () => {
    files.set(urlOf('a'), png('1'));
    await mirror([urlOf('a')]);
    source = {
      ...source,
      uploads: {
        ...source.uploads,
        accessToken: async () => {
          await mirror([], 'ENG-1', '2');
          return 'token';
        },
      },
    };
    await runJobs();
    expect(assets()).toEqual([]);
  });
});
