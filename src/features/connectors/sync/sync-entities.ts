import { keyOf, readEntities } from '../entities/entity-store.ts';
import type { EntityChange, EntityId, SyncTasks } from '../port.ts';
import { applyChanges, changeMirror, type EntityChanges, storedIn } from './change-mirror.ts';
import { compareAgain, isBlocked } from './compare.ts';
import type { SyncReader } from './source.ts';

/** Options of reads of single entities, which do not prove that a list with them is given out again. */
const ofOne = { isProof: () => false };

/** Fetches the present state of entities that were edited, all of one connection, and mirrors it. */
export async function syncEntities(
  tasks: SyncTasks,
  reader: SyncReader,
  edits: readonly EntityChange[],
): Promise<void> {
  const { families, refusals, mirror } = reader;
  const familyOf = (kind: string) => families.find((family) => family.kind === kind);
  const stored = await readEntities(storedIn(mirror), edits);
  const targets = new Map<string, EntityId>();
  for (const edit of edits) {
    const family = familyOf(edit.kind)?.name ?? edit.kind;
    const find = () => reader.targetsOf(edit, stored.get(keyOf(edit)));
    for (const target of (await refusals.orRefused(family, find, ofOne)) ?? [])
      targets.set(keyOf(target), target);
  }
  const all: EntityChanges[] = [];
  for (const [kind, ofKind] of Map.groupBy(targets.values(), (target) => target.kind)) {
    const family = familyOf(kind);
    if (family === undefined || isBlocked(reader, family)) continue;
    const ids = ofKind.map(({ id }) => id);
    const fetch = () => reader.fetch(kind, ids);
    const changes = await refusals.orRefused(family.name, fetch, ofOne);
    if (changes !== undefined) all.push(changes);
  }
  await changeMirror(mirror, async (store) => {
    for (const changes of all) await applyChanges(store, tasks.incremental, changes, 'edit');
    await refusals.save(store);
    if (refusals.returned.size > 0) await compareAgain(store, tasks);
  });
}
