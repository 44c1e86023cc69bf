import { sql } from 'kysely';
import { printRecord } from '../../mirror/format/print-record.ts';
import { kindOf } from '../../mirror/format/record-kind.ts';
import type { FileChange } from './entity.ts';
import { type EntityStore, entitiesIn } from './entity-store.ts';

/** Returns the files of all lists of a connection. */
export async function printEveryList(store: EntityStore): Promise<readonly FileChange[]> {
  const rows = await entitiesIn(store).select('list').distinct().where('list', 'is not', null).execute();
  const lists = rows.flatMap(({ list }) => list ?? []);
  return printLists(store, lists);
}

/**
 * Returns the files of the given lists, after their rows and links were saved. Some contain only what other files
 * mention (contract section 7), and the groups of that.
 */
export async function printLists(
  { tx, connectionId, records }: EntityStore,
  lists: readonly string[],
): Promise<readonly FileChange[]> {
  const files: FileChange[] = [];
  for (const list of new Set(lists)) {
    // Some items are mentioned: the record of an entity names them.
    const { rows } = await sql<{ item: string; mentioned: number | boolean }>`
      select e.item, exists (select 1 from entity_references r where r.connection_id = e.connection_id
        and r.name = cast(${`${list} `} as text) || e.id) as mentioned
      from entities e where e.connection_id = ${connectionId} and e.list = ${list} and e.item is not null`.execute(
      tx,
    );
    const all = rows.map(({ item, mentioned }) => ({
      item: JSON.parse(item) as Item,
      mentioned: Boolean(mentioned),
    }));
    const kind = kindOf(records.kinds, list);
    const groups = new Set(all.flatMap(({ item, mentioned }) => (mentioned ? (item.parent ?? []) : [])));
    const isContained = ({ item, mentioned }: (typeof all)[number]) =>
      kind.mentionedOnly !== true || mentioned || groups.has(item.id);
    const items = all.filter(isContained).map(({ item }) => item);
    const { path, content } = printRecord(kind, { type: list, items });
    const isEmpty = items.length === 0;
    files.push({ path, content: isEmpty ? null : Buffer.from(content), origin: list });
  }
  return files;
}

interface Item {
  readonly id: string;
  /** The id of its group. */
  readonly parent?: string;
}
