import { isProse, isWholeWord } from '../../backends/codesearch/port.ts';
import {
  type Extent,
  findUseRules,
  hasLexicalRules,
  openExtents,
  type UseRules,
} from '../../backends/languages/port.ts';
import { lowerBound } from '../../foundation/kernel/lower-bound.ts';

export const referenceKinds = ['definition', 'import', 'call', 'write', 'read', 'text'] as const;

export type ReferenceKind = (typeof referenceKinds)[number];

/** Number of characters that are read before and after a name. */
const maxAround = 2_000;
/** Maximum number of places of a name that are read, in the code of a line and in search of an alias. */
const maxPlaces = 100;

const callAfter = /^\s{0,20}(?:\?\.\s{0,20})?(?:(?:::)?<[^;(){}=]{0,200}>\s{0,20})?!?\s{0,20}\(|^![[{]/;
const decorator = /^\s*@(?:[\w.]*\.)?$/;
const assigned =
  /^\s*(?:\[[^\]]*\]\s*)*(?:(?:[-+*/%&|^@]|\*\*|\/\/|<<|>>>?|&&|\|\||\?\?)?=(?![=>~])|:=|\+\+|--)/;
const changed = /(?:\+\+|--)(?:[\w$]+\.)*$/;

/** The text of a file, to tell the kinds of its lines. */
export class LineKinds {
  readonly #text: string;
  readonly #language: string;
  readonly #rules: UseRules;
  /** The offsets at which lines begin, up to the last line that was asked for. */
  readonly #starts = [0];
  readonly #extents: (until: number) => readonly Extent[];

  constructor(text: string, language: string) {
    this.#text = text;
    this.#language = language;
    this.#rules = findUseRules(language);
    this.#extents = openExtents(text, language);
  }

  /** Returns a line without its end. */
  line(line: number): string {
    const start = this.#startOf(line);
    if (start === undefined) return '';
    return this.#text.slice(start, (this.#startOf(line + 1) ?? this.#text.length + 1) - 1).replace(/\r$/, '');
  }

  /**
   * Returns how a line that does not define a name uses it: by a call if it has one, because the result may have the
   * same name (`peek = queue.peek()`), otherwise by the first place in code.
   */
  kindOf(line: number, name: string): Exclude<ReferenceKind, 'definition'> {
    if (!hasLexicalRules(this.#language) || isProse(this.#language)) return 'text';
    const start = this.#startOf(line) ?? 0;
    const places = placesOf(this.line(line), name).filter((at) => this.#isCode(start + at));
    let first: Exclude<ReferenceKind, 'definition' | 'text'> | undefined;
    for (const at of places.slice(0, maxPlaces)) {
      const kind = this.#kindAt(start, start + at, start + at + name.length);
      if (kind === 'call') return kind;
      first ??= kind;
    }
    return first ?? 'text';
  }

  /** Returns the name under which the file imports a name, if it is another one: `import { renew as again }`. */
  otherNameOf(name: string): string | undefined {
    for (const at of placesOf(this.#text, name).slice(0, maxPlaces)) {
      if (!this.#isCode(at)) continue;
      const after = this.#text.slice(at + name.length, at + name.length + maxAround);
      const alias = /^\s*(?:as|=>)\s+([\p{L}_$][\p{L}\p{Nd}_$]*)/u.exec(after)?.[1];
      if (alias !== undefined && alias !== name) return alias;
    }
    return undefined;
  }

  /** Returns the lines with the bare name if the file imports it from its owners, as in `use tokio::{spawn}`. */
  linesImportedFrom(owners: readonly string[], name: string): readonly number[] {
    const places = placesOf(this.#text, name);
    const isImported = (at: number): boolean => {
      const start = this.#isCode(at) ? this.#importAround(at) : undefined;
      if (start === undefined) return false;
      const before = this.#text.slice(start, at);
      const after = this.#text.slice(at, at + maxAround);
      const close = before.includes('\n') ? Math.max(0, after.search(/[})]/)) : 0;
      const [last = ''] = after.slice(close).split('\n', 1);
      const statement = `${before}${after.slice(0, close)}${last}`;
      return owners.every((owner) => placesOf(statement, owner).length > 0);
    };
    if (!places.slice(0, maxPlaces).some(isImported)) return [];
    this.#startOf(Number.POSITIVE_INFINITY);
    const bare = places.filter((at) => !/[.:\\>]/.test(this.#text[at - 1] ?? ''));
    return bare.map((at) => lowerBound(this.#starts.length, (index) => this.#starts[index]! > at));
  }

  #kindAt(lineStart: number, start: number, end: number): Exclude<ReferenceKind, 'definition' | 'text'> {
    const before = this.#code(Math.max(lineStart, start - maxAround), start);
    const after = this.#code(end, Math.min(this.#text.length, end + maxAround));
    const { importAfter, constructs, writeAfter } = this.#rules;
    if (importAfter?.test(after) || this.#importAround(start) !== undefined) return 'import';
    if (constructs?.test(before) || decorator.test(before) || callAfter.test(after)) return 'call';
    if (this.#text[end] === '`') return 'call';
    if (writeAfter?.test(after) || assigned.test(after) || changed.test(before)) return 'write';
    return 'read';
  }

  /** Returns where the import around a place begins, also one whose brackets have several lines. */
  #importAround(at: number): number | undefined {
    const start = Math.max(0, at - maxAround);
    const before = this.#code(start, at);
    const open = /[{(][^{}()=;]*$/.exec(before)?.index ?? before.length;
    const lines = [before.length, open].map((place) => before.lastIndexOf('\n', place - 1) + 1);
    const begin = lines.find((line) => this.#isImport(before.slice(line)));
    return begin === undefined ? undefined : start + begin;
  }

  #isImport(line: string): boolean {
    return this.#rules.importStart?.test(line) ?? false;
  }

  #isCode(at: number): boolean {
    const extents = this.#extents(at + 1);
    const extent = extents[lastBefore(extents, at)];
    return extent === undefined || extent.end <= at;
  }

  /** Returns a part of the text with blanks for comments and literals. */
  #code(start: number, end: number): string {
    let code = '';
    let from = start;
    const extents = this.#extents(end);
    for (let index = Math.max(0, lastBefore(extents, start)); index < extents.length; index++) {
      const extent = extents[index]!;
      if (extent.start >= end) break;
      if (extent.end <= from) continue;
      const to = Math.max(from, extent.start);
      const until = Math.min(end, extent.end);
      code += this.#text.slice(from, to) + this.#text.slice(to, until).replaceAll(/[^\n]/g, ' ');
      from = until;
    }
    return code + this.#text.slice(from, end);
  }

  /** Returns where a line begins; `undefined` behind the last one. */
  #startOf(line: number): number | undefined {
    while (this.#starts.length < line) {
      const end = this.#text.indexOf('\n', this.#starts.at(-1));
      if (end < 0) break;
      this.#starts.push(end + 1);
    }
    return this.#starts[line - 1];
  }
}

/** Returns the position of the last comment or literal that begins at or before an offset; -1 for none. */
function lastBefore(extents: readonly Extent[], at: number): number {
  return lowerBound(extents.length, (index) => extents[index]!.start > at) - 1;
}

/** Returns where a line contains a name as a whole word. */
export function placesOf(line: string, name: string): readonly number[] {
  const places: number[] = [];
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1)) {
    if (isWholeWord(line, at, at + name.length)) places.push(at);
  }
  return places;
}
