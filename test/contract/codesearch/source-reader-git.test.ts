import { chmod, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openGitSourceReader } from '../../../src/backends/codesearch/git/git-source-reader.ts';
import type { SourceReader } from '../../../src/backends/codesearch/port.ts';
import { mirrorPath } from '../../../src/features/repositories/indexing/mirror-path.ts';
import { newId, type OrganizationId, type RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import type { DataScope } from '../../../src/foundation/kernel/org-scope.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { createSourceRepository } from '../../support/git/source-repository.ts';
import { recordProcesses } from '../../support/git/started-processes.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { describeSourceReader, type SourceReaderWorld } from './source-reader.ts';

const dataDir = temporaryFolder();
const scope = { organizationId: newId<OrganizationId>(), orgSlug: 'ours' };
const foreignScope = { organizationId: newId<OrganizationId>(), orgSlug: 'theirs' };
const repository = newId<RepositoryId>();
let world: SourceReaderWorld;

beforeAll(() => {
  const { source, first, indexed } = createSourceRepository();
  source.git('clone', '--quiet', '--bare', source.folder, mirrorPath(dataDir, scope, repository));
  const reader = openGitSourceReader({
    mirrorDir: (owner, id) => mirrorPath(dataDir, owner, id),
    indexedCommit: async (owner, id) =>
      owner.organizationId === scope.organizationId && id === repository ? indexed : undefined,
  });
  world = { reader, scope, foreignScope, repository, first, indexed };
});

describeSourceReader('bare mirrors', async () => world);

it('finds no repository whose mirror is gone', async () => {
  const reader = openGitSourceReader({
    mirrorDir: () => join(dataDir, 'gone.git'),
    indexedCommit: async () => world.indexed,
  });
  const signal = new AbortController().signal;
  expect(await reader.readFile(scope, { repository, path: 'src/a.ts' }, signal)).toBeUndefined();
});

it('limits concurrent look-ups in total and per organization', async () => {
  const [running, max] = [new Map<string, number>(), new Map<string, number>()];
  const count = (who: string, by: 1 | -1): void => {
    running.set(who, (running.get(who) ?? 0) + by);
    max.set(who, Math.max(max.get(who) ?? 0, running.get(who) ?? 0));
  };
  const reader = openGitSourceReader({
    mirrorDir: () => join(dataDir, 'gone.git'),
    indexedCommit: async ({ organizationId }) => {
      for (const who of [organizationId, 'all']) count(who, 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (const who of [organizationId, 'all']) count(who, -1);
      return undefined;
    },
  });
  const { signal } = new AbortController();
  const request = { repository, path: 'src/a.ts' };
  const scopes = Array.from({ length: 6 }, () => ({ ...scope, organizationId: newId<OrganizationId>() }));
  await Promise.all(
    scopes.flatMap((asking) =>
      Array.from({ length: 10 }, () => [
        reader.readFile(asking, request, signal),
        reader.listTree(asking, request, signal),
      ]).flat(),
    ),
  );
  expect(max.get('all')).toBe(16);
  for (const { organizationId } of scopes) expect(max.get(organizationId)).toBeLessThanOrEqual(4);
});

it('leaves a look-up of the organization to other callers than one whose look-ups are slow', async () => {
  const slow = Promise.withResolvers<undefined>();
  const reader = openGitSourceReader({
    mirrorDir: () => join(dataDir, 'gone.git'),
    indexedCommit: ({ callerId }: DataScope) =>
      callerId === 'ada' ? slow.promise : Promise.resolve(undefined),
  });
  const { signal } = new AbortController();
  const list = (callerId: string) =>
    reader.listTree({ ...scope, callerId }, { repository, path: '' }, signal);
  const waiting = Array.from({ length: 20 }, () => list('ada'));
  expect(await list('grace')).toBeUndefined();
  slow.resolve(undefined);
  await Promise.all(waiting);
});

it('looks a commit up once for up to 64 files that are asked for at once with one scope', async () => {
  let lookUps = 0;
  const reader = openGitSourceReader({
    mirrorDir: (owner, id) => mirrorPath(dataDir, owner, id),
    indexedCommit: async () => {
      lookUps += 1;
      return world.indexed;
    },
  });
  const { signal } = new AbortController();
  const stopped = new AbortController();
  const read = (path: string) => reader.readFile(scope, { repository, path }, signal);
  const paths = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? 'src/a.ts' : `${index}.ts`));
  const aborted = reader.readFile(scope, { repository, path: 'src/a.ts' }, stopped.signal);
  const files = Promise.all(paths.map(read));
  stopped.abort(new Error('gone'));
  await expect(aborted).rejects.toThrow('gone');
  expect((await files).map((file) => file?.path)).toEqual(
    paths.map((path) => (path === 'src/a.ts' ? path : undefined)),
  );
  expect(lookUps).toBe(2);
  await reader.readFile({ ...scope }, { repository, path: 'src/a.ts' }, signal);
  expect(lookUps).toBe(3);
  await reader.close();
});

