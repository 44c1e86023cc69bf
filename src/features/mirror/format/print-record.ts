import { type Entry, type MirroredRecord, type RecordKind, recordPath, type Section } from './record-kind.ts';

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
  const metadata = frontMatterKeys(kind).map((key) => printField(key, record[key]));
  const printed = sectionsOf(kind).map((section) => printSection(section, entriesOf(record, section.key)));
  return `---\n${metadata.join('')}---\n${printBody(bodyOf(record))}${printed.join('')}`;
}

/** The start of each line that separates parts of a file. A body never has a line that starts with it. */
export const entryMark = '<!-- orgctx:';

/**
 * Prints text that people wrote as the main body of a file. A line that could be taken for a separator gets a
 * backslash, which Markdown does not show.
 */
function printBody(body: string): string {
  if (body === '') return '';
  return `\n${body.includes(entryMark) ? body.replaceAll(markedLine, '\\$1') : body}\n`;
}

const markedLine = /^(\\*<!-- orgctx:)/gmu;

/**
 * Prints a section: a heading, and each entry with its metadata in a comment of HTML and its text as a quotation. In a
 * quotation an unclosed block of code or HTML cannot swallow the rest of the page, and no line can be taken for
 * metadata.
 */
function printSection({ key, heading, entry }: Section, entries: readonly Entry[]): string {
  if (entries.length === 0) return '';
  return `\n${entryMark}${key} -->\n## ${heading}\n${entries.map((value) => printEntry(entry, value)).join('')}`;
}

function printEntry(word: string, { body, ...metadata }: Entry): string {
  const { createdAt, type, title, author } = metadata;
  const heading = [createdAt, type, title, author?.name].filter((part) => part !== undefined && part !== '');
  const quoted = body === '' ? '' : `\n${body.split('\n').map(quoteLine).join('\n')}\n`;
  return `\n${entryMark}${word} ${commentJson(metadata)} -->\n### ${heading.map(escapeMarkdown).join(', ')}\n${quoted}`;
}

function quoteLine(line: string): string {
  return line === '' ? '>' : `> ${line}`;
}

/** Returns JSON that cannot end a comment of HTML. */
function commentJson(value: object): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}

function escapeMarkdown(text = ''): string {
  return text.replaceAll(/[\\`*_[\]<>#&!|~]/gu, '\\$&');
}

/** Prints a list of objects as a YAML document, one line for each object. */
function printItems(items: readonly object[]): string {
  return items.length === 0 ? '[]\n' : items.map((item) => `- ${JSON.stringify(item)}\n`).join('');
}

/**
 * Prints a field of metadata as YAML, on one line. Text that needs quotes, lists and objects are printed as JSON, which
 * is YAML too (YAML 1.2.2, section 1.3); a list of objects has one line for each object. Absent values and empty lists
 * are left out.
 */
function printField(key: string, value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  if (Array.isArray(value) && typeof value[0] === 'object') {
    return `${key}:\n${value.map((item) => `  - ${JSON.stringify(item)}\n`).join('')}`;
  }
  const printed = typeof value === 'string' && isPlain(value) ? value : JSON.stringify(value);
  return `${key}: ${printed}\n`;
}

/** A time, a date, a UUID, an address, or words without characters that mean something in YAML. */
const plainScalar =
  /^(?:\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?|[\da-f]{8}(?:-[\da-f]{4,12}){4}|https?:\/\/[\w./~%?=&+-]*\w|[A-Za-z](?:[\w ./@+-]*\w)?)$/u;

/** Words that YAML 1.1 or 1.2 reads as another type than text. */
const reserved = /^(?:true|false|null|yes|no|on|off|y|n)$/iu;

export function isPlain(value: string): boolean {
  return plainScalar.test(value) && !reserved.test(value);
}

export function sectionsOf({ sections = [] }: RecordKind): NonNullable<RecordKind['sections']> {
  return sections;
}

export function entriesOf(record: MirroredRecord, key: string): readonly Entry[] {
  return (record[key] ?? []) as readonly Entry[];
}

/** Returns the main text of a record; empty if its kind has none. */
export function bodyOf(record: MirroredRecord): string {
  return (record['body'] ?? '') as string;
}

/** Returns the keys that stand in the front matter of a kind, in the order of the file. */
function frontMatterKeys(kind: RecordKind): readonly string[] {
  const below = new Set(['body', ...sectionsOf(kind).map(({ key }) => key)]);
  return Object.keys(kind.shape.shape).filter((key) => !below.has(key));
}

/** A field of a record as text for readers. */
interface RecordField {
  readonly field: string;
  readonly text: string;
}

/** A record as parts that can be shown without knowing its kind. */
export interface RecordParts {
  readonly title: string;
  readonly people: readonly RecordField[];
  /** Its state and its other fields. */
  readonly fields: readonly RecordField[];
  /** The fields that name other entities. */
  readonly refersTo: readonly RecordField[];
  /** Markdown. */
  readonly body: string;
  /** Its comments, its timeline and other lists of entries, in the order of the file, without empty ones. */
  readonly sections: readonly { readonly heading: string; readonly entries: readonly Entry[] }[];
}

/** Fields that are shown in another way, or tell a reader nothing. */
const left = new Set(['id', 'type', 'title', 'url', 'attachments']);

/** Returns the parts of a record. Texts are those of the provider: untrusted. */
export function partsOf(kind: RecordKind, record: MirroredRecord): RecordParts {
  const fields = frontMatterKeys(kind)
    .filter((key) => !left.has(key))
    .map((field) => ({ field, text: textOf(record[field]) }))
    .filter(({ text }) => text !== '');
  const isPerson = ({ field }: RecordField) => kind.people?.[field] !== undefined;
  const isLink = ({ field }: RecordField) => kind.links?.[field] !== undefined;
  return {
    title: textOf(record['title']),
    people: fields.filter(isPerson),
    fields: fields.filter((each) => !isPerson(each) && !isLink(each)),
    refersTo: fields.filter(isLink),
    body: bodyOf(record),
    sections: sectionsOf(kind)
      .map(({ key, heading }) => ({ heading, entries: entriesOf(record, key) }))
      .filter(({ entries }) => entries.length > 0),
  };
}

/** Returns a value as text; what has a name is called by it. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value !== 'object') return `${value as string | number | boolean}`;
  return 'name' in value ? textOf(value.name) : Object.values(value).map(textOf).join(' ');
}
