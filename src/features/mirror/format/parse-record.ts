import { type ReadEntry, readBody } from './entries.ts';
import { readMetadata } from './front-matter.ts';
import { sectionsOf } from './print-record.ts';
import type { MirroredRecord, RecordKind } from './record-kind.ts';
import { kindAt, recordPath } from './record-path.ts';

/** The record of a file with its kind, or the first error in it with its line, counted from 1. The message continues `Line 3 …`. */
export type ParsedRecord =
  | { readonly kind: RecordKind; readonly record: MirroredRecord }
  | { readonly error: { readonly line: number; readonly message: string } };

/** Maximum length of a file, in UTF-16 code units: at least what the mirror commits. */
const maxLength = 25 * 1024 ** 2;

const opening = '---\n';
const closing = '\n---\n';

/**
 * Parses a file of a context repository, in linear time. Never throws: the file may have been edited by anybody who can
 * write to the repository. Returns `undefined` for a path where no record of the kinds lies. A record at a path that is not its own
 * is an error, so that nobody can add a record twice.
 */
export function parseRecord(
  kinds: readonly RecordKind[],
  path: string,
  content: string,
): ParsedRecord | undefined {
  const kind = kindAt(kinds, path);
  if (kind === undefined) return undefined;
  if (content.length > maxLength) return failure(1, 'is in a file that is too large');
  const text = content.replaceAll('\r\n', '\n');
  const parsed = path.endsWith('.md') ? parseMarkdown(kind, text) : parseItems(kind, text);
  if ('error' in parsed) return parsed;
  const own = recordPath(kind, parsed.record);
  return own === path ? parsed : failure(1, `begins a record that belongs at ${own}`);
}

function parseItems(kind: RecordKind, text: string): ParsedRecord {
  const items = readMetadata(text);
  if ('error' in items) return failure(items.line, items.error);
  const { type } = kind;
  return validated(kind, { type, items: items.value }, ([, index]) => Number(index ?? 0) + 1);
}

function parseMarkdown(kind: RecordKind, text: string): ParsedRecord {
  const end = text.indexOf(closing, opening.length - 1);
  if (!text.startsWith(opening) || end === -1)
    return failure(1, 'does not begin front matter that ends with ---');
  const printed = text.slice(opening.length, end + 1);
  const metadata = readMetadata(printed);
  if ('error' in metadata) return failure(metadata.line + 1, metadata.error);
  const below = readBody(text.slice(end + closing.length));
  const linesAbove = printed.split('\n').length + 1;
  if ('error' in below) return failure(below.line + linesAbove, below.error);

  const lists = sectionsOf(kind).map(({ key, entry }) => ({
    key,
    entries: below.entries.filter(({ word }) => word === entry),
  }));
  const lineOf = ([key, index]: readonly PropertyKey[]): number => {
    const entry = lists.find((list) => list.key === key)?.entries[Number(index)];
    if (entry !== undefined) return entry.line + linesAbove;
    const found = printed.split('\n').findIndex((line) => line.startsWith(`${String(key)}:`));
    return found === -1 ? 1 : found + 2;
  };
  const fields: object = typeof metadata.value === 'object' && metadata.value !== null ? metadata.value : {};
  const sections = lists.map(({ key, entries }) => [key, entries.map(entryValue)]);
  return validated(kind, { ...fields, body: below.body, ...Object.fromEntries(sections) }, lineOf);
}

function entryValue({ metadata, body }: ReadEntry): object {
  return { ...(metadata as object), body };
}

function validated(
  kind: RecordKind,
  value: object,
  lineOf: (path: readonly PropertyKey[]) => number,
): ParsedRecord {
  const result = kind.shape.safeParse(value);
  if (result.success) return { kind, record: result.data as MirroredRecord };
  const { path = [], message = '' } = result.error.issues[0] ?? {};
  return failure(lineOf(path), `has an invalid value: ${path.join('.')}: ${message}`);
}

function failure(line: number, message: string): ParsedRecord {
  return { error: { line, message } };
}
