import { hash as digest } from 'node:crypto';
import { type LinkTarget, linkRecords, relativePath } from '../../mirror/format/link-records.ts';
import { printContent, sectionsOf } from '../../mirror/format/print-record.ts';
import { kindOf, type MirroredRecord, type RecordKind } from '../../mirror/format/record-kind.ts';
import type { EntityId } from '../port.ts';
import { readCopies } from './asset-rows.ts';
import type { FileChange } from './entity.ts';
import { keyOf, type StoredEntity } from './entity-rows.ts';
import { findTargets, parseLinks, type StoredLinks } from './link-targets.ts';
import type { EntityStore } from './open-entity-store.ts';

/** A file that is to be printed with its current links. */
export interface Draft {
  readonly entity: EntityId;
  readonly record: MirroredRecord;
  readonly links: StoredLinks;
  readonly path: string;
  readonly hasAssets: boolean;
  readonly former: { readonly path: string | null; readonly hash: string | null } | undefined;
}

export interface PrintedDrafts {
  /** Deletions of former paths first, because another file of the same transaction may take one. */
  readonly changes: readonly FileChange[];
  /** The hashes of the files, by `keyOf`. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Prints drafts, and returns the changes of their files. */
export async function printDrafts(store: EntityStore, drafts: readonly Draft[]): Promise<PrintedDrafts> {
  const placed = new Map(drafts.map(({ entity, path }) => [keyOf(entity), path]));
  const names = drafts.flatMap(({ links }) => links.references.map(({ name }) => name));
  const targets = await findTargets(store, names, placed);
  const copies = await readCopies(
    store,
    drafts.filter(({ hasAssets }) => hasAssets).map(({ entity }) => entity),
  );
  const hashes = new Map<string, string>();
  const deletions: FileChange[] = [];
  const writes: FileChange[] = [];
  for (const { entity, record, links, path, former } of drafts) {
    const key = keyOf(entity);
    const found = { entities: targetsOf(links, targets), copies: copies.get(key) ?? noTargets };
    const kind = kindOf(store.records.kinds, record.type);
    const content = Buffer.from(printContent(kind, linkRecord(kind, record, path, found)));
    const hash = digest('sha256', content, 'base64url');
    hashes.set(key, hash);
    const { origin } = links;
    if (former?.path != null && former.path !== path)
      deletions.push({ path: former.path, content: null, origin });
    if (former?.path !== path || former.hash !== hash) writes.push({ path, content, origin });
  }
  return { changes: [...deletions, ...writes], hashes };
}

const noTargets: ReadonlyMap<string, LinkTarget> = new Map();

function targetsOf(
  { references }: StoredLinks,
  targets: ReadonlyMap<string, LinkTarget>,
): ReadonlyMap<string, LinkTarget> {
  if (references.length === 0) return noTargets;
  return new Map(
    references.flatMap(({ url, name }) => {
      const target = targets.get(name);
      return target === undefined ? [] : [[url, target] as const];
    }),
  );
}

/** Returns the draft of a stored entity; `undefined` if its file cannot change without the entity. */
export function draftOf(row: StoredEntity, path: string | null = row.path): Draft | undefined {
  if (row.record === null || path === null) return undefined;
  return {
    entity: row,
    record: JSON.parse(row.record),
    links: parseLinks(row.links),
    path,
    hasAssets: true,
    former: row,
  };
}

/** Resolves the addresses in the texts of an entity. */
export interface LinkTargets {
  /** Files of entities, by address. */
  readonly entities: ReadonlyMap<string, LinkTarget>;
  /** Copies of its assets, by address. */
  readonly copies: ReadonlyMap<string, LinkTarget>;
}

/**
 * Replaces the addresses in the texts of a record by relative paths, and adds the paths of the copies of its
 * attachments. @param path of its file
 */
function linkRecord(
  kind: RecordKind,
  record: MirroredRecord,
  path: string,
  { entities, copies }: LinkTargets,
): MirroredRecord {
  if (entities.size === 0 && copies.size === 0) return record;
  const linked: Record<string, unknown> & MirroredRecord = { ...record };
  const link = (text: unknown) =>
    typeof text === 'string' ? linkRecords(text, path, (url) => copies.get(url) ?? entities.get(url)) : text;
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
