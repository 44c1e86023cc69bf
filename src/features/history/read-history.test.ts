import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedOrganization, seedRepository } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import { createRepository, type TestRepository } from '../../../test/support/git/git-repository.ts';
import { openGitSourceReader } from '../../backends/codesearch/git/git-source-reader.ts';
import type { Database } from '../../foundation/db/database.ts';
import type { HistoryInput } from './history-request.ts';
import { type CommitInput, readCommitPage } from './read-commit.ts';
import { readHistory } from './read-history.ts';

const never = new AbortController().signal;

function createApi(): { readonly source: TestRepository; readonly ids: Readonly<Record<string, string>> } {
  const source = createRepository({ 'src/old.ts': 'one\ntwo\nthree\n', 'docs/a.md': 'a\n' });
  const start = source.git('rev-parse', 'HEAD');
  source.git('mv', 'src/old.ts', 'src/new.ts');
  const rename = source.commit({}, 'Rename the file (#12)');
  const fix = source.commit(
    { 'src/new.ts': 'one\nTWO\nthree\n' },
    'Fix the default\n\nFixes ENG-7. Uses UTF-8.',
  );
  source.git('rm', '--quiet', 'docs/a.md');
  const removal = source.commit({}, 'Remove the docs');
  return { source, ids: { start, rename, fix, removal } };
}

async function openWorld(database: Database) {
  const ours = await seedOrganization(database, 'ours');
  const theirs = await seedOrganization(database, 'theirs');
  const { source, ids } = createApi();
  const web = createRepository({ 'index.html': '<p>' });
  const lost = web.commit({ 'index.html': 'lost' }, 'Lost');
  web.git('reset', '--quiet', '--hard', 'HEAD~1');
  const heads = new Map<string, { readonly owner: string; readonly commit: string; readonly dir: string }>();
  const add = async (scope: typeof ours, name: string, { folder, git }: TestRepository) => {
    const commit = git('rev-parse', 'HEAD');
    const id = await seedRepository(database, scope, { name, indexedCommit: commit });
    heads.set(id, { owner: scope.organizationId, commit, dir: join(folder, '.git') });
    return id;
  };
  const api = await add(ours, 'api', source);
  await add(ours, 'web', web);
  const shallow = createRepository();
  shallow.git('fetch', '--quiet', '--depth=1', `file://${source.folder}`, 'main');
  shallow.git('reset', '--quiet', '--hard', 'FETCH_HEAD');
  const third = await seedOrganization(database, 'third');
  await add(third, 'shallow', shallow);
  await seedRepository(database, ours, { name: 'new', state: 'cloning' });
  await add(theirs, 'secret', createRepository({ 'secret.ts': 'x' }));
  const sources = openGitSourceReader({
    mirrorDir: (_scope, id) => heads.get(id)?.dir ?? '',
    indexedCommit: async ({ organizationId }, id) => {
      const head = heads.get(id);
      return head?.owner === organizationId ? head.commit : undefined;
    },
  });
  const deps = { sources, queries: database.queries };
  return {
    ids,
    lost,
    api,
    heads,
    history: (input: HistoryInput) => readHistory(deps, ours, input, never),
    ofShallow: (input: HistoryInput) => readHistory(deps, third, input, never),
    show: (input: CommitInput) => readCommitPage(deps, ours, input, never),
    foreign: (input: CommitInput) => readCommitPage(deps, theirs, input, never),
    close: () => sources.close(),
  };
}