it('gives the slot of a look-up back when all who waited for it are gone', async () => {
  const asked: RepositoryId[] = [];
  const held = Promise.withResolvers<undefined>();
  const slow = newId<RepositoryId>();
  const reader = openGitSourceReader({
    mirrorDir: () => join(dataDir, 'gone.git'),
    indexedCommit: (_, id) => {
      asked.push(id);
      return id === slow ? held.promise : Promise.resolve(undefined);
    },
  });
  const stopped = new AbortController();
  const gone = Array.from({ length: 8 }, () =>
    reader.readFile({ ...scope }, { repository: slow, path: 'a.ts' }, stopped.signal),
  );
  await expect.poll(() => asked.length).toBe(3);
  stopped.abort(new Error('gone'));
  await Promise.allSettled(gone);
  held.resolve(undefined);
  const { signal } = new AbortController();
  expect(await reader.readFile(scope, { repository, path: 'src/a.ts' }, signal)).toBeUndefined();
  // The five that waited for a slot never began.
  expect(asked).toEqual([slow, slow, slow, repository]);
});

it('reads files while an organization searches histories for texts', async () => {
  const held = Promise.withResolvers<undefined>();
  const asked: RepositoryId[] = [];
  const searched = newId<RepositoryId>();
  const reader = openGitSourceReader({
    mirrorDir: () => join(dataDir, 'gone.git'),
    indexedCommit: (_, id) => {
      asked.push(id);
      return id === searched ? held.promise : Promise.resolve(undefined);
    },
  });
  const { signal } = new AbortController();
  const request = { repository: searched, text: 'a', skip: 0, max: 1, files: false };
  const searches = Array.from({ length: 10 }, () => reader.readHistory(scope, request, signal));
  expect(await reader.readFile(scope, { repository, path: 'src/a.ts' }, signal)).toBeUndefined();
  expect(asked.filter((id) => id === searched)).toHaveLength(2);
  held.resolve(undefined);
  await Promise.all(searches);
  expect(asked).toHaveLength(11);
});

it('reports the next step when look-ups time out, including those that waited for a slot', async () => {
  const held = Promise.withResolvers<undefined>();
  const reader = openGitSourceReader(
    { mirrorDir: () => join(dataDir, 'gone.git'), indexedCommit: () => held.promise },
    50,
  );
  const { signal } = new AbortController();
  const listings = Array.from({ length: 4 }, () => reader.listTree(scope, { repository, path: '' }, signal));
  await expect(listings.at(-1)).rejects.toMatchObject({
    status: 503,
    code: 'lookup_timed_out',
    retryAfter: 5,
    message: expect.stringContaining('Retry in a moment') as string,
  });
  held.resolve(undefined);
  expect(await Promise.all(listings.slice(0, 3))).toEqual([undefined, undefined, undefined]);
});

it('reads only commits that the index or a followed branch reaches', async () => {
  const source = createRepository({ 'a.ts': 'first' });
  const first = source.git('rev-parse', 'HEAD');
  const lost = source.commit({ 'a.ts': 'lost' });
  const mirror = join(temporaryFolder(), 'mirror.git');
  source.git('clone', '--quiet', '--bare', source.folder, mirror);
  source.git('reset', '--quiet', '--hard', first);
  const indexed = source.commit({ 'a.ts': 'kept' });
  source.git('checkout', '--quiet', '-b', 'release', first);
  const released = source.commit({ 'a.ts': 'released' });
  source.git(
    'push',
    '--quiet',
    mirror,
    `${indexed}:refs/orgctx/source`,
    `${released}:refs/orgctx/branches/1`,
  );
  const reader = openGitSourceReader({ mirrorDir: () => mirror, indexedCommit: async () => indexed });
  const { signal } = new AbortController();
  const request = { repository, path: 'a.ts' };
  for (const commit of [first, first.slice(0, 8), released]) {
    const file = await reader.readFile(scope, { ...request, commit }, signal);
    expect([commit, file?.commit]).toEqual([commit, expect.stringContaining(commit) as string]);
  }
  // The branch of the mirror that still has it is not followed, as after a force push.
  const page = { skip: 0, max: 10, files: true };
  const diff = { repository, commit: lost, offset: 0, maxBytes: 1_000 };
  for (const commit of [lost, lost.slice(0, 9)]) {
    expect(await reader.readFile(scope, { ...request, commit }, signal)).toBeUndefined();
    expect(await reader.listTree(scope, { ...request, path: '', commit }, signal)).toBeUndefined();
    expect(await reader.readHistory(scope, { repository, commit, ...page }, signal)).toBeUndefined();
    expect(await reader.readDiff(scope, { ...diff, commit }, signal)).toBeUndefined();
  }
  source.git('push', '--quiet', mirror, `${lost}:refs/orgctx/branches/2`);
  expect(await reader.readFile(scope, { ...request, commit: lost }, signal)).toMatchObject({
    content: 'lost',
  });
  await reader.close();
});

