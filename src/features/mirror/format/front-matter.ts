import { parseDocument } from 'yaml';

/** Maximum length of metadata that was edited by hand, in characters. The parser of YAML is slow on hostile text. */
const maxEditedLength = 64 * 1024;

/**
 * Prints metadata as YAML, one line for each value. Text that needs quotes, lists and objects are printed as JSON,
 * which is YAML too (YAML 1.2.2, section 1.3); a list of objects has one line for each object. Absent values and empty
 * lists are left out.
 */
export function printFrontMatter(entries: readonly (readonly [string, unknown])[]): string {
  return entries.map(([key, value]) => printEntry(key, value)).join('');
}

/** Prints a list of objects as a YAML document, one line for each object. */
export function printItems(items: readonly object[]): string {
  return items.length === 0 ? '[]\n' : items.map((item) => `- ${JSON.stringify(item)}\n`).join('');
}

function printEntry(key: string, value: unknown): string {
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

function isPlain(value: string): boolean {
  return plainScalar.test(value) && !reserved.test(value);
}

/** Metadata that was read, or what is wrong in it. `line` counts from 1 within the text. */
export type ReadResult = { readonly value: unknown } | { readonly error: string; readonly line: number };

/**
 * Reads what `printFrontMatter` and `printItems` print, in linear time. Any other text was edited by hand: it is read
 * as YAML without aliases.
 */
export function readMetadata(text: string): ReadResult {
  try {
    return { value: readPrinted(text) };
  } catch {
    return readYaml(text);
  }
}

/** @throws SyntaxError if a line is not as it is printed */
function readPrinted(text: string): unknown {
  if (text === '[]\n') return [];
  const lines = text.replace(/\n$/u, '').split('\n');
  return text.startsWith('- ') ? lines.map((line) => readItem(line, '- ')) : readEntries(lines);
}

function readEntries(lines: readonly string[]): object {
  const entries: [string, unknown][] = [];
  let list: unknown[] | undefined;
  for (const line of lines) {
    if (list !== undefined && line.startsWith(' ')) {
      list.push(readItem(line, '  - '));
      continue;
    }
    const [, key, printed] = printedEntry.exec(line) ?? [];
    if (key === undefined) throw new SyntaxError('not a printed line');
    list = printed === undefined ? [] : undefined;
    entries.push([key, printed === undefined ? list : readValue(printed)]);
  }
  return Object.fromEntries(entries);
}

const printedEntry = /^([a-zA-Z]+):(?: (.+))?$/u;

function readItem(line: string, start: string): unknown {
  if (!line.startsWith(start)) throw new SyntaxError('not a printed line');
  return readValue(line.slice(start.length));
}

function readValue(printed: string): unknown {
  return isPlain(printed) ? printed : JSON.parse(printed);
}

function readYaml(text: string): ReadResult {
  if (text.length > maxEditedLength) {
    return { error: `is not as it was printed, and longer than ${maxEditedLength / 1024} KiB`, line: 1 };
  }
  try {
    const parsed = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'error' });
    const [error] = parsed.errors;
    if (error !== undefined) {
      return { error: 'is not YAML', line: text.slice(0, error.pos[0]).split('\n').length };
    }
    return { value: parsed.toJS({ maxAliasCount: 0 }) };
  } catch {
    return { error: 'is nested too deeply, or uses aliases', line: 1 };
  }
}
