import { beforeAll, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../../test/support/database/databases.ts';
import { openTestHttp, type TestHttp } from '../../../../../test/support/http/http-server.ts';
import type { RepositoryRecord } from '../../../../features/repositories/repository-record.ts';
import type { Database } from '../../../../foundation/db/database.ts';

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

  it('adds a repository and returns all fields of its record', async () => {
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
      checkedAt: null,
      nextCheckAt: null,
      graphCommit: null,
      graphLeftOut: { counts: {}, examples: [] },
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

  it('accepts further branches, and shows the searchable and the skipped ones', async () => {
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

  it('refuses a second repository with the same source, and names the first', async () => {
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
  ])('refuses %j with a reason and adds nothing', async (payload) => {
    const before = (await http.call({ url: list })).body;
    const answer = await http.call({ method: 'POST', url: list, payload, as: 'admin' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'validation_failed', detail: expect.any(String) });
    expect(answer.body).not.toContain('hunter2');
    expect((await http.call({ url: list })).body).toBe(before);
  });

  it('lists page by page, oldest first, without duplicates', async () => {
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

  it('starts a sync and a removal with 202 and the current record', async () => {
    const { id } = await added('https://git.example/team/one');
    const sync = await http.call({ method: 'POST', url: `${list}/${id}/sync`, as: 'admin' });
    expect([sync.statusCode, sync.json<RepositoryRecord>().id]).toEqual([202, id]);
    const remove = await http.call({ method: 'DELETE', url: `${list}/${id}`, as: 'admin' });
    expect([remove.statusCode, remove.json<RepositoryRecord>().state]).toEqual([202, 'removing']);
    const refused = await http.call({ method: 'POST', url: `${list}/${id}/sync`, as: 'admin' });
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([409, 'conflict']);
  });

  it('fixes a failed repository: changes its source and branches, and syncs it', async () => {
    const { id } = await added('https://git.example/team/mistyped');
    const error = JSON.stringify({ code: 'not_found', message: 'It does not exist.' });
    await database.queries
      .updateTable('repositories')
      .set({ state: 'failed', error })
      .where('id', '=', id)
      .execute();
    await database.queries.deleteFrom('jobs').execute();
    const again = await add('https://git.example/team/corrected', { name: 'team/mistyped' });
    expect([again.statusCode, again.json<{ detail: string }>().detail]).toEqual([
      409,
      expect.stringContaining(
        'it failed. Change its source: "orgctx repo set team/mistyped --source https://git.example/team/corrected"',
      ),
    ]);
    const source = 'https://git.example/team/corrected';
    const payload = { source, branch: 'main', branches: ['release/*'] };
    const answer = await http.call({ method: 'PATCH', url: `${list}/${id}`, payload, as: 'admin' });
    expect([answer.statusCode, answer.json()]).toEqual([
      200,
      expect.objectContaining({ id, source, branch: 'main', furtherBranches: ['release/*'] }),
    ]);
    expect(answer.json()).toMatchObject({ name: 'team/mistyped', state: 'queued', error: null });
    const jobs = await database.queries.selectFrom('jobs').select('task').execute();
    expect(jobs).toEqual([{ task: 'repository-clone' }]);
    const unset = { method: 'PATCH', url: `${list}/${id}`, payload: { branch: null }, as: 'admin' } as const;
    expect((await http.call(unset)).json()).toMatchObject({
      source,
      branch: null,
      furtherBranches: ['release/*'],
    });
  });

  it.each([
    [{}, 400, 'validation_failed'],
    [{ source: 'https://user:hunter2@git.example/a' }, 400, 'validation_failed'],
    [{ source: '/etc' }, 400, 'validation_failed'],
    [{ branch: '--force' }, 400, 'validation_failed'],
    [{ name: '../x' }, 400, 'validation_failed'],
    [{ state: 'indexed' }, 400, 'validation_failed'],
    [{ source: 'https://git.example/team/taken', branch: null }, 409, 'repository_exists'],
  ])('refuses the change %j and changes nothing', async (payload, status, code) => {
    await add('https://git.example/team/taken');
    await add('https://git.example/team/four');
    const { items } = (await http.call({ url: `${list}?limit=200` })).json<{ items: RepositoryRecord[] }>();
    const record = items.find(({ name }) => name === 'team/four');
    const url = `${list}/${record?.id}`;
    const answer = await http.call({ method: 'PATCH', url, payload, as: 'admin' });
    expect([answer.statusCode, answer.json<{ code: string }>().code]).toEqual([status, code]);
    expect(answer.body).not.toContain('hunter2');
    expect((await http.call({ url })).json()).toEqual(record);
  });

  it('refuses a change by a member, and of a repository that is being removed', async () => {
    const { id } = await added('https://git.example/team/five');
    const change = { method: 'PATCH', url: `${list}/${id}`, payload: { branch: 'main' } } as const;
    expect((await http.call({ ...change, as: 'member' })).statusCode).toBe(403);
    await http.call({ method: 'DELETE', url: `${list}/${id}`, as: 'admin' });
    expect((await http.call({ ...change, as: 'admin' })).statusCode).toBe(409);
  });

  it('accepts a request without a body that declares JSON', async () => {
    const { id } = await added('https://git.example/team/two');
    const headers = { 'content-type': 'application/json' };
    const answer = await http.call({ method: 'POST', url: `${list}/${id}/sync`, headers, as: 'admin' });
    expect(answer.statusCode).toBe(202);
  });

  it('responds identically for an unknown id, one of another organization, and an invalid one', async () => {
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
        { url, method: 'PATCH' as const, payload: { branch: 'main' } },
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
