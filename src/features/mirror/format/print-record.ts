import { printBody, printSection } from './entries.ts';
import { printFrontMatter, printItems } from './front-matter.ts';
import type { Entry, MirroredRecord, RecordKind } from './record-kind.ts';
import { recordPath } from './record-path.ts';

/**
 * Prints a record as its file: the path from the root of the context repository, and the content. Records that mean the
 * same give the same bytes.
 * @throws ZodError if a field is invalid
 */
export function printRecord(
  kind: RecordKind,
  input: object,
): { readonly path: string; readonly content: string } {
  const record = normalizeRecord(kind, input);
  return { path: recordPath(kind, record), content: printContent(kind, record) };
}

/** Returns a record as its file contains it. @throws ZodError if a field is invalid */
export function normalizeRecord(kind: RecordKind, input: object): MirroredRecord {
  return kind.shape.parse(input) as MirroredRecord;
}

/** Prints the content of a record that `normalizeRecord` returned. */
export function printContent(kind: RecordKind, record: MirroredRecord): string {
  if (record['items'] !== undefined) return printItems(record['items'] as readonly object[]);
  const metadata = frontMatterKeys(kind).map((key) => [key, record[key]] as const);
  const printed = sectionsOf(kind).map((section) => printSection(section, entriesOf(record, section.key)));
  return `---\n${printFrontMatter(metadata)}---\n${printBody(bodyOf(record))}${printed.join('')}`;
}

export function sectionsOf({ sections = [] }: RecordKind): NonNullable<RecordKind['sections']> {
  return sections;
}

/** Returns the entries of a section of a record. */
export function entriesOf(record: MirroredRecord, key: string): readonly Entry[] {
  return (record[key] ?? []) as readonly Entry[];
}

/** Returns the main text of a record; empty if its kind has none. */
export function bodyOf(record: MirroredRecord): string {
  return (record['body'] ?? '') as string;
}

const keysOf = new WeakMap<RecordKind, readonly string[]>();

/** Returns the keys that stand in the front matter of a kind, in the order of the file. */
export function frontMatterKeys(kind: RecordKind): readonly string[] {
  const known = keysOf.get(kind);
  if (known !== undefined) return known;
  const below = new Set(['body', ...sectionsOf(kind).map(({ key }) => key)]);
  const keys = Object.keys(kind.shape.shape).filter((key) => !below.has(key));
  keysOf.set(kind, keys);
  return keys;
}
