import { hash as digest } from 'node:crypto';
import { queueChanges } from '../../mirror/change-store.ts';
import { type LinkTarget, linkRecords, relativePath } from '../../mirror/format/link-records.ts';
import { printContent, sectionsOf } from '../../mirror/format/print-record.ts';
import { kindOf, type MirroredRecord, type RecordKind, recordPath } from '../../mirror/format/record-kind.ts';
import type { ChangeClass } from '../../mirror/mirror-change.ts';
import { inSlices } from '../../mirror/slices.ts';
import type { EntityId } from '../port.ts';
import { readCopies, resetAssets } from './asset-rows.ts';
import type { FileChange } from './entity.ts';
import {
  type EntityStore,
  entitiesAsking,
  keyOf,
  readEntities,
  type StoredEntity,
  writeEntities,
} from './entity-store.ts';
import { findReferring, findTargets, parseLinks, type StoredLinks } from './link-targets.ts';

/** A file that is to be printed with its current links. */
export interface Draft {
  readonly entity: EntityId;
  readonly record: MirroredRecord;
  readonly links: StoredLinks;
  readonly path: string;
  readonly hasAssets: boolean;
  readonly former: { readonly path: string | null; readonly hash: string | null } | undefined;
}

/** Prints drafts. Returns the changes of their files, and the hashes of the files by `keyOf`. */
export async function printDrafts(store: EntityStore, drafts: readonly Draft[]) {
  const placed = new Map(drafts.map(({ entity, path }) => [keyOf(entity), path]));
  const names = drafts.flatMap(({ links }) => links.references.map(({ name }) => name));
  const targets = await findTargets(store, names, placed);
  const owners = drafts.flatMap(({ hasAssets, entity }) => (hasAssets ? entity : []));
  const copies = await readCopies(store, owners);
  const hashes = new Map<string, string>();
  // They come first, because another file of the same transaction may take a former path.
  const deletions: FileChange[] = [];
  const writes: FileChange[] = [];
  for (const { entity, record, links, path, former } of drafts) {
    const key = keyOf(entity);
    const nameAt = new Map(links.references.map(({ url, name }) => [url, name]));
    const own = copies.get(key) ?? noCopies;
    const find = (url: string) => own.get(url) ?? targets.get(nameAt.get(url) ?? '');
    const kind = kindOf(store.records.kinds, record.type);
    const isLinked = nameAt.size > 0 || own.size > 0;
    const linked = isLinked ? linkRecord(kind, record, path, find, own) : record;
    const content = Buffer.from(printContent(kind, linked));
    const hash = digest('sha256', content, 'base64url');
    hashes.set(key, hash);
    const { origin } = links;
    if (former?.path != null && former.path !== path)
      deletions.push({ path: former.path, content: null, origin });
    if (former?.path !== path || former.hash !== hash) writes.push({ path, content, origin });
  }
  return { changes: [...deletions, ...writes], hashes };
}

const noCopies: ReadonlyMap<string, LinkTarget> = new Map();

interface StoredDraft extends Draft {
  readonly former: StoredEntity;
}

/** Returns the draft of a stored entity; `undefined` if its file cannot change without the entity. */
function draftOf(row: StoredEntity): StoredDraft | undefined {
  if (row.record === null || row.path === null) return undefined;
  const links = parseLinks(row.links);
  return { entity: row, record: JSON.parse(row.record), links, path: row.path, hasAssets: true, former: row };
}

/**
 * Replaces the addresses in the texts of a record by relative paths, and adds the paths of the copies of its
 * attachments. @param path of its file
 */
function linkRecord(
  kind: RecordKind,
  record: MirroredRecord,
  path: string,
  find: (url: string) => LinkTarget | undefined,
  copies: ReadonlyMap<string, LinkTarget>,
): MirroredRecord {
  const linked: Record<string, unknown> & MirroredRecord = { ...record };
  const link = (text: unknown) => (typeof text === 'string' ? linkRecords(text, path, find) : text);
  if (linked['body'] !== undefined) linked['body'] = link(linked['body']);
  for (const { key } of sectionsOf(kind)) {
    linked[key] = objectsOf(linked[key]).map((entry) => ({ ...entry, body: link(entry['body']) }));
  }
  if (linked['attachments'] !== undefined) {
    linked['attachments'] = objectsOf(linked['attachments']).map((attachment) => {
      const copy = copies.get(String(attachment['url']));
      return copy === undefined ? attachment : { ...attachment, file: relativePath(path, copy.path) };
    });
  }
  return linked;
}

function objectsOf(list: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list : [];
}

/**
 * Settles the effects of a change on the files of other entities: moves those that wait for a path that is free now,
 * then prints the files of all that refer to a changed name.
 * @param names that lead to another file than before
 * @param freed paths that were left, in lower case
 */
export async function settleConsequences(
  store: EntityStore,
  { names, freed }: { readonly names: readonly string[]; readonly freed: readonly string[] },
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
    await saveDrafts(store, drafts, changeClass);
  }
}

/** Gives freed paths to entities that ask for them. Returns the names of those entities. */
async function takeFreedPaths(
  store: EntityStore,
  freed: readonly string[],
  changeClass: ChangeClass,
): Promise<readonly string[]> {
  const drafts: StoredDraft[] = [];
  const rows =
    freed.length === 0 ? [] : await entitiesAsking(store, freed).orderBy('kind').orderBy('id').execute();
  for (const claimants of Map.groupBy(rows, ({ wanted_path }) => wanted_path).values()) {
    const isFree = claimants.every(({ path, wanted_path }) => path?.toLowerCase() !== wanted_path);
    const draft = isFree && claimants[0] !== undefined ? draftOf(claimants[0]) : undefined;
    if (draft === undefined) continue;
    const { record } = draft;
    drafts.push({ ...draft, path: recordPath(kindOf(store.records.kinds, record.type), record) });
  }
  await saveDrafts(store, drafts, changeClass);
  return drafts.flatMap(({ links }) => links.names);
}

async function saveDrafts(
  store: EntityStore,
  drafts: readonly StoredDraft[],
  changeClass: ChangeClass,
): Promise<void> {
  if (drafts.length === 0) return;
  const moved = drafts.flatMap(({ entity, path, former }) => (former.path === path ? [] : entity));
  const left = await resetAssets(store, moved);
  const { changes, hashes } = await printDrafts(store, drafts);
  await queueFiles(store, [...left, ...changes], changeClass);
  await writeEntities(
    store.tx,
    drafts.map(({ entity, path, former }) => {
      const { number: _, ...columns } = former;
      return { ...columns, path, hash: hashes.get(keyOf(entity)) ?? null };
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
