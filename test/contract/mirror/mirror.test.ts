import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import type { MirrorDeps } from '../../../src/features/mirror/mirror-deps.ts';
import type { MirrorTarget } from '../../../src/features/mirror/mirror-target.ts';
import { removeTarget } from '../../../src/features/mirror/mirror-target-store.ts';
import { copyPath, reconcileMirror } from '../../../src/features/mirror/reconcile-mirror.ts';
import { LeaseLost } from '../../../src/foundation/jobs/lease/lease-lost.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { createRemote, type MirrorRemote } from '../../support/mirror/mirror-remote.ts';
import {
  mirrorDeps,
  mirrorWorker,
  presentTarget,
  queueFiles,
  resetCommitDelay,
  runCommit,
  runCommitNow,
  targetFor,
  waitingPaths,
} from '../../support/mirror/mirroring.ts';

describeEachDatabase('mirroring into a repository', (open) => {
  let database: TestDatabase;
  let scope: OrgScope;
  let remote: MirrorRemote;
  let target: MirrorTarget;
  let deps: MirrorDeps;

  beforeEach(async () => {
    database = await open();
    scope = await seedOrganization(database, 'acme');
    remote = createRemote();
    remote.commitByHand({ 'README.md': 'by hand' });
    target = await targetFor(database, scope, remote.folder);
    deps = mirrorDeps(database);
  });

  const queue = (files: Readonly<Record<string, string | Buffer | null>>, origin?: string): Promise<void> =>
    queueFiles(database, target.id, files, origin);
  const run = (context?: Parameters<typeof runCommit>[2]): Promise<void> =>
    runCommit(deps, target.id, context);
  const row = (): Promise<MirrorTarget> => presentTarget(database, target.id);
  const untilPushed = (): Promise<void> =>
    vi.waitFor(
      async () => {
        expect(await waitingPaths(database)).toEqual([]);
        expect(await database.queries.selectFrom('jobs').select('id').execute()).toEqual([]);
      },
      { timeout: 120_000, interval: 20 },
    );
  const isLinear = (): boolean => remote.history().every(({ parents }) => parents.length <= 1);

  it('creates one commit from the waiting changes, with their origin as trailers, and leaves other files unchanged', async () => {
    await queue({ 'tracker/issues/ENG/ENG-1.md': 'one', 'tracker/labels.yaml': 'labels' });
    await run();
    expect(remote.files()).toEqual({
      'README.md': 'by hand',
      'tracker/issues/ENG/ENG-1.md': 'one',
      'tracker/labels.yaml': 'labels',
    });
    expect(remote.history()).toMatchObject([
      {
        author: 'orgctx <noreply@orgctx.invalid>',
        message: 'Mirror issue ENG-1\n\nOrgctx-Connection: connection-1\nOrgctx-Source: issue ENG-1',
      },
      { message: 'By hand' },
    ]);
    expect(await waitingPaths(database)).toEqual([]);
    expect(await row()).toMatchObject({ head: remote.history()[0]?.id, error: undefined });
  });

  it('writes bytes unchanged, and deletes files', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256));
    await queue({ 'tracker/assets/a.bin': bytes, 'tracker/b.md': 'b', 'tracker/absent.md': null });
    await run();
    const blob = remote.git('rev-parse', 'main:tracker/assets/a.bin').trim();
    expect(remote.git('cat-file', '-s', blob).trim()).toBe('70000');
    expect(remote.git('hash-object', '--', await fileWith(bytes)).trim()).toBe(blob);
    await queue({ 'tracker/b.md': null, 'tracker/assets/a.bin': null });
    await run();
    expect(remote.files()).toEqual({ 'README.md': 'by hand' });
  });

  it('creates no commit for content that already exists', async () => {
    await queue({ 'tracker/a.md': 'a' });
    await run();
    const before = remote.history();
    await queue({ 'tracker/a.md': 'a', 'tracker/gone.md': null });
    await run();
    expect(remote.history()).toEqual(before);
    expect(await waitingPaths(database)).toEqual([]);
  });

  it('creates the first branch of an empty repository', async () => {
    const empty = createRemote();
    target = await targetFor(database, scope, empty.folder);
    await queue({ 'tracker/a.md': null });
    await run();
    await queue({ 'tracker/a.md': 'a' });
    await run();
    expect(empty.files()).toEqual({ 'tracker/a.md': 'a' });
    expect(empty.history()).toMatchObject([{ parents: [] }]);
  });

  it('recreates a branch that was deleted', async () => {
    await queue({ 'tracker/a.md': 'a' });
    await run();
    remote.git('branch', 'keep', 'main');
    remote.git('update-ref', '-d', 'refs/heads/main');
    await queue({ 'tracker/b.md': 'b' });
    await run();
    expect(remote.files()).toEqual({ 'tracker/b.md': 'b' });
  });

  it('overwrites a manual edit of a mirrored file with the next change of its entity', async () => {
    await queue({ 'tracker/a.md': 'first' });
    await run();
    remote.commitByHand({ 'tracker/a.md': 'edited by hand', 'notes.md': 'theirs' });
    await queue({ 'tracker/other.md': 'o' });
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'edited by hand' });
    await queue({ 'tracker/a.md': 'second' });
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'second', 'notes.md': 'theirs' });
    expect(isLinear()).toBe(true);
  });

  it('keeps a push that arrives between its fetch and its push, and commits on top of it', async () => {
    await queue({ 'tracker/a.md': 'a' });
    let pushes = 0;
    await run({
      // Called right before each push.
      assertHeld: async () => {
        if (pushes++ === 0) remote.commitByHand({ 'notes.md': 'in between', 'tracker/theirs.md': 't' });
      },
    });
    expect(remote.files()).toEqual({
      'README.md': 'by hand',
      'notes.md': 'in between',
      'tracker/a.md': 'a',
      'tracker/theirs.md': 't',
    });
    expect(isLinear()).toBe(true);
    expect(await waitingPaths(database)).toEqual([]);
  });

  it('gives up after five concurrent pushes in a row, and keeps its changes for the next run', async () => {
    await queue({ 'tracker/a.md': 'a' });
    let pushes = 0;
    const busy = run({
      assertHeld: () => Promise.resolve(void remote.commitByHand({ 'notes.md': `${pushes++}` })),
    });
    await expect(busy).rejects.toMatchObject({ retryable: true });
    expect(pushes).toBe(5);
    expect(await waitingPaths(database)).toEqual(['tracker/a.md']);
    expect((await row()).error).toBeUndefined();
    await run();
    expect(remote.files()).toMatchObject({ 'notes.md': '4', 'tracker/a.md': 'a' });
  });

  it('keeps an edit that arrives during the commit for the next commit', async () => {
    await queue({ 'tracker/a.md': 'first', 'tracker/b.md': 'b' });
    let looks = 0;
    await run({
      assertHeld: async () => {
        if (looks++ === 0) await queue({ 'tracker/a.md': 'second' });
      },
    });
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'first', 'tracker/b.md': 'b' });
    expect(await waitingPaths(database)).toEqual(['tracker/a.md']);
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'second' });
  });

  it('pushes nothing once its lease is lost', async () => {
    await queue({ 'tracker/a.md': 'a' });
    await expect(run({ assertHeld: () => Promise.reject(new LeaseLost()) })).rejects.toThrow(LeaseLost);
    expect(remote.files()).toEqual({ 'README.md': 'by hand' });
    expect(await waitingPaths(database)).toEqual(['tracker/a.md']);
    expect(await row()).toMatchObject({ head: undefined, error: undefined });
  });

  it('records nothing if its lease is lost after the push; the next run detects the commit', async () => {
    await queue({ 'tracker/a.md': 'a' });
    let looks = 0;
    const assertHeld = (): Promise<void> =>
      looks++ === 0 ? Promise.resolve() : Promise.reject(new LeaseLost());
    await expect(run({ assertHeld })).rejects.toThrow(LeaseLost);
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'a' });
    expect(await waitingPaths(database)).toEqual(['tracker/a.md']);
    await run();
    expect(remote.history()).toHaveLength(2);
    expect(await waitingPaths(database)).toEqual([]);
  });

  it('stops when aborted, and loses nothing', async () => {
    await queue({ 'tracker/a.md': 'a' });
    const abort = new AbortController();
    const stopped = new Error('stop');
    const stopping = run({
      signal: abort.signal,
      assertHeld: () => Promise.resolve(abort.abort(stopped)),
    });
    await expect(stopping).rejects.toBe(stopped);
    expect(await waitingPaths(database)).toEqual(['tracker/a.md']);
    expect((await row()).error).toBeUndefined();
  });

  it('writes 10,000 files in commits of limited size', async () => {
    for (let from = 0; from < 10_000; from += 1_000) {
      const some = Array.from({ length: 1_000 }, (_, index) => from + index);
      await queue(Object.fromEntries(some.map((n) => [`tracker/f${n % 50}/${n}.md`, `${n}`])));
    }
    await run();
    expect(remote.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toHaveLength(10_002);
    expect(remote.git('cat-file', 'blob', 'main:tracker/f49/9999.md')).toBe('9999');
    expect(remote.history()).toHaveLength(3);
    expect(await waitingPaths(database)).toEqual([]);
  });

  it('replaces a file by a folder when both are waiting, instead of failing forever', async () => {
    await queue({ 'tracker/a': 'file', 'tracker/a-b': 'beside', 'tracker/a/b': 'inside', 'tracker/z': 'z' });
    await run();
    expect(remote.files()).toEqual({
      'README.md': 'by hand',
      'tracker/a-b': 'beside',
      'tracker/a/b': 'inside',
      'tracker/z': 'z',
    });
    await queue({ 'tracker/a/b': null, 'tracker/a': 'file again' });
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/a': 'file again', 'tracker/a-b': 'beside' });
  });

  it('writes names that differ only in case in separate commits', async () => {
    await queue({ 'tracker/A.md': '1', 'tracker/B/c': '2', 'tracker/a.md': '3', 'tracker/b': '4' });
    await run();
    expect(remote.files()).toMatchObject({
      'tracker/A.md': '1',
      'tracker/B/c': '2',
      'tracker/a.md': '3',
      'tracker/b': '4',
    });
    expect(await waitingPaths(database)).toEqual([]);
    expect((await row()).error).toBeUndefined();
  });

  it('reports a waiting path that is no longer allowed, and commits everything else', async () => {
    await queue({ 'tracker/a.md': 'a', 'tracker/b.md': 'b', 'tracker/c.md': 'c' });
    const path = 'tracker/nul.md';
    const changes = (from: string) => database.queries.updateTable('mirror_changes').where('path', '=', from);
    await changes('tracker/b.md').set({ path }).execute();
    await run();
    expect(remote.files()).toEqual({ 'README.md': 'by hand', 'tracker/a.md': 'a', 'tracker/c.md': 'c' });
    expect(await waitingPaths(database)).toEqual([path]);
    const error = { code: 'path_refused', message: expect.stringContaining(path) as string };
    expect((await row()).error).toMatchObject(error);
    await queue({ 'tracker/d.md': 'd' });
    const { run_at: runAt } = await database.queries
      .selectFrom('jobs')
      .select('run_at')
      .executeTakeFirstOrThrow();
    expect(runAt - Date.now()).toBeLessThan(60_000);
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/d.md': 'd' });
    expect((await row()).error).toMatchObject(error);
    await changes(path).set({ path: 'tracker/null.md' }).execute();
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/null.md': 'b' });
    expect((await row()).error).toBeUndefined();
  });

  it('recreates its copy when it is missing or corrupt', async () => {
    const folder = copyPath(deps.git.dataDir, target);
    await queue({ 'tracker/a.md': 'a' });
    await run();
    await rm(join(folder, 'objects'), { recursive: true });
    await queue({ 'tracker/b.md': 'b' });
    await run();
    await rm(folder, { recursive: true });
    await writeFile(folder, 'no repository');
    await queue({ 'tracker/c.md': 'c' });
    await run();
    expect(Object.keys(remote.files())).toEqual([
      'README.md',
      'tracker/a.md',
      'tracker/b.md',
      'tracker/c.md',
    ]);
  });

  it('writes 100 edits of one entity in at most two commits', async () => {
    const worker = mirrorWorker(deps);
    worker.start();
    try {
      for (let edit = 1; edit <= 100; edit += 1) await queue({ 'tracker/a.md': `edit ${edit}` });
      await untilPushed();
    } finally {
      await worker.stop(5_000);
    }
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'edit 100' });
    expect(remote.history().length - 1).toBeLessThanOrEqual(2);
  });

  it('delays a commit that follows another too soon, unless it skips the interval', async () => {
    await queue({ 'tracker/a.md': 'first' });
    await run();
    const committedAt = (await row()).committedAt ?? 0;
    await database.queries.deleteFrom('jobs').execute();
    await queue({ 'tracker/a.md': 'second' });
    await runCommitNow(deps, { targetId: target.id });
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'first' });
    const jobs = await database.queries.selectFrom('jobs').select(['state', 'run_at']).execute();
    expect(jobs).toEqual([{ state: 'ready', run_at: committedAt + 2_000 }]);
    await runCommitNow(deps, { targetId: target.id, skipsInterval: true });
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'second' });
  });

  it('loses no edit of many concurrent writers while a worker commits', async () => {
    const worker = mirrorWorker(deps);
    worker.start();
    try {
      await Promise.all(
        [0, 1, 2].map(async (writer) => {
          for (let edit = 0; edit < 15; edit += 1) {
            await resetCommitDelay(database);
            await queue({ [`tracker/${writer}.md`]: `${edit}`, 'tracker/shared.md': `${writer} ${edit}` });
          }
        }),
      );
      await untilPushed();
    } finally {
      await worker.stop(5_000);
    }
    expect(remote.files()).toMatchObject({
      'tracker/0.md': '14',
      'tracker/1.md': '14',
      'tracker/2.md': '14',
    });
    expect(remote.files()['tracker/shared.md']).toMatch(/ 14$/);
    expect(isLinear()).toBe(true);
  });

  it('refuses a folder that has since been made to point into the data folder', async () => {
    await queue({ 'tracker/a.md': 'a' });
    await writeFile(join(remote.folder, 'objects/info/alternates'), `${join(deps.git.dataDir, 'objects')}\n`);
    await run();
    expect((await row()).error).toMatchObject({ code: 'git_not_found' });
    expect((await row()).error).toMatchObject({ permanent: true });
    await rm(join(remote.folder, 'objects/info/alternates'));
    await run();
    expect(remote.files()).toMatchObject({ 'tracker/a.md': 'a' });
  });

  it('does nothing for a removed target, and its copies are deleted from the host', async () => {
    await queue({ 'tracker/a.md': 'a' });
    await run();
    const other = await targetFor(database, scope, createRemote().folder);
    const [gone, kept] = [copyPath(deps.git.dataDir, target), copyPath(deps.git.dataDir, other)];
    for (const folder of [`${gone}.tmp-killed`, kept]) await mkdir(folder, { recursive: true });
    await queue({ 'tracker/b.md': 'b' });
    await removeTarget(database.queries, scope, target.id);
    await run();
    expect(remote.files()).toEqual({ 'README.md': 'by hand', 'tracker/a.md': 'a' });
    await reconcileMirror(deps);
    await reconcileMirror(deps);
    expect([gone, `${gone}.tmp-killed`, kept].map((folder) => existsSync(folder))).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('ends without an error when the target is removed during the run', async () => {
    await queue({ 'tracker/a.md': 'a' });
    await run({
      assertHeld: async () => {
        await removeTarget(database.queries, scope, target.id);
        await rm(copyPath(deps.git.dataDir, target), { recursive: true });
      },
    });
    expect(await waitingPaths(database)).toEqual([]);
  });

  it('enqueues a job for changes without one, no sooner than the next attempt after a failure', async () => {
    await queue({ 'tracker/a.md': 'a' });
    const forget = () => database.queries.deleteFrom('jobs').execute();
    const jobs = () => database.queries.selectFrom('jobs').select(['task', 'state']).execute();
    await reconcileMirror(deps);
    expect(await jobs()).toHaveLength(1);
    await forget();
    await reconcileMirror(deps);
    expect(await jobs()).toEqual([{ task: 'mirror-commit', state: 'ready' }]);
    for (const permanent of [true, false]) {
      await forget();
      const retryAt = Date.now() + 60_000;
      const error = JSON.stringify({
        code: 'git_failed',
        message: 'no',
        permanent,
        at: 0,
        failures: 1,
        retryAt,
      });
      await database.queries.updateTable('mirror_targets').set({ error }).execute();
      await reconcileMirror(deps);
      expect(await database.queries.selectFrom('jobs').select('run_at').execute()).toEqual([
        { run_at: retryAt },
      ]);
    }
  });

  async function fileWith(bytes: Buffer): Promise<string> {
    const path = join(deps.git.dataDir, 'expected.bin');
    await writeFile(path, bytes);
    return path;
  }
});
