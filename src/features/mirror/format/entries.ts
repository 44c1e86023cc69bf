import type { Entry, Section } from './record-kind.ts';

/** The start of each line that separates parts of a file. A body never has a line that starts with it. */
const mark = '<!-- orgctx:';

/**
 * Prints text that people wrote as the main body of a file. A line that could be taken for a separator gets a
 * backslash, which Markdown does not show.
 */
export function printBody(body: string): string {
  if (body === '') return '';
  return `\n${body.includes(mark) ? body.replaceAll(markedLine, '\\$1') : body}\n`;
}

const markedLine = /^(\\*<!-- orgctx:)/gmu;
const escapedLine = /^\\(\\*<!-- orgctx:)/gmu;

/**
 * Prints a section: a heading, and each entry with its metadata in a comment of HTML and its text as a quotation. In a
 * quotation an unclosed block of code or HTML cannot swallow the rest of the page, and no line can be taken for
 * metadata.
 */
export function printSection({ key, heading, entry }: Section, entries: readonly Entry[]): string {
  if (entries.length === 0) return '';
  return `\n${mark}${key} -->\n## ${heading}\n${entries.map((value) => printEntry(entry, value)).join('')}`;
}

function printEntry(word: string, { body, ...metadata }: Entry): string {
  const { createdAt, type, title, author } = metadata;
  const heading = [createdAt, type, title, author?.name].filter((part) => part !== undefined && part !== '');
  const quoted = body === '' ? '' : `\n${body.split('\n').map(quoteLine).join('\n')}\n`;
  return `\n${mark}${word} ${commentJson(metadata)} -->\n### ${heading.map(escapeMarkdown).join(', ')}\n${quoted}`;
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

/** An entry that was read. `line` counts from 1 within the text. */
export interface ReadEntry {
  readonly word: string;
  readonly metadata: unknown;
  readonly line: number;
  readonly body: string;
}

/** The part of a file below the front matter, or what is wrong in it. */
export type ReadBody =
  | { readonly body: string; readonly entries: readonly ReadEntry[] }
  | { readonly error: string; readonly line: number };

/** Reads what `printBody` and `printSection` print, in linear time. Headings are for readers only. */
export function readBody(text: string): ReadBody {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.startsWith(mark));
  const end = first === -1 ? lines.length : first;
  const entries: (Omit<ReadEntry, 'body'> & { readonly quoted: string[] })[] = [];
  for (const [index, line] of lines.entries()) {
    if (index < end || line === '' || line.startsWith('#')) continue;
    const error = readLine(line, index + 1, entries);
    if (error !== undefined) return { error, line: index + 1 };
  }
  return {
    body: lines.slice(0, end).join('\n').replaceAll(escapedLine, '$1'),
    entries: entries.map(({ quoted, ...entry }) => ({ ...entry, body: quoted.join('\n') })),
  };
}

const separator = /^<!-- orgctx:([a-z]+)(?: (\{.*\}))? -->$/u;

/** Adds a line to the entries; returns what is wrong in it. */
function readLine(
  line: string,
  number: number,
  entries: (Omit<ReadEntry, 'body'> & { readonly quoted: string[] })[],
): string | undefined {
  if (line.startsWith('>')) {
    const entry = entries.at(-1);
    if (entry === undefined) return 'is a quotation that belongs to no entry';
    entry.quoted.push(line.startsWith('> ') ? line.slice(2) : line.slice(1));
    return undefined;
  }
  const [, word, json] = separator.exec(line) ?? [];
  if (word === undefined) return 'is text outside of an entry';
  if (json === undefined) return undefined;
  try {
    entries.push({ word, metadata: JSON.parse(json), line: number, quoted: [] });
    return undefined;
  } catch {
    return 'has metadata that is not JSON';
  }
}
