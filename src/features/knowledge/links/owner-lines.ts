/** A line of a CODEOWNERS file that names the owners of files. */
export interface OwnerLine {
  /** Name of its section, in lower case; empty before the first one. */
  readonly section: string;
  /** As written. */
  readonly pattern: string;
  readonly owners: readonly string[];
}

interface Section {
  readonly name: string;
  /** The owners of its lines that name none. */
  readonly owners: readonly string[];
}

/** Maximum number of owners of a line. */
const maxOwners = 20;

/**
 * Reads the lines of a CODEOWNERS file in linear time. Sections begin with `[Name]`, `^[Optional]` or
 * `[Name][2] @default`. Lines that begin with `!` are left out: not every Git host supports them.
 */
export function* readOwnerLines(text: string): Generator<OwnerLine> {
  let section: Section = { name: '', owners: [] };
  for (const line of text.split('\n')) {
    const header = readHeader(line);
    section = header ?? section;
    if (header !== undefined) continue;
    const [pattern, ...words] = wordsOf(line);
    if (pattern === undefined || pattern.startsWith('!')) continue;
    const owners = ownersOf(words);
    yield { section: section.name, pattern, owners: words.length === 0 ? section.owners : owners };
  }
}

/** Reads the first line of a section; `undefined` if a line is none, such as a pattern that begins with a bracket. */
function readHeader(line: string): Section | undefined {
  const text = line.trim();
  const start = text.startsWith('^[') ? 2 : 1;
  const end = text.indexOf(']');
  if ((start === 1 && !text.startsWith('[')) || end < 0) return undefined;
  const [, rest] = /^(?:\[\d{0,9}\])?(?=[\s#]|$)([^]*)$/.exec(text.slice(end + 1)) ?? [];
  return rest === undefined
    ? undefined
    : { name: text.slice(start, end).toLowerCase(), owners: ownersOf(wordsOf(rest)) };
}

/** Returns the accounts, teams and addresses of some words. Roles, such as `@@developer`, name nobody. */
function ownersOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => word.includes('@') && !word.startsWith('@@')).slice(0, maxOwners);
}

/** Splits a line at its blanks, up to a comment. A backslash keeps the character after it in its word. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = [];
  let start = 0;
  for (let at = 0; at <= line.length; at += 1) {
    const character = line[at];
    if (at < line.length && !isBlank(character)) {
      if (character === '#' && at === start) return words;
      if (character === '\\' && at + 1 < line.length && line[at + 1] !== '\r') at += 1;
      continue;
    }
    if (at > start) words.push(line.slice(start, at));
    start = at + 1;
  }
  return words;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\r';
}
