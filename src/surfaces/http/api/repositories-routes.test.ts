import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/databases.ts';
import { openTestHttp, type TestHttp } from '../../../../test/support/http-server.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { RepositoryRecord } from './repository-record.ts';

const list = '/acme/api/v1/repositories';

describeEachDatabase('REST: repositories', (open) => {
  let database: Database;
  let http: TestHttp;

  beforeAll(async () => {
    database = await open();
    http = await openTestHttp(database);
  });

  const add = (source: string, more = {}) =>
    http.call({ method: 'POST', url: list, payload: { source, ...more }, as: 'admin' });
  const added = async (source: string): Promise<RepositoryRecord> => (await add(source)).json();

  it('adds one, and shows it with everything a record has', async () => {
    const answer = await add('https://git.example/team/shop.git', { branch: 'main', name: null });
    expect(answer.statusCode).toBe(201);
    expect(answer.headers['cache-control']).toBe('no-store');
    const record = answer.json<RepositoryRecord>();
    expect(record).toEqual({
      id: expect.any(String),
      name: expect.stringContaining('shop'),
      source: expect.stringContaining('https://git.example/team/shop'),
      branch: 'main',
      state: 'queued',
      stateChangedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      progress: null,
      indexedCommit: null,
      furtherBranches: [],
      branches: [],
      indexedAt: null,
      graphCommit: null,
      files: 0,
      bytes: 0,
      skipped: {},
      error: null,
      githostConnectionId: null,
    });
    expect((await http.call({ url: `${list}/${record.id}` })).json()).toEqual(record);
    const jobs = await database.queries.selectFrom('jobs').select('payload').execute();
    expect(jobs.filter(({ payload }) => payload.includes(record.id))).toHaveLength(1);
  });

  it('takes further branches, and shows which are searchable and what is not', async () => {
    const further = ['release/*', 'dev'];
    const { id, ...record } = (
      await add('https://git.example/team/branches', { branches: [...further, 'dev'] })
    ).json<RepositoryRecord>();
    expect(record).toMatchObject({ furtherBranches: further, branches: [], skipped: {} });
    const branches = [{ name: 'main', commit: 'a'.repeat(40) }];
    await database.queries
      .updateTable('repositories')
      .set({
        indexed_branches: JSON.stringify(branches),
        skipped: '{"binary":2}',
        left_out_branches: '{"branch_not_found":1}',
      })
      .where('id', '=', id)
      .execute();
    expect((await http.call({ url: `${list}/${id}` })).json()).toMatchObject({
      branches,
      skipped: { binary: 2, branch_not_found: 1 },
    });
  });

  it('refuses a second one of the same source, naming the first', async () => {
    await add('https://git.example/team/cart');
    const answer = await add('https://git.example/team/cart');
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({
      code: 'repository_exists',
      detail: expect.stringContaining('cart'),
    });
  });

  it.each([
    { source: '' },
    { source: 7 },
    { source: ['https://git.example/a'] },
    { source: 'ext::sh -c id' },
    { source: 'https://user:hunter2@git.example/a' },
    { source: '--upload-pack=touch /tmp/x' },
    { source: 'https://git.example/a\u0000b' },
    { source: 'https://git.example/a', branch: '--force' },
    { source: 'https://git.example/a', name: 'a\u0000b' },
    { source: 'https://git.example/a', githostConnectionId: 'none' },
    { source: 'https://git.example/a', brunch: 'main' },
    { source: '/etc' },
    {},
    [],
  ])('refuses %j with a reason, and adds nothing', async (payload) => {
    const before = (await http.call({ url: list })).body;
    const answer = await http.call({ method: 'POST', url: list, payload, as: 'admin' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'validation_failed', detail: expect.any(String) });
    expect(answer.body).not.toContain('hunter2');
    expect((await http.call({ url: list })).body).toBe(before);
  });

  it('lists page by page, oldest first, each once', async () => {
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push((await added(`https://git.example/x/${name}`)).id);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await http.call({ url: `${list}?limit=2${cursor && `&cursor=${cursor}`}` });
      const body = page.json<{ items: RepositoryRecord[]; nextCursor: string | null }>();
      expect(body.items.length).toBeLessThanOrEqual(2);
      seen.push(...body.items.map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(seen.slice(-ids.length)).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it.each(['limit=0', 'limit=201', 'limit=x', 'limit=1&limit=2', 'limit=1.5', 'cursor=nonsense', 'cursor='])(
    'refuses the page %s',
    async (query) => {
      const answer = await http.call({ url: `${list}?${query}` });
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ code: 'validation_failed', errors: [expect.anything()] });
    },
  );

  it('starts a sync and a removal with 202 and the record as it is then', async () => {
    const { id } = await added('https://git.example/team/one');
    const sync = await http.call({ method: 'POST', url: `${list}/${id}/sync`, as: 'admin' });
    expect([sync.statusCode, sync.json<RepositoryRecord>().id]).toEqual([202, id]);
    const remove = await http.call({ method: 'DELETE', url: `${list}/${id}`, as: 'admin' });
    expect([remove.statusCode, remove.json<RepositoryRecord>().state]).toEqual([202, 'removing']);
    const late = await http.call({ method: 'POST', url: `${list}/${id}/sync`, as: 'admin' });
    expect([late.statusCode, late.json<{ code: string }>().code]).toEqual([409, 'conflict']);
  });

  it('takes a body-less call that says it is JSON', async () => {
    const { id } = await added('https://git.example/team/two');
    const headers = { 'content-type': 'application/json' };
    const answer = await http.call({ method: 'POST', url: `${list}/${id}/sync`, headers, as: 'admin' });
    expect(answer.statusCode).toBe(202);
  });

  it('answers alike for an id that nobody has, one of another organization, and none at all', async () => {
    const { id } = await added('https://git.example/team/three');
    const unknown = '01960000-0000-7000-8000-000000000000';
    const foreign = `/globex/api/v1/repositories/${id}`;
    const cases = [
      { url: foreign, as: 'gil' as const },
      ...[unknown, 'x', '%00', '..%2f..%2fetc%2fpasswd', "'%20or%201=1"].map((bad) => ({
        url: `${list}/${bad}`,
        as: 'owner' as const,
      })),
    ];
    for (const { url, as } of cases) {
      for (const request of [
        { url },
        { url, method: 'DELETE' as const },
        { url: `${url}/sync`, method: 'POST' as const },
        { url: `${url}/tree` },
        { url: `${url}/file?path=a` },
      ]) {
        const answer = await http.call({ ...request, as });
        expect([request, answer.statusCode, answer.json<{ code: string }>().code]).toEqual([
          request,
          404,
          'not_found',
        ]);
      }
    }
    expect((await http.call({ url: `${list}/${id}` })).json<RepositoryRecord>().state).toBe('queued');
  });
});
