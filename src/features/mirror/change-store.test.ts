import { beforeEach, expect, it } from 'vitest';
import { seedOrganization } from '../../../test/support/codesearch/seeded-repositories.ts';
import { describeEachDatabase } from '../../../test/support/database/databases.ts';
import { targetFor } from '../../../test/support/mirror/mirroring.ts';
import type { Database } from '../../foundation/db/database.ts';
import { readQueueTime } from '../../foundation/jobs/queue-time.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';
import type { ConnectionId, MirrorTargetId } from '../../foundation/kernel/ids.ts';
import {
  type ChangeContent,
  commitWithoutInterval,
  nextChanges,
  type PendingChange,
  queueChanges,
  readContents,
  removeCommitted,
} from './change-store.ts';
import type { ChangeClass, NewChange } from './mirror-change.ts';
import { changeTarget } from './mirror-target-store.ts';

const everything = { rows: 1_000_000, bytes: 1_000_000_000 };

const change = (path: string, content: string | Buffer | null, origin = 'issue ENG-1'): NewChange => ({
  path,
  content: typeof content === 'string' ? Buffer.from(content) : content,
  connectionId: 'c-1' as ConnectionId,
  origin,
});

describeEachDatabase('pending changes of a mirror target', (open) => {
  let database: Database;
  let target: MirrorTargetId;
  let other: MirrorTargetId;

  beforeEach(async () => {
    database = await open();
    const scope = await seedOrganization(database, 'acme');
    const make = async (branch: string): Promise<MirrorTargetId> => {
      return (await targetFor(database, scope, 'https://git.example.com/a/b', { branch })).id;
    };
    [target, other] = [await make('main'), await make('other')];
  });

  const queue = (changes: readonly NewChange[], id = target): Promise<void> =>
    database.transaction((tx) => queueChanges(tx, id, changes, ['tracker', 'oncall']));
  const waiting = (limits = everything, after?: string): Promise<readonly PendingChange[]> =>
    nextChanges(database.queries, target, 'edit', after, limits);
  const read = async (changes: readonly PendingChange[]): Promise<readonly ChangeContent[]> => {
    const contents: ChangeContent[] = [];
    for await (const content of readContents(database.queries, changes)) contents.push(content);
    return contents;
  };
  const texts = async (): Promise<Record<string, string | undefined>> =>
    Object.fromEntries((await read(await waiting())).map((each) => [each.path, each.content?.toString()]));
  const jobs = () => database.queries.selectFrom('jobs').selectAll().execute();

  it('keep their content byte for byte and have one commit job', async () => {
    const bytes = Buffer.from([0, 1, 255, 254, 10, 13, 0]);
    await queue([change('tracker/a.bin', bytes), change('tracker/b.md', null), change('tracker/c.md', '')]);
    const contents = await read(await waiting());
    expect(contents.map(({ path, content }) => [path, content])).toEqual([
      ['tracker/a.bin', bytes],
      ['tracker/b.md', null],
      ['tracker/c.md', Buffer.alloc(0)],
    ]);
    expect(await jobs()).toMatchObject([{ task: 'mirror-commit', key: target, lane: `mirror:${target}` }]);
  });

  it('are reduced to the latest one per path', async () => {
    for (let edit = 1; edit <= 20; edit += 1)
      await queue([change('tracker/a.md', `edit ${edit}`, `issue ${edit}`)]);
    await queue([
      change('tracker/b.md', 'first'),
      change('tracker/b.md', null),
      change('tracker/b.md', 'last'),
    ]);
    expect(await waiting()).toMatchObject([
      { path: 'tracker/a.md', origin: 'issue 20', bytes: 7 },
      { path: 'tracker/b.md', bytes: 4 },
    ]);
    expect(await texts()).toEqual({ 'tracker/a.md': 'edit 20', 'tracker/b.md': 'last' });
    expect(await jobs()).toHaveLength(1);
  });

  it('are queued concurrently without a deadlock or a loss', async () => {
    const paths = Array.from({ length: 40 }, (_, index) => `tracker/${index}.md`);
    await Promise.all(
      Array.from({ length: 6 }, (_, writer) => {
        const ordered = writer % 2 === 0 ? paths : paths.toReversed();
        return queue(ordered.map((path) => change(path, `by ${writer}`)));
      }),
    );
    expect(await waiting()).toHaveLength(40);
    expect(await jobs()).toHaveLength(1);
  });

  it('are returned in the order of their paths, within the limits of a commit', async () => {
    await queue(['d', 'b', 'a', 'c'].map((name) => change(`tracker/${name}`, 'x'.repeat(10))));
    await queue([change('tracker/0', 'foreign')], other);
    const paths = async (limits: typeof everything, after?: string): Promise<readonly string[]> =>
      (await waiting(limits, after)).map(({ path }) => path.slice(-1));
    expect(await paths(everything)).toEqual(['a', 'b', 'c', 'd']);
    expect(await paths({ rows: 3, bytes: 1_000 })).toEqual(['a', 'b', 'c']);
    expect(await paths({ rows: 3, bytes: 25 })).toEqual(['a', 'b']);
    expect(await paths({ rows: 3, bytes: 5 })).toEqual(['a']);
    expect(await paths(everything, 'tracker/b')).toEqual(['c', 'd']);
    expect(await paths(everything, 'tracker/d')).toEqual([]);
  });

  it('are those of a backfill or edits; an edit of a path that a backfill wrote takes it over', async () => {
    const backfill = (name: string) => ({
      ...change(`tracker/${name}`, 'b'),
      changeClass: 'backfill' as const,
    });
    const of = async (changeClass: ChangeClass) =>
      (await nextChanges(database.queries, target, changeClass, undefined, everything)).map(
        ({ path }) => path,
      );
    await queue([backfill('a'), backfill('b'), backfill('c')]);
    await queue([change('tracker/b', 'edit'), change('tracker/d', 'edit')]);
    await queue([backfill('d'), backfill('b')]);
    expect(await of('edit')).toEqual(['tracker/b', 'tracker/d']);
    expect(await of('backfill')).toEqual(['tracker/a', 'tracker/c']);
  });

  it('are removed only as they were read: a later write stays', async () => {
    await queue([change('tracker/a.md', 'old'), change('tracker/b.md', 'b')]);
    const taken = await waiting();
    await queue([change('tracker/a.md', 'new')]);
    expect((await read(taken)).map(({ path }) => path)).toEqual(['tracker/b.md']);
    await database.transaction((tx) => removeCommitted(tx, taken));
    expect(await texts()).toEqual({ 'tracker/a.md': 'new' });
  });

  it('are removed and read with more than one statement', async () => {
    const many = Array.from({ length: 1_203 }, (_, index) => change(`tracker/${index}.md`, `${index}`));
    await queue(many);
    const taken = await waiting();
    expect(await read(taken)).toHaveLength(1_203);
    await database.transaction((tx) => removeCommitted(tx, taken));
    expect(await waiting()).toEqual([]);
  });

  it('are read a page at a time', async () => {
    const many = Array.from({ length: 1_203 }, (_, index) => change(`tracker/${index}.md`, 'x'));
    const mebibytes = Array.from({ length: 3 }, (_, index) =>
      change(`tracker/${index}`, Buffer.alloc(5 * 1024 ** 2)),
    );
    for (const [changes, atOnce] of [
      [many, 500],
      [mebibytes, 1],
    ] as const) {
      await database.queries.deleteFrom('mirror_changes').execute();
      await queue(changes);
      let count = 0;
      for await (const { path } of readContents(database.queries, await waiting())) {
        expect(path).toMatch(/^tracker\//);
        count += 1;
        if (count === 1) await database.queries.deleteFrom('mirror_changes').execute();
      }
      expect(count).toBe(atOnce);
    }
  });

  it.each([
    'README.md',
    'tracker',
    'tracker/',
    '/tracker/a',
    'tracker/../README.md',
    'tracker//a',
    'tracker/.git/config',
    'tracker/.GIT/config',
    'tracker/a\nb',
    'tracker/con.md',
    `tracker/${'x'.repeat(5_000)}`,
  ])('refuse the path %j, and queue nothing with it', async (path) => {
    await expect(queue([change('tracker/good.md', 'x'), change(path, 'x')])).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(JSON.stringify(path.slice(0, 200))) as string,
    });
    expect(await waiting()).toEqual([]);
    expect(await jobs()).toEqual([]);
  });

  it('accept a file of 25 MiB and refuse a larger one', async () => {
    await queue([change('tracker/asset', Buffer.alloc(25 * 1024 ** 2))]);
    await expect(queue([change('tracker/asset', Buffer.alloc(25 * 1024 ** 2 + 1))])).rejects.toMatchObject({
      status: 413,
    });
  });

  it('start the first commit at once and the next one 2 seconds after it', async () => {
    await queue([change('tracker/a.md', '1')]);
    const now = await readQueueTime(database.queries, systemClock);
    expect((await jobs())[0]?.run_at).toBeLessThanOrEqual(now);
    await database.queries.deleteFrom('jobs').execute();
    await changeTarget(database.queries, target, { head: 'a'.repeat(40), committed_at: now });
    await queue([change('tracker/a.md', '2')]);
    expect((await jobs())[0]?.run_at).toBe(now + 2_000);
  });

  it('of a rebuild alone begin no commit, because its end does', async () => {
    const ofRebuild = { ...change('tracker/a.md', '1'), changeClass: 'rebuild' } as const;
    await queue([ofRebuild]);
    expect(await jobs()).toEqual([]);
    await queue([ofRebuild, change('tracker/b.md', '2')]);
    expect(await jobs()).toHaveLength(1);
  });

  it('are committed without the interval on request, unless there are none or the target has an error', async () => {
    const now = await readQueueTime(database.queries, systemClock);
    await database.transaction((tx) => commitWithoutInterval(tx, target));
    expect(await jobs()).toEqual([]);
    await changeTarget(database.queries, target, { head: 'a'.repeat(40), committed_at: now });
    await queue([change('tracker/a.md', '1')]);
    await database.transaction((tx) => commitWithoutInterval(tx, target));
    const [job, ...others] = await jobs();
    expect(others).toEqual([]);
    expect(job?.run_at).toBeLessThan(now + 2_000);
    expect(JSON.parse(job?.payload ?? '')).toEqual({ targetId: target, skipsInterval: true });
    await database.queries.deleteFrom('jobs').execute();
    const error = { code: 'git_failed', message: 'no', permanent: false, at: now, failures: 1 };
    await changeTarget(database.queries, target, { error: JSON.stringify(error) });
    await database.transaction((tx) => commitWithoutInterval(tx, target));
    expect(await jobs()).toEqual([]);
  });

  it('wait for the next attempt after a permanent error, but not after a temporary one', async () => {
    const now = await readQueueTime(database.queries, systemClock);
    const error = {
      code: 'git_protected_branch',
      message: 'no',
      permanent: true,
      at: now,
      failures: 1,
      retryAt: now + 60_000,
    };
    await changeTarget(database.queries, target, { error: JSON.stringify(error) });
    await queue([change('tracker/a.md', '1')]);
    expect((await jobs())[0]?.run_at).toBe(now + 60_000);
    await database.queries.deleteFrom('jobs').execute();
    await changeTarget(database.queries, target, { error: JSON.stringify({ ...error, permanent: false }) });
    await queue([change('tracker/a.md', '2')]);
    expect((await jobs())[0]?.run_at).toBeLessThan(now + 30_000);
  });
});