describeEachDatabase('the history of an organization', (open) => {
  let here: Awaited<ReturnType<typeof openWorld>>;
  beforeAll(async () => {
    here = await openWorld(await open());
  });
  afterAll(() => here?.close());
  const subjects = async (input: HistoryInput) =>
    (await here.history(input)).items.map(({ subject }) => subject);

  it('lists a file through its rename, a folder, a repository, and lines by an address', async () => {
    const file = ['Fix the default', 'Rename the file (#12)', 'Start'];
    expect(await subjects({ address: 'api/src/new.ts' })).toEqual(file);
    expect(await subjects({ repository: 'api', path: '/src/new.ts' })).toEqual(file);
    expect(await subjects({ repository: here.api, path: 'src' })).toEqual(file);
    expect(await subjects({ path: 'api/src/new.ts:2' })).toEqual(['Fix the default', 'Start']);
    expect(await subjects({ repository: 'api', path: 'src/new.ts', lines: '2' })).toEqual([
      'Fix the default',
      'Start',
    ]);
    expect(await subjects({ address: 'api/src/new.ts', lines: '2' })).toEqual(['Fix the default', 'Start']);
    expect(await subjects({ path: 'api/src/new.ts', lines: '2-999' })).toEqual(['Fix the default', 'Start']);
    expect(await subjects({ address: 'api' })).toEqual(['Remove the docs', ...file]);
    expect(await subjects({ address: `api@${here.ids['fix']?.slice(0, 9)}` })).toEqual(file);
    expect(await subjects({ address: 'api/src/new.ts:2' })).toEqual(['Fix the default', 'Start']);
    expect(await subjects({ address: 'api/src/new.ts:2-999' })).toEqual(['Fix the default', 'Start']);
    expect(await subjects({ address: `api/src/old.ts@${here.ids['start']?.slice(0, 9)}` })).toEqual([
      'Start',
    ]);
    expect(await subjects({ address: 'ctx://repo/api/file/src/new.ts#L2-L2' })).toEqual([
      'Fix the default',
      'Start',
    ]);
  });

  it('lists the commits that added or removed a text, also one that no file has any more', async () => {
    expect(await subjects({ repository: 'api', text: 'two' })).toEqual(['Fix the default', 'Start']);
    expect(await subjects({ address: 'api/src/new.ts', text: 'two' })).toEqual(['Fix the default', 'Start']);
    expect(await subjects({ address: 'api/docs', text: 'a' })).toEqual(['Remove the docs', 'Start']);
    expect(await subjects({ repository: 'api', text: '--all' })).toEqual([]);
    expect(await subjects({ repository: 'api', text: 'three' })).toEqual(['Start']);
  });

  it('says that older commits are missing if the source was a shallow clone', async () => {
    const notice = ['The copy of `shallow` lacks older commits, as its source does.'];
    const ofText = { repository: 'shallow', text: 'three' };
    expect(await here.ofShallow(ofText)).toMatchObject({
      items: [{ subject: 'Remove the docs' }],
      notices: notice,
    });
    expect(await here.ofShallow({ ...ofText, limit: 1 })).toMatchObject({ notices: notice });
    expect(await here.ofShallow({ ...ofText, since: '2020-01-01' })).toMatchObject({ notices: [] });
    const ofAll = ['The copies of shallow lack older commits, as their sources do.'];
    expect(await here.ofShallow({})).toMatchObject({ notices: ofAll });
    expect(await here.ofShallow({ since: '2020-01-01' })).toMatchObject({ notices: [] });
    expect(await here.history({ address: 'api/src/new.ts', text: 'three' })).toMatchObject({ notices: [] });
  });

  it('says who, when, what, which pull request and which issues', async () => {
    const { items, nextCursor, incomplete, notices } = await here.history({ address: 'api/src/new.ts' });
    expect({ nextCursor, incomplete, notices }).toEqual({ nextCursor: null, incomplete: false, notices: [] });
    expect(items[0]).toEqual({
      commit: here.ids['fix'],
      repository: 'api',
      date: expect.stringMatching(/^20\d\d-\d\d-\d\dT[\d:]+Z$/),
      author: 'Test',
      subject: 'Fix the default',
      issues: ['ENG-7'],
      files: { total: 1, first: ['src/new.ts'] },
    });
    expect(items[1]).toMatchObject({
      pullRequest: 12,
      renamedFrom: 'src/old.ts',
      files: { total: 2, first: ['src/new.ts', 'src/old.ts'] },
    });
  });

  it('says where a path went that is gone, and names the nearest folder for one that never was', async () => {
    const renamed = await here.history({ address: 'api/src/old.ts' });
    expect(renamed.items.map(({ subject }) => subject)).toEqual(['Rename the file (#12)', 'Start']);
    expect(renamed.notices).toEqual([
      expect.stringMatching(/was renamed by commit .* that of api\/src\/new\.ts$/),
    ]);
    const removed = await here.history({ address: 'api/docs/a.md' });
    expect(removed.notices).toEqual([
      expect.stringMatching(/`docs\/a\.md` no longer exists: it was removed/),
    ]);
    for (const input of [{}, { author: 'test' }])
      await expect(here.history({ address: 'api/src/never.ts', ...input })).rejects.toMatchObject({
        status: 404,
        message: expect.stringContaining('the nearest folder is `src`'),
      });
    expect(await subjects({ address: 'api/src/new.ts', author: 'nobody' })).toEqual([]);
  });

  it('finds commits of all repositories by words, author and time', async () => {
    expect(await subjects({ query: 'fix DEFAULT' })).toEqual(['Fix the default']);
    expect(await subjects({ author: 'TEST@' })).toHaveLength(5);
    expect(await subjects({ since: '2099-01-01' })).toEqual([]);
    const today = new Date().toISOString();
    expect(await subjects({ since: '2020-01-01', until: today.slice(0, 10) })).toHaveLength(5);
    expect(await subjects({ until: '2020-01-01T00:00:00+02:00' })).toEqual([]);
    expect((await here.history({ query: 'fix' })).items[0]?.files).toEqual({
      total: 1,
      first: ['src/new.ts'],
    });
  });

  it('pages without a gap, and refuses a cursor of another request', async () => {
    for (const input of [{}, { repository: 'api' }]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await here.history({ ...input, limit: 2, ...(cursor === undefined ? {} : { cursor }) });
        seen.push(...page.items.map(({ commit }) => commit));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual((await here.history(input)).items.map(({ commit }) => commit));
    }
    const { nextCursor } = await here.history({ limit: 2 });
    const cursor = nextCursor ?? '';
    for (const other of [{ repository: 'api' }, { query: 'fix' }, { since: '2020-01-01' }])
      await expect(here.history({ cursor, ...other })).rejects.toMatchObject({ status: 400 });
  });

  it.each([
    [{ address: 'ap/src/new.ts' }, 400, 'did you mean `api/src/new.ts`?'],
    [{ address: 'secret/secret.ts' }, 400, 'names no file of a repository here'],
    [{ repository: 'secret' }, 404, 'There is no repository `secret` here'],
    [{ repository: 'new' }, 404, 'is not readable yet (cloning)'],
    [{ address: 'new/a.ts' }, 404, 'is not readable yet (cloning)'],
    [
      { path: 'src/new.ts' },
      400,
      'names no file of a repository here: `src/new.ts`; did you mean `api/src/new.ts`?',
    ],
    [{ address: 'api/src/new.ts', path: 'x' }, 400, 'already names'],
    [{ repository: 'api', lines: '2' }, 400, 'needs a path'],
    [{ path: 'api', lines: '2' }, 400, 'needs a path'],
    [{ repository: 'api', path: '/', lines: '2' }, 400, 'needs a path'],
    [{ path: 'api/src/new.ts:2', lines: '1' }, 400, 'already in the address'],
    [{ repository: 'api', path: 'src/new.ts:2' }, 404, 'pass `src/new.ts` as the path and `2` as the lines'],
    [{ address: 'api/src/new.ts:90' }, 400, 'the file has 3 lines'],
    [{ address: 'api/src/gone.ts:1' }, 404, 'the nearest folder is `src`'],
    [{ address: `api/src/new.ts@${'1'.repeat(40)}` }, 404, 'is not in `api`'],
    [{ address: `api@${'1'.repeat(40)}` }, 404, 'is not in `api`'],
    [{ address: 'api/../x' }, 400, '`..`'],
    [{ query: ' ' }, 400, 'must have a word'],
    [{ query: 'a\u0000b' }, 400, 'control character'],
    [{ author: 'a\nb' }, 400, 'control character'],
    [{ repository: 'api', text: 'a\nb' }, 400, 'control character'],
    [{ text: 'two' }, 400, 'name one'],
    [{ address: 'api/src/new.ts:2', text: 'two' }, 400, 'name one'],
    [{ query: 'w '.repeat(11) }, 400, 'at most 10 words'],
    [{ since: 'yesterday' }, 400, '`2026-11-21`'],
    [{ since: '2026-02-30' }, 400, '`2026-11-21`'],
    [{ until: '2026-02-31T00:00:00Z' }, 400, '`2026-11-21`'],
    [{ since: '2026-04-31T23:30:00-05:00' }, 400, '`2026-11-21`'],
    [{ address: 'api:10' }, 400, 'names no file'],
    [{ since: '2026-02-03', until: '2026-02-02' }, 400, 'must not be after'],
    [{ limit: 0 }, 400, 'from 1 to 200'],
  ] as const)('refuses %j', async (input, status, message) => {
    await expect(here.history(input)).rejects.toMatchObject({
      status,
      message: expect.stringContaining(message) as string,
    });
  });

  it('shows a commit with its message, files and difference, in pages', async () => {
    const commit = here.ids['fix'] ?? '';
    const shown = await here.show({ repository: 'api', commit: commit.slice(0, 8).toUpperCase() });
    expect(shown).toMatchObject({
      commit,
      repository: 'api',
      author: 'Test',
      committer: 'Test',
      message: 'Fix the default\n\nFixes ENG-7. Uses UTF-8.',
      parents: [here.ids['rename']],
      issues: ['ENG-7'],
      files: { total: 1, items: [{ path: 'src/new.ts', status: 'changed', added: 1, removed: 1 }] },
      nextCursor: null,
      notices: [],
    });
    expect(shown.diff).toMatch(/-two\n\+TWO/);
    const renamed = await here.show({
      repository: 'api',
      commit: here.ids['rename'] ?? '',
      path: 'src/new.ts',
    });
    expect(renamed.files.items).toEqual([
      { path: 'src/new.ts', renamedFrom: 'src/old.ts', status: 'renamed', added: 0, removed: 0 },
    ]);
    expect(renamed.diff).toContain('rename from src/old.ts');
    const elsewhere = await here.show({
      repository: 'api',
      commit,
      path: 'src/new.ts',
      lines: { first: 90, last: 95 },
    });
    expect(elsewhere.notices).toEqual([expect.stringContaining('No change touches lines 90-95')]);
    await expect(
      here.show({
        repository: 'api',
        commit,
        cursor: Buffer.from(`9.${'0'.repeat(16)}`).toString('base64url'),
      }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('finds no commit that no followed branch reaches, nor one of another organization', async () => {
    const asked = [
      { repository: 'web', commit: here.lost },
      { repository: 'web', commit: here.lost.slice(0, 9) },
      { repository: 'web', commit: here.ids['fix'] ?? '' },
      { repository: 'api', commit: 'a'.repeat(40) },
    ];
    for (const input of asked)
      await expect(here.show(input)).rejects.toMatchObject({
        status: 404,
        message: expect.stringMatching(/No followed branch of `\w+` has a commit .* or sync it\.$/) as string,
      });
    await expect(here.foreign({ repository: here.api, commit: here.ids['fix'] ?? '' })).rejects.toMatchObject(
      {
        status: 404,
        message: expect.stringContaining('There is no repository') as string,
      },
    );
    for (const [input, message] of [
      [{ commit: 'HEAD' }, '7 to 64 hexadecimal digits'],
      [{ commit: here.ids['fix'] ?? '', lines: { first: 1, last: 1 } }, 'need the `path`'],
      [{ commit: here.ids['fix'] ?? '', path: 'docs' }, 'did not change `docs`; it changed `src/new.ts`.'],
      [{ commit: here.ids['fix'] ?? '', bytes: 1 }, 'from 500 to'],
    ] as const)
      await expect(here.show({ repository: 'api', ...input })).rejects.toMatchObject({
        message: expect.stringContaining(message) as string,
      });
  });

  it('shows the other repositories if the copy of one is damaged', async () => {
    const head = here.heads.get(here.api);
    if (head === undefined) throw new Error('The repository is missing.');
    here.heads.set(here.api, { ...head, commit: '1'.repeat(40) });
    try {
      const page = await here.history({});
      expect(page).toMatchObject({
        incomplete: true,
        notices: [expect.stringContaining('The history of api cannot be read now')],
      });
      expect(page.items.map(({ repository }) => repository)).toEqual(['web']);
    } finally {
      here.heads.set(here.api, head);
    }
  });
});