describe('the Git processes of a reader', () => {
  const { signal } = new AbortController();
  let mirror: string;
  let commit: string;
  let source: TestRepository;
  beforeEach(() => {
    source = createRepository(
      Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`src/${index}.ts`, `one line ${index}`])),
    );
    mirror = join(temporaryFolder(), 'mirror.git');
    source.git('clone', '--quiet', '--mirror', source.folder, mirror);
    commit = source.git('rev-parse', 'HEAD');
  });
  const open = () => openGitSourceReader({ mirrorDir: () => mirror, indexedCommit: async () => commit });
  const readAll = (reader: SourceReader, at?: string) =>
    Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        reader.readFile(
          scope,
          { repository, path: `src/${index}.ts`, ...(at === undefined ? {} : { commit: at }) },
          signal,
        ),
      ),
    );

  it('are one for all files of a mirror, also of other commits', async () => {
    const reader = open();
    using processes = recordProcesses();
    const files = await readAll(reader);
    expect(files.map((file) => file?.content)).toContain('one line 39');
    await readAll(reader, commit.slice(0, 9));
    await reader.close();
    expect(processes.count).toBe(1);
  });

  it('find what a fetch or a clone in place of the mirror brought', async () => {
    const reader = open();
    await readAll(reader);
    commit = source.commit({ 'src/1.ts': 'fetched' });
    source.git('push', '--quiet', '--mirror', mirror);
    expect((await readAll(reader))[1]?.content).toBe('fetched');
    commit = source.commit({ 'src/1.ts': 'cloned' });
    await rm(mirror, { recursive: true });
    source.git('clone', '--quiet', '--mirror', source.folder, mirror);
    expect((await readAll(reader))[1]?.content).toBe('cloned');
    await reader.close();
  });

  it('fail for a damaged file alone, however many others are read', async () => {
    const blob = source.git('rev-parse', 'HEAD:src/7.ts');
    await rm(join(mirror, 'objects'), { recursive: true });
    await cp(join(source.folder, '.git/objects'), join(mirror, 'objects'), { recursive: true });
    const file = join(mirror, 'objects', blob.slice(0, 2), blob.slice(2));
    await chmod(file, 0o600);
    await writeFile(file, (await readFile(file)).subarray(0, 12));
    const reader = open();
    using processes = recordProcesses();
    const results = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        reader.readFile(scope, { repository, path: `src/${index}.ts` }, signal),
      ),
    );
    await reader.close();
    // Two that failed with all files and two with the damaged one, and those between and after them.
    expect(processes.count).toBeLessThan(8);
    expect(results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([7]);
  });

  it('are not confused by names that look like responses', async () => {
    const names = ['a blob 3', 'a\nblob 3', 'a\r', 'a', ' a', 'a missing', 'größe'];
    commit = source.commit(Object.fromEntries(names.map((name) => [name, `content of ${name}\n`])));
    source.git('push', '--quiet', '--mirror', mirror);
    const reader = open();
    const asked = [...names, 'b blob 3', 'b\nblob 3', 'b\r', `${'0'.repeat(40)} blob 3`];
    const read = await Promise.all(
      [...asked, ...asked].map((path) => reader.readFile(scope, { repository, path }, signal)),
    );
    await reader.close();
    const expected = asked.map((name) => (names.includes(name) ? `content of ${name}\n` : undefined));
    expect(read.map((file) => file?.content)).toEqual([...expected, ...expected]);
  });
});
