import { insertConnection } from '../../../src/features/connectors/connections/connection-store.ts';
import type { RenderedEntity } from '../../../src/features/connectors/entities/entity.ts';
import { type EntityStore, openEntityStore } from '../../../src/features/connectors/entities/entity-store.ts';
import type { Database } from '../../../src/foundation/db/database.ts';
import type { ConnectionId, MirrorTargetId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { normalizeRecord, type RecordInput, recordsOf } from '../mirror/records.ts';

/** Saves a connection of the tracker that mirrors into a target. */
export async function seedBoundConnection(
  database: Database,
  scope: OrgScope,
  id: string,
  targetId: MirrorTargetId,
): Promise<ConnectionId> {
  const connectionId = id as ConnectionId;
  await database.transaction(async (tx) => {
    await insertConnection(tx, scope, { id: connectionId, kind: 'tracker', name: id }, 0);
    await tx.updateTable('connections').set({ target_id: targetId }).where('id', '=', id).execute();
  });
  return connectionId;
}

/** Runs work on the store of a connection in one transaction. */
export async function withStore<T>(
  database: Database,
  connectionId: ConnectionId,
  work: (store: EntityStore) => Promise<T>,
  records = recordsOf('tracker'),
): Promise<T> {
  return database.transaction(async (tx) => {
    const store = await openEntityStore(tx, { connectionId, records });
    if (store === undefined) throw new Error('the connection is gone');
    return work(store);
  });
}

const at = '2026-01-01T00:00:00.000Z';

/** Returns an issue whose text may refer to others by `https://t.example/ENG-2`. */
export function issueEntity(
  identifier: string,
  body = '',
  { id = identifier, ...further }: Partial<Omit<RenderedEntity, 'kind'>> & { previous?: string[] } = {},
): RenderedEntity {
  const [team = ''] = identifier.split('-');
  const urls = [...new Set(body.match(/https:\/\/t\.example\/[A-Z]+-\d+/g))];
  return {
    kind: 'issue',
    id,
    updatedAt: at,
    origin: `issue ${identifier}`,
    ...contentOf({ type: 'issue', id, identifier, team, title: 'Title', createdAt: at, updatedAt: at, body }),
    links: {
      label: identifier,
      names: [identifier, ...(further.previous ?? [])].map((name) => `issue ${name}`),
      references: urls.map((url) => ({ url, name: `issue ${url.slice('https://t.example/'.length)}` })),
    },
    assets: [],
    parts: [],
    ...further,
  };
}

export function contentOf(input: RecordInput): Pick<RenderedEntity, 'content'> {
  const record = normalizeRecord(input);
  if ('items' in record) throw new Error('this is a list');
  return { content: { record } };
}

/** Returns an issue that has labels. */
export function issueWithLabels(labels: readonly string[], identifier = 'ENG-1'): RenderedEntity {
  const issue = issueEntity(identifier, '', { updatedAt: `${at} ${labels.join(' ')}` });
  return { ...issue, links: { ...issue.links, mentions: labels.map((label) => `labels ${label}`) } };
}

/** Returns an item of the list of labels. */
export function labelEntity(id: string, name: string, parent?: string): RenderedEntity {
  return {
    kind: 'issue-label',
    id,
    updatedAt: at,
    origin: `label ${name}`,
    content: { list: 'labels', item: { id, name, ...(parent && { parent }) } as { id: string } },
    links: { label: name, names: [], references: [] },
    assets: [],
    parts: [],
  };
}

/** Applies the pending changes to a tree in place of a commit, and removes them. Returns the paths that changed. */
export async function commitTo(database: Database, tree: Map<string, string>): Promise<readonly string[]> {
  const rows = await database.queries
    .selectFrom('mirror_changes')
    .select(['path', 'content'])
    .orderBy('path')
    .execute();
  for (const { path, content } of rows) {
    if (content === null) tree.delete(path);
    else tree.set(path, content.toString());
  }
  await database.queries.deleteFrom('mirror_changes').execute();
  return rows.map(({ path }) => path);
}
