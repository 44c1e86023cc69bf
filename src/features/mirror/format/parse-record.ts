import { entryMark, isPlain, normalizeRecord, sectionsOf } from './print-record.ts';
import { kindAt, type MirroredRecord, type RecordKind, recordPath } from './record-kind.ts';

export interface ParsedRecord {
  readonly kind: RecordKind;
  readonly record: MirroredRecord;
}

/** Maximum length of a file, in UTF-16 code units: at least what the mirror commits. */
const maxLength = 25 * 1024 ** 2;

const opening = '---\n';
const closing = '\n---\n';

/**
 * Parses a file of a context repository, in linear time. Never throws: anybody who can write to the repository may have
 * edited the file. Returns `undefined` for what is not as it is printed, until the mirror writes it again, and for a
 * record at a path that is not its own, so that nobody can add a record twice.
 */
export function parseRecord(
  kinds: readonly RecordKind[],
  path: string,
  content: string,
): ParsedRecord | undefined {
  const kind = kindAt(kinds, path);
  if (kind === undefined || content.length > maxLength) return undefined;
  const text = content.replaceAll('\r\n', '\n');
  try {
    const { type } = kind;
    const value = path.endsWith('.md') ? readMarkdown(kind, text) : { type, items: readItems(text) };
    const record = normalizeRecord(kind, value);
    return recordPath(kind, record) === path ? { kind, record } : undefined;
  } catch {
    return undefined;
  }
}

function notPrinted(): SyntaxError {
  return new SyntaxError('not as it is printed');
}

/** Reads what `printItems` prints. @throws SyntaxError */
function readItems(text: string): readonly unknown[] {
  return text === '[]\n' ? [] : linesOf(text).map((line) => readItem(line, '- '));
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/u, '').split('\n');
}

function readItem(line: string, start: string): unknown {
  if (!line.startsWith(start)) throw notPrinted();
  return readValue(line.slice(start.length));
}

function readValue(printed: string): unknown {
  return isPlain(printed) ? printed : JSON.parse(printed);
}

/** @throws SyntaxError */
function readMarkdown(kind: RecordKind, text: string): object {
  const end = text.indexOf(closing, opening.length - 1);
  if (!text.startsWith(opening) || end === -1) throw notPrinted();
  const metadata = readFrontMatter(text.slice(opening.length, end + 1));
  const { body, entries } = readBody(text.slice(end + closing.length));
  const sections = sectionsOf(kind).map(({ key, entry }) => [
    key,
    entries.flatMap(({ word, value, quoted }) =>
      word === entry ? { ...(value as object), body: quoted.join('\n') } : [],
    ),
  ]);
  return { ...metadata, body, ...Object.fromEntries(sections) };
}

const printedEntry = /^([a-zA-Z]+):(?: (.+))?$/u;

/** Reads fields as `printField` prints them. @throws SyntaxError */
function readFrontMatter(text: string): object {
  const entries: [string, unknown][] = [];
  let list: unknown[] | undefined;
  for (const line of linesOf(text)) {
    if (list !== undefined && line.startsWith(' ')) {
      list.push(readItem(line, '  - '));
      continue;
    }
    const [, key, printed] = printedEntry.exec(line) ?? [];
    if (key === undefined) throw notPrinted();
    list = printed === undefined ? [] : undefined;
    entries.push([key, printed === undefined ? list : readValue(printed)]);
  }
  return Object.fromEntries(entries);
}

const escapedLine = /^\\(\\*<!-- orgctx:)/gmu;
const separator = /^<!-- orgctx:([a-z]+)(?: (\{.*\}))? -->$/u;

/** Reads what `printBody` and `printSection` print. Headings are for readers only. @throws SyntaxError */
function readBody(text: string) {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith(entryMark));
  const end = first === -1 ? lines.length : first;
  const entries: { readonly word: string; readonly value: unknown; readonly quoted: string[] }[] = [];
  for (const line of lines.slice(end)) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('>')) {
      const entry = entries.at(-1);
      if (entry === undefined) throw notPrinted();
      entry.quoted.push(line.startsWith('> ') ? line.slice(2) : line.slice(1));
      continue;
    }
    const [, word, json] = separator.exec(line) ?? [];
    if (word === undefined) throw notPrinted();
    if (json !== undefined) entries.push({ word, value: JSON.parse(json), quoted: [] });
  }
  return { body: lines.slice(0, end).join('\n').replaceAll(escapedLine, '$1'), entries };
}
