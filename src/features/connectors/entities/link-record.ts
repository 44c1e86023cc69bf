import { type LinkTarget, linkRecords, relativePath } from '../../mirror/format/link-records.ts';
import { sectionsOf } from '../../mirror/format/print-record.ts';
import type { MirroredRecord, RecordKind } from '../../mirror/format/record-kind.ts';

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
export function linkRecord(
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
