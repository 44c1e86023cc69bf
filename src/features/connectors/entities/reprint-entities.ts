import { queueChanges } from '../../mirror/change-store.ts';
import { kindOf } from '../../mirror/format/record-kind.ts';
import { recordPath } from '../../mirror/format/record-path.ts';
import type { ChangeClass } from '../../mirror/mirror-change.ts';
import type { EntityId } from '../port.ts';
import { resetAssets } from './asset-rows.ts';
import type { FileChange } from './entity.ts';
import { inSlices, keyOf, readEntities, type StoredEntity, writeEntities } from './entity-rows.ts';
import { findReferring } from './link-targets.ts';
import type { EntityStore } from './open-entity-store.ts';
import { type Draft, draftOf, printDrafts } from './print-drafts.ts';

/** The effects of a change on the files of other entities. */
export interface Consequences {
  /** Names that lead to another file than before. */
  readonly names: readonly string[];
  /** Paths that were left, in lower case. */
  readonly freed: readonly string[];
}

/** Moves entities that wait for a path that is free now, then prints the files of all that refer to a changed name. */
export async function settleConsequences(
  store: EntityStore,
  { names, freed }: Consequences,
  changeClass: ChangeClass,
): Promise<void> {
  const moved = await takeFreedPaths(store, freed, changeClass);
  const referring = await findReferring(store, [...names, ...moved]);
  await reprintEntities(store, referring, changeClass);
}

/** Prints the files of stored entities again, with the links of now. */
export async function reprintEntities(
  store: EntityStore,
  entities: readonly EntityId[],
  changeClass: ChangeClass,
): Promise<void> {
  for (const slice of inSlices(entities)) {
    const rows = await readEntities(store, slice);
    const drafts = [...rows.values()].flatMap((row) => draftOf(row) ?? []);
    await saveDrafts(store, rows, drafts, changeClass);
  }
}

/** Gives freed paths to entities that ask for them. Returns the names of those entities. */
async function takeFreedPaths(
  store: EntityStore,
  freed: readonly string[],
  changeClass: ChangeClass,
): Promise<readonly string[]> {
  const rows = new Map<string, StoredEntity>();
  const drafts: Draft[] = [];
  for (const claimants of (await readClaimants(store, freed)).values()) {
    const isFree = claimants.every(({ path, wanted_path }) => path?.toLowerCase() !== wanted_path);
    const [first] = claimants;
    if (!isFree || first === undefined) continue;
    const draft = draftOf(first);
    const path = draft && recordPath(kindOf(store.records.kinds, draft.record.type), draft.record);
    if (draft === undefined || path === undefined) continue;
    rows.set(keyOf(first), first);
    drafts.push({ ...draft, path });
  }
  await saveDrafts(store, rows, drafts, changeClass);
  return drafts.flatMap(({ links }) => links.names);
}

async function readClaimants(
  { tx, connectionId }: EntityStore,
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly StoredEntity[]>> {
  const rows: StoredEntity[] = [];
  for (const slice of inSlices([...new Set(paths)])) {
    const found = await tx
      .selectFrom('entities')
      .selectAll()
      .where('connection_id', '=', connectionId)
      .where('wanted_path', 'in', slice)
      .orderBy('kind')
      .orderBy('id')
      .execute();
    rows.push(...found);
  }
  return Map.groupBy(rows, ({ wanted_path }) => wanted_path ?? '');
}

async function saveDrafts(
  store: EntityStore,
  rows: ReadonlyMap<string, StoredEntity>,
  drafts: readonly Draft[],
  changeClass: ChangeClass,
): Promise<void> {
  if (drafts.length === 0) return;
  const left = await resetAssets(
    store,
    drafts.filter(({ path, former }) => former?.path !== path).map(({ entity }) => entity),
  );
  const { changes, hashes } = await printDrafts(store, drafts);
  await queueFiles(store, [...left, ...changes], changeClass);
  await writeEntities(
    store.tx,
    drafts.flatMap(({ entity, path }) => {
      const row = rows.get(keyOf(entity));
      if (row === undefined) return [];
      const { number: _, ...columns } = row;
      return [{ ...columns, path, hash: hashes.get(keyOf(entity)) ?? null }];
    }),
  );
}

/** Queues changes of files of the connection. */
export async function queueFiles(
  { tx, targetId, connectionId, records, isRebuilding }: EntityStore,
  changes: readonly FileChange[],
  changeClass: ChangeClass,
): Promise<void> {
  const own = isRebuilding && changeClass === 'backfill' ? 'rebuild' : changeClass;
  const classified = changes.map((change) => ({ ...change, connectionId, changeClass: own }));
  await queueChanges(tx, targetId, classified, [records.root]);
}
