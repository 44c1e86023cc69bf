import { type Entry, printBody, printSection, sectionsOf } from './entries.ts';
import { printFrontMatter, printItems } from './front-matter.ts';
import { maskEmails } from './mask-emails.ts';
import { type MirroredRecord, type RecordInput, schemas } from './record.ts';
import { recordPath } from './record-path.ts';

export interface FormatOptions {
  /** Keep the e-mail addresses of people. Default: false. */
  readonly emails?: boolean;
}

export interface RecordFile {
  /** Path from the root of the context repository. */
  readonly path: string;
  readonly content: string;
}

/** Prints a record as its file. Records that mean the same give the same bytes. @throws ZodError if a field is invalid */
export function printRecord(input: RecordInput, options: FormatOptions = {}): RecordFile {
  return printNormalized(normalizeRecord(input, options));
}

/** Returns a record as its file contains it. @throws ZodError if a field is invalid */
export function normalizeRecord(input: RecordInput, options: FormatOptions = {}): MirroredRecord {
  const normalized: MirroredRecord = schemas[input.type].parse(input);
  return options.emails === true ? normalized : maskEmails(normalized);
}

/** Prints a record that `normalizeRecord` returned. */
export function printNormalized(record: MirroredRecord): RecordFile {
  return { path: recordPath(record), content: printContent(record) };
}

function printContent(record: MirroredRecord): string {
  if ('items' in record) return printItems(record.items);
  const sections = sectionsOf[record.type];
  const below = new Set(['body', ...sections.map(({ key }) => key)]);
  const values: Readonly<Record<string, unknown>> = record;
  const frontMatter = Object.keys(schemas[record.type].shape)
    .filter((key) => !below.has(key))
    .map((key) => [key, values[key]] as const);
  const printed = sections.map((section) => printSection(section, values[section.key] as readonly Entry[]));
  const body = 'body' in record ? printBody(record.body) : '';
  return `---\n${printFrontMatter(frontMatter)}---\n${body}${printed.join('')}`;
}
