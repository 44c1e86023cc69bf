import fc from 'fast-check';
import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { seedOrganization } from '../../../../test/support/codesearch/seeded-repositories.ts';
import {
  commitTo,
  contentOf,
  issueEntity,
  issueWithLabels,
  labelEntity,
  seedBoundConnection,
  withStore,
} from '../../../../test/support/connectors/entity-stores.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { targetFor } from '../../../../test/support/mirror/mirroring.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { ChangeClass } from '../../mirror/mirror-change.ts';
import type { EntityId } from '../port.ts';
import { readCheckpoint, saveCheckpoint } from '../sync/sync-store.ts';
import { trackerRecords } from '../tracker/kinds/kinds.ts';
import type { RenderedEntity } from './entity.ts';
import { keyOf, markSeen, openEntityStore, parentOf, readEntities } from './entity-store.ts';
import { applyScope, forgetEntities, unseenEntities } from './forget-entities.ts';
import { mirrorEntities } from './mirror-entities.ts';

const issue = (id: string): EntityId => ({ kind: 'issue', id });
const pathOf = (identifier: string) => `tracker/issues/${identifier.split('-')[0]}/${identifier}.md`;

describeEachDatabase('the entities of a connection', (open) => {
  let database: Database;
  let connection: ConnectionId;
  let other: ConnectionId;
  let tree: Map<string, string>;

  beforeEach(async () => {
    database = await open();
    const scope = await seedOrganization(database, 'acme');
    const bind = async (id: string) => {
      const { id: target } = await targetFor(database, scope, 'https://git.example.com/a/b', { branch: id });
      return seedBoundConnection(database, scope, id, target);
    };
    [connection, other] = [await bind('c-1'), await bind('c-2')];
    tree = new Map();
  });

  const mirror = (entities: readonly RenderedEntity[], changeClass: ChangeClass = 'edit', id = connection) =>
    withStore(database, id, (store) => mirrorEntities(store, entities, changeClass));
  const forget = (...ids: readonly EntityId[]) =>
    withStore(database, connection, (store) => forgetEntities(store, ids, 'edit'));
  const commit = () => commitTo(database, tree);
  const bodyAt = (path: string) => tree.get(path)?.split('\n---\n')[1]?.trim();

  it('are queued once, and again only when their bytes differ', async () => {
    await mirror([issueEntity('ENG-1', 'one'), issueEntity('ENG-2', 'two')]);
    expect(await commit()).toEqual([pathOf('ENG-1'), pathOf('ENG-2')]);
    await mirror([issueEntity('ENG-1', 'one'), issueEntity('ENG-2', 'other')]);
    expect(await commit()).toEqual([pathOf('ENG-2')]);
    expect(bodyAt(pathOf('ENG-2'))).toBe('other');
  });

  it('leave their former path in the transaction that writes the new one', async () => {
    await mirror([issueEntity('ENG-1', 'one', { id: 'i' })]);
    await commit();
    await mirror([issueEntity('OPS-7', 'one', { id: 'i' })]);
    expect(await commit()).toEqual([pathOf('ENG-1'), pathOf('OPS-7')]);
    expect([...tree.keys()]).toEqual([pathOf('OPS-7')]);
  });

  it('keep the files of two that exchange their paths', async () => {
    await mirror([issueEntity('ENG-1', 'a', { id: 'a' }), issueEntity('ENG-2', 'b', { id: 'b' })]);
    await commit();
    await mirror([issueEntity('ENG-2', 'a', { id: 'a' }), issueEntity('ENG-1', 'b', { id: 'b' })]);
    await commit();
    expect([...tree.keys()].toSorted()).toEqual([pathOf('ENG-1'), pathOf('ENG-2')]);
    expect(bodyAt(pathOf('ENG-1'))).toBe('b');
  });

  it('get a suffix while another entity has their path, and the path when it is free', async () => {
    await mirror([issueEntity('ENG-1', 'first', { id: 'a' })]);
    await mirror([issueEntity('ENG-1', 'second', { id: 'b' })]);
    await commit();
    expect(bodyAt(pathOf('ENG-1'))).toBe('first');
    const [suffixed = ''] = [...tree.keys()].filter((path) => path !== pathOf('ENG-1'));
    expect(suffixed).toMatch(/^tracker\/issues\/ENG\/ENG-1-[\da-f]{8}\.md$/);
    await mirror([issueEntity('ENG-1', 'second, edited', { id: 'b' })]);
    expect(await commit()).toEqual([suffixed]);
    await mirror([issueEntity('OPS-1', 'first', { id: 'a' })]);
    await commit();
    expect(bodyAt(pathOf('ENG-1'))).toBe('second, edited');
    expect([...tree.keys()].toSorted()).toEqual([pathOf('ENG-1'), pathOf('OPS-1')]);
  });

  it('link to each other while the other one is mirrored, also by a former identifier', async () => {
    await mirror([issueEntity('ENG-1', 'See https://t.example/ENG-2.')]);
    await commit();
    expect(bodyAt(pathOf('ENG-1'))).toBe('See https://t.example/ENG-2.');
    await mirror([issueEntity('ENG-2', '', { id: 'b' })]);
    await commit();
    expect(bodyAt(pathOf('ENG-1'))).toBe('See [ENG-2](ENG-2.md).');
    await mirror([issueEntity('OPS-5', '', { id: 'b', previous: ['ENG-2'] })]);
    await commit();
    expect(bodyAt(pathOf('ENG-1'))).toBe('See [OPS-5](../OPS/OPS-5.md).');
    await forget(issue('b'));
    await commit();
    expect(bodyAt(pathOf('ENG-1'))).toBe('See https://t.example/ENG-2.');
  });

  it('are the same in every order of their arrival', async () => {
    const bodies = ['https://t.example/ENG-2 https://t.example/ENG-3', 'https://t.example/ENG-1', ''];
    const all = bodies.map((body, index) => issueEntity(`ENG-${index + 1}`, body));
    await mirror(all);
    await commit();
    const together = new Map(tree);
    await forget(...all);
    await commit();
    expect([...tree.keys()]).toEqual([]);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(all, { minLength: 3 }), async (entities) => {
        for (const entity of entities) await mirror([entity], 'backfill');
        await commit();
        expect(tree).toEqual(together);
        await forget(...all);
        await commit();
      }),
      { numRuns: 4 },
    );
  });

  it('share the file of a list, which is deleted with its last item', async () => {
    await mirror([issueWithLabels(['l1', 'l2']), labelEntity('l2', 'bug'), labelEntity('l1', 'feature')]);
    await commit();
    expect(tree.get('tracker/labels.yaml')).toBe(
      '- {"id":"l1","name":"feature"}\n- {"id":"l2","name":"bug"}\n',
    );
    await mirror([labelEntity('l1', 'feature')]);
    expect(await commit()).toEqual([]);
    await forget({ kind: 'issue-label', id: 'l1' });
    await commit();
    expect(tree.get('tracker/labels.yaml')).toBe('- {"id":"l2","name":"bug"}\n');
    await forget({ kind: 'issue-label', id: 'l2' });
    await commit();
    expect([...tree.keys()]).toEqual([pathOf('ENG-1')]);
  });

  it('stand in a list while another file mentions them, with their group', async () => {
    const listed = async () => {
      await commit();
      return [...(tree.get('tracker/labels.yaml') ?? '').matchAll(/"id":"(\w+)"/g)].map(([, id]) => id);
    };
    const [bare, second] = [issueEntity('ENG-2', ''), issueWithLabels(['l1'], 'ENG-2')];
    await mirror([
      labelEntity('l1', 'bug', 'g'),
      labelEntity('l2', 'unused'),
      labelEntity('g', 'group'),
      bare,
    ]);
    expect(await listed()).toEqual([]);
    await mirror([issueWithLabels(['l1'])], 'backfill');
    expect(await listed()).toEqual(['g', 'l1']);
    await mirror([second, issueWithLabels(['l2'])]);
    expect(await listed()).toEqual(['g', 'l1', 'l2']);
    await forget(second);
    expect(await listed()).toEqual(['l2']);
    await mirror([issueWithLabels([])]);
    expect(await listed()).toEqual([]);
  });

  it('go with their parent, and lead from the id of a part to the file that contains it', async () => {
    const project = { kind: 'project', id: 'p' };
    const update: RenderedEntity = {
      ...issueEntity('X-1'),
      kind: 'project-update',
      id: 'u',
      parent: project,
      ...contentOf({
        type: 'projectUpdate',
        id: 'u',
        project: 'slug',
        createdAt: '2026-01-01T00:00:00Z',
        updatedAt: '2026-01-01T00:00:00Z',
        body: '',
      }),
    };
    const comment = { kind: 'comment', id: 'c' };
    const parent: RenderedEntity = {
      ...issueEntity('X-1'),
      ...project,
      parts: [comment],
      ...contentOf({
        type: 'project',
        id: 'p',
        slug: 'slug',
        title: '',
        createdAt: '2026-01-01T00:00:00Z',
        updatedAt: '2026-01-01T00:00:00Z',
        body: '',
      }),
    };
    const stored = async (id: EntityId) =>
      (await readEntities({ tx: database.queries, connectionId: connection }, [id])).get(keyOf(id));
    await mirror([parent, update]);
    await commit();
    expect(tree.size).toBe(2);
    const row = await stored(comment);
    expect(row && parentOf(row)).toEqual(project);
    await mirror([{ ...parent, parts: [] }]);
    expect(await stored(comment)).toBeUndefined();
    await forget(project);
    await commit();
    expect(tree.size).toBe(0);
    expect(await stored({ kind: 'project-update', id: 'u' })).toBeUndefined();
  });

  it('are found by a sweep if nothing was seen of them since its start', async () => {
    await mirror([issueEntity('ENG-1'), issueEntity('ENG-2'), issueEntity('ENG-3')]);
    const start = await withStore(database, connection, (store) => Promise.resolve(store.now));
    await database.queries
      .updateTable('entities')
      .set({ seen_at: start - 1 })
      .execute();
    await mirror([issueEntity('ENG-1')]);
    await withStore(database, connection, (store) => markSeen(store, [issue('ENG-2')]));
    const unseen = () =>
      withStore(database, connection, async (store) => {
        const rows = await unseenEntities(store, { kind: 'issue', before: start, limit: 10 });
        return rows.map(({ id }) => id);
      });
    expect(await unseen()).toEqual(['ENG-3']);
    await forget(issue('ENG-3'), issue('unknown'));
    expect(await unseen()).toEqual([]);
  });

  it('are deleted a page at a time when their facts are out of scope', async () => {
    const teams = ['a', 'b', 'a', 'b', 'b'];
    await mirror(teams.map((team, index) => issueEntity(`ENG-${index}`, '', { facts: { team } })));
    let after: EntityId | undefined;
    let pages = 0;
    do {
      const from = after;
      after = await withStore(database, connection, (store) =>
        applyScope(store, ({ facts }) => facts['team'] === 'a', from, 2),
      );
      pages += 1;
    } while (after !== undefined);
    expect(pages).toBe(3);
    await commit();
    expect([...tree.keys()]).toEqual([pathOf('ENG-0'), pathOf('ENG-2')]);
  });

  it('belong to one connection', async () => {
    await mirror([issueEntity('ENG-1', 'https://t.example/ENG-2')]);
    await mirror([issueEntity('ENG-2', 'https://t.example/ENG-1')], 'edit', other);
    await forget(issue('ENG-2'));
    const rows = await database.queries.selectFrom('mirror_changes').select(['path', 'content']).execute();
    expect(rows.map(({ path }) => path).toSorted()).toEqual([pathOf('ENG-1'), pathOf('ENG-2')]);
    for (const { content } of rows) expect(content?.toString()).toContain('https://t.example/ENG-');
  });

  it('cannot be changed after the connection was removed', async () => {
    await mirror([issueEntity('ENG-1')]);
    await database.queries.deleteFrom('connections').where('id', '=', connection).execute();
    const opened = await database.transaction((tx) =>
      openEntityStore(tx, { connectionId: connection, records: trackerRecords }),
    );
    expect(opened).toBeUndefined();
    expect(await database.queries.selectFrom('entities').select('id').execute()).toEqual([]);
  });

  it('move their checkpoint only together with their files', async () => {
    const shape = z.object({ cursor: z.string() });
    const read = () => readCheckpoint(database.queries, connection, 'issue', shape);
    await withStore(database, connection, (store) => saveCheckpoint(store, 'issue', { cursor: 'a' }));
    const failed = withStore(database, connection, async (store) => {
      await mirrorEntities(store, [issueEntity('ENG-1')], 'backfill');
      await saveCheckpoint(store, 'issue', { cursor: 'b' });
      throw new Error('interrupted');
    });
    await expect(failed).rejects.toThrow('interrupted');
    expect([await read(), await commit()]).toEqual([{ cursor: 'a' }, []]);
    await withStore(database, connection, (store) => saveCheckpoint(store, 'issue', { cursor: 'b' }));
    expect(await read()).toEqual({ cursor: 'b' });
  });
});
