import { printRecord } from '../../mirror/format/print-record.ts';
import type { RecordInput } from '../../mirror/format/record.ts';
import type { NewChange } from '../../mirror/mirror-change.ts';
import type { EntityStore } from './open-entity-store.ts';

/** Returns the files of the given lists with all of their items, after their rows were saved. */
export async function printLists(
  { tx, connectionId }: EntityStore,
  lists: readonly string[],
): Promise<readonly NewChange[]> {
  const files: NewChange[] = [];
  for (const list of new Set(lists)) {
    const rows = await tx
      .selectFrom('entities')
      .select('item')
      .where('connection_id', '=', connectionId)
      .where('list', '=', list)
      .execute();
    const items: unknown[] = rows.flatMap(({ item }) => (item === null ? [] : [JSON.parse(item)]));
    const { path, content } = printRecord({ type: list, items } as RecordInput);
    const isEmpty = items.length === 0;
    files.push({ path, content: isEmpty ? null : Buffer.from(content), connectionId, origin: list });
  }
  return files;
}
