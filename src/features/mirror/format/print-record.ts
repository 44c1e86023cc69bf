import { type Entry, printBody, printSection, sectionsOf } from './entries.ts';
import { printFrontMatter, printItems } from './front-matter.ts';
import { maskEmails } from './mask-emails.ts';
import { type MirroredRecord, type RecordInput, schemas } from './record.ts';
import { recordPath } from './record-path.ts';

export interface RecordFile {
  /** Path from the root of the context repository. */
  readonly path: string;
  readonly content: string;
}

/**
 * Prints a record as its file. Records that mean the same give the same bytes. @throws ZodError if a field is invalid
 */
export function printRecord(input: RecordInput): RecordFile {
  const record = normalizeRecord(input);
  return { path: recordPath(record), content: printContent(record) };
}

/** Returns a record as its file contains it. @throws ZodError if a field is invalid */
export function normalizeRecord(input: RecordInput): MirroredRecord {
  const normalized: MirroredRecord = schemas[input.type].parse(input);
  return maskEmails(normalized);
}

/** Prints the content of a record that `normalizeRecord` returned. */
export function printContent(record: MirroredRecord): string {
  if ('items' in record) return printItems(record.items);
  const values: Readonly<Record<string, unknown>> = record;
  const metadata = frontMatterKeys(record.type).map((key) => [key, values[key]] as const);
  const printed = sectionsOf[record.type].map((section) =>
    printSection(section, values[section.key] as readonly Entry[]),
  );
  const body = 'body' in record ? printBody(record.body) : '';
  return `---\n${printFrontMatter(metadata)}---\n${body}${printed.join('')}`;
}

const keysOf = new Map<MirroredRecord['type'], readonly string[]>();

/** Returns the keys that stand in the front matter of a family, in the order of the file. */
function frontMatterKeys(type: MirroredRecord['type']): readonly string[] {
  const known = keysOf.get(type);
  if (known !== undefined) return known;
  const below = new Set(['body', ...sectionsOf[type].map(({ key }) => key)]);
  const keys = Object.keys(schemas[type].shape).filter((key) => !below.has(key));
  keysOf.set(type, keys);
  return keys;
}
