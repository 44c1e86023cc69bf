import { rm } from 'node:fs/promises';
import { beforeEach, expect, it } from 'vitest';
import { queueChanges, requestComparison } from '../../../src/features/mirror/change-store.ts';
import {
  beginRebuild,
  endRebuild,
  forgetFiles,
  startRebuild,
} from '../../../src/features/mirror/file-store.ts';
import type { MirrorDeps } from '../../../src/features/mirror/mirror-deps.ts';
import type { MirrorTarget } from '../../../src/features/mirror/mirror-target.ts';
import { changeTarget } from '../../../src/features/mirror/mirror-target-store.ts';
import { copyPath, reconcileMirror } from '../../../src/features/mirror/reconcile-mirror.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { createRemote, type MirrorRemote } from '../../support/mirror/mirror-remote.ts';
import {
  connectionId,
  mirrorDeps,
  presentTarget,
  queueFiles,
  runCommit,
  targetFor,
  waitingPaths,
} from '../../support/mirror/mirroring.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What people have in the repository, also inside the folders of the connectors. */
const own = {
  'README.md': 'by hand',
  'tracker/config.yaml': 'scope: {}',
  'tracker/issues/notes.md': 'theirs',
};

describeEachDatabase('a branch that other people change', (open) => {
  let database: TestDatabase;
  let remote: MirrorRemote;
  let target: MirrorTarget;
  let deps: MirrorDeps;
  let content: Map<string, string>;
  let restored: string[];

  beforeEach(async () => {
    database = await open();
    remote = createRemote();
    remote.commitByHand(own);
    target = await targetFor(database, await seedOrganization(database, 'acme'), remote.folder);
    content = new Map();
    restored = [];
    deps = mirrorDeps(database, {
      // A connection that knows the content of all its files, and writes them in the class of a backfill.
      async restore(tx, { id }, lost) {
        const changeClass = 'backfill';
        restored.push(...lost.map(({ path }) => path));
        const changes = lost.flatMap(({ path }) => {
          const text = content.get(path);
          return text === undefined
            ? []
            : [{ path, content: Buffer.from(text), connectionId, origin: 'lost', changeClass } as const];
        });
        await queueChanges(tx, id, changes, deps.roots);
      },
    });
  });

  const write = async (files: Readonly<Record<string, string | null>>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      if (text === null) content.delete(path);
      else content.set(path, text);
    }
    await queueFiles(database, target.id, files);
  };
  const run = (context?: Parameters<typeof runCommit>[2]) => runCommit(deps, target.id, context);
  const whole = () => ({ ...own, ...Object.fromEntries(content) });
  const tip = () => remote.git('rev-parse', 'main').trim();
  const force = (commit: string) => remote.git('update-ref', 'refs/heads/main', commit);

  beforeEach(async () => {
    await write({ 'tracker/a.md': '1', 'tracker/b.md': 'b', 'tracker/issues/c.md': 'c' });
    await run();
  });

  it('is whole again after files were deleted and changed', async () => {
    remote.commitByHand({ 'tracker/b.md': null, 'tracker/issues/c.md': 'changed', 'README.md': 'newer' });
    await run();
    expect(remote.files()).toEqual({ ...whole(), 'README.md': 'newer' });
    expect(restored.toSorted()).toEqual(['tracker/b.md', 'tracker/issues/c.md']);
    expect(await waitingPaths(database)).toEqual([]);
  });

  it('is whole again after a forced push to an older commit, also of what was deleted since', async () => {
    const older = tip();
    await write({ 'tracker/a.md': '2', 'tracker/b.md': null, 'tracker/new.md': 'new' });
    await run();
    force(older);
    await run();
    expect(remote.files()).toEqual(whole());
    expect(remote.git('rev-parse', 'main~1').trim()).toBe(older);
  });

  it('is whole again after a revert', async () => {
    await write({ 'tracker/a.md': '2', 'tracker/b.md': null });
    await run();
    remote.commitByHand({ 'tracker/a.md': '1', 'tracker/b.md': 'b' });
    await run();
    expect(remote.files()).toEqual(whole());
  });

  it('is whole again after its history was replaced, and after it was deleted', async () => {
    remote.git('update-ref', '-d', 'refs/heads/main');
    remote.commitByHand(own);
    await run();
    expect(remote.files()).toEqual(whole());
    remote.git('update-ref', '-d', 'refs/heads/main');
    await run();
    expect(remote.files()).toEqual(Object.fromEntries(content));
  });

  it('is whole again in a repository that was deleted and made anew', async () => {
    await rm(remote.folder, { recursive: true });
    await run({ attempt: 12 });
    createRemote(remote.folder.replace(/\/[^/]+$/, ''), 'context.git');
    await run();
    expect(remote.files()).toEqual(Object.fromEntries(content));
  });

  it('keeps what people put at a path that the mirror had deleted', async () => {
    await write({ 'tracker/b.md': null });
    await run();
    remote.commitByHand({ 'tracker/b.md': 'a note of a person' });
    await run();
    expect(remote.files()).toEqual({ ...whole(), 'tracker/b.md': 'a note of a person' });
    expect(restored).toEqual([]);
  });

  it('is compared on a host that has no copy', async () => {
    remote.commitByHand({ 'tracker/b.md': null });
    await rm(copyPath(deps.git.dataDir, target), { recursive: true });
    deps = { ...deps, git: { dataDir: temporaryFolder(), allowHosts: [] } };
    await run();
    expect(remote.files()).toEqual(whole());
  });

  it.each(['before the push', 'in a row'])('is whole again after pushes %s', async (when) => {
    const older = tip();
    await write({ 'tracker/a.md': '2' });
    await run();
    await write({ 'tracker/d.md': 'd' });
    let pushes = when === 'in a row' ? 3 : 1;
    await run({
      assertHeld: async () => {
        if (pushes-- > 0)
          force(remote.git('commit-tree', `${older}^{tree}`, '-p', older, '-m', `${pushes}`).trim());
      },
    });
    await run();
    expect(remote.files()).toEqual(whole());
  });

  it('is whole again when a worker was lost after its push, and somebody pushed on top', async () => {
    await write({ 'tracker/a.md': '2', 'tracker/b.md': null });
    let looks = 0;
    const lost = run({
      assertHeld: () => (looks++ === 0 ? Promise.resolve() : Promise.reject(new Error('killed'))),
    });
    await expect(lost).rejects.toThrow('killed');
    remote.commitByHand({ 'tracker/issues/c.md': null });
    await run();
    expect(remote.files()).toEqual(whole());
    expect(restored).toEqual(['tracker/issues/c.md']);
  });

  it('is compared only if its tip is another one', async () => {
    const jobs = () => database.queries.selectFrom('jobs').select('task').execute();
    await database.queries.deleteFrom('jobs').execute();
    await requestComparison(database.queries, target.id, tip());
    expect(await jobs()).toEqual([]);
    await requestComparison(database.queries, target.id, remote.commitByHand({ 'README.md': 'newer' }));
    expect(await jobs()).toHaveLength(1);
    await run();
    await database.queries.deleteFrom('jobs').execute();
    await requestComparison(database.queries, target.id, tip());
    expect(await jobs()).toEqual([]);
    expect(restored).toEqual([]);
    expect(remote.history()).toHaveLength(3);
  });

  it('gets a rebuild as one commit, while edits go on', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 2_500 }, (_, n) => [`tracker/issues/${n}.md`, `${n}`]),
    );
    const { queries } = database;
    await beginRebuild(queries, target.id, connectionId);
    await queueFiles(database, target.id, files, 'all', 'rebuild');
    await write({ 'tracker/a.md': 'edit' });
    await run();
    expect(remote.files()).toEqual(whole());
    await endRebuild(queries, connectionId);
    await run();
    expect(remote.files()).toEqual(whole());
    await startRebuild(queries, connectionId);
    await endRebuild(queries, connectionId);
    const before = remote.history().length;
    await run();
    expect(remote.git('ls-tree', '-r', '--name-only', 'main').trim().split('\n')).toHaveLength(2_506);
    expect(remote.history()).toHaveLength(before + 1);
  });

  it('names only what differs in the commit of a rebuild', async () => {
    const { queries } = database;
    await beginRebuild(queries, target.id, connectionId);
    await queueFiles(database, target.id, { 'tracker/a.md': '1' }, 'issue ENG-1', 'rebuild');
    await queueFiles(database, target.id, { 'tracker/b.md': 'other' }, 'issue ENG-2', 'rebuild');
    await startRebuild(queries, connectionId);
    await endRebuild(queries, connectionId);
    await run();
    expect(remote.history()[0]?.message).toBe(
      'Mirror issue ENG-2\n\nOrgctx-Connection: connection-1\nOrgctx-Source: issue ENG-2',
    );
    expect(await waitingPaths(database)).toEqual([]);
    expect(remote.files()).toEqual({ ...whole(), 'tracker/b.md': 'other' });
  });

  it('has no error of an earlier attempt and no further commits while a rebuild goes on', async () => {
    const { queries } = database;
    const commits = () => queries.selectFrom('jobs').select('task').execute();
    await queries.deleteFrom('jobs').execute();
    await beginRebuild(queries, target.id, connectionId);
    await queueFiles(database, target.id, { 'tracker/a.md': 'again' }, 'all', 'rebuild');
    const error = { code: 'git_unreachable', message: 'No answer.', permanent: false, at: 1, failures: 1 };
    await changeTarget(queries, target.id, { error: JSON.stringify(error) });
    await run();
    expect((await presentTarget(database, target.id)).error).toBeUndefined();
    await reconcileMirror(deps);
    expect(await commits()).toEqual([]);
    await startRebuild(queries, connectionId);
    await endRebuild(queries, connectionId);
    await queries.deleteFrom('jobs').execute();
    await reconcileMirror(deps);
    expect(await commits()).toEqual([{ task: 'mirror-commit' }]);
  });

  it('gets the files of a rebuild whose connection was removed meanwhile', async () => {
    const { queries } = database;
    await beginRebuild(queries, target.id, connectionId);
    await queueFiles(database, target.id, { 'tracker/a.md': 'again' }, 'all', 'rebuild');
    await forgetFiles(queries, connectionId);
    await run();
    expect(await waitingPaths(database)).toEqual([]);
  });
});
