/** The rule that names the owners of a file. */
export interface OwnerRule {
  /** As written. */
  readonly pattern: string;
  /** Accounts (`@ada`), teams (`@acme/web`) or e-mail addresses. Empty: the file has no owner. */
  readonly owners: readonly string[];
}

/** Returns the rules of a file: of each section the last one that matches. `undefined` if that takes too long. */
export type FindOwnerRules = (path: string) => readonly OwnerRule[] | undefined;

/** The places of the file, in the order in which Git hosts look for it. */
export const ownerFiles: readonly string[] = [
  '.github/CODEOWNERS',
  'CODEOWNERS',
  'docs/CODEOWNERS',
  '.gitlab/CODEOWNERS',
];

/**
 * Maximum number of sections, of rules in all, and of patterns with wildcards in each section. Patterns without
 * wildcards are looked up. `steps`: of the search for the rules of one path, each about 40 ns. `total`: steps for all
 * paths.
 */
const max = { sections: 100, rules: 50_000, wildcards: 5_000, steps: 20_000, total: 200_000_000 } as const;
/** Number of characters that are looked up in the time of one step. */
const charactersPerStep = 32;
/** Number of steps in whose time a name of a path is looked up in a section. */
const stepsPerName = 3;

/** The steps that are left for one path. */
interface Budget {
  steps: number;
}

interface Numbered extends OwnerRule {
  readonly position: number;
}

/** `keys` are those by which rules without wildcards mean a path, and `names` its names. */
type FindInSection = (
  keys: readonly string[],
  names: readonly string[],
  budget: Budget,
) => OwnerRule | undefined;

/**
 * Reads a CODEOWNERS file. Its sections apply together, and a file without sections is one section. The time to read it
 * is linear, and the time to look up a path and all paths is limited, whatever the file contains. Steps are counted
 * rather than time, so that the same paths in the same order have the same owners.
 */
export function parseCodeOwners(text: string, total: number = max.total): FindOwnerRules {
  const sections = new Map<string, OwnerRule[]>();
  let count = 0;
  for (const { section, pattern, owners } of readOwnerLines(text)) {
    const rules = sections.get(section) ?? [];
    const isTooLong = ++count > max.rules || (rules.length === 0 && sections.size >= max.sections);
    // The rules that are left out could decide for any path.
    if (isTooLong) return () => undefined;
    rules.push({ pattern, owners });
    sections.set(section, rules);
  }
  const finders = Array.from(sections.values(), finderOf);
  let left = total;
  return (path) => {
    const names = path.split('/');
    const given = Math.min(left, max.steps);
    const budget: Budget = { steps: given - (names.length * path.length) / charactersPerStep };
    const found = findAll(finders, path, names, budget);
    left -= given - Math.max(0, budget.steps);
    return found;
  };
}

function findAll(
  finders: readonly FindInSection[],
  path: string,
  names: readonly string[],
  budget: Budget,
): readonly OwnerRule[] | undefined {
  if (budget.steps <= 0) return undefined;
  const keys = keysOf(path, names);
  const found: OwnerRule[] = [];
  for (const find of finders) {
    budget.steps -= names.length * stepsPerName;
    const rule = find(keys, names, budget);
    if (budget.steps <= 0) return undefined;
    if (rule !== undefined) found.push(rule);
  }
  return found;
}

/** Returns the keys of a path: it and its folders from the root, their names, and the extensions of those. */
function keysOf(path: string, names: readonly string[]): readonly string[] {
  let end = -1;
  return names.flatMap((name) => {
    end += name.length + 1;
    const keys = [`/${path.slice(0, end)}`, name];
    // A pattern that ends with a slash means folders, and the last name is the file.
    if (end < path.length) keys.push(`/${path.slice(0, end + 1)}`, `${name}/`);
    const dot = name.lastIndexOf('.');
    return dot < 0 ? keys : [...keys, `${anyText}${name.slice(dot)}`];
  });
}

/** Returns a function that finds the last rule of a section that matches a path. */
function finderOf(rules: readonly OwnerRule[]): FindInSection {
  const byKey = new Map<string, Numbered>();
  const wildcards: (Numbered & Pick<OwnerPattern, 'segments'>)[] = [];
  for (const [position, rule] of rules.entries()) {
    const pattern = readOwnerPattern(rule.pattern);
    const key = `${pattern.isAnchored ? '/' : ''}${pattern.segments.join('/')}`;
    if (!pattern.hasWildcard || isExtension(key)) byKey.set(key, { ...rule, position });
    else wildcards.push({ ...rule, position, segments: comparable(pattern) });
  }
  const late = wildcards.slice(-max.wildcards).toReversed();
  return (keys, names, budget) => {
    let best: Numbered | undefined;
    const consider = (rule: Numbered | undefined): void => {
      if (rule !== undefined && (best === undefined || rule.position > best.position)) best = rule;
    };
    for (const key of keys) consider(byKey.get(key));
    for (const rule of late) {
      if (best !== undefined && best.position > rule.position) break;
      if (budget.steps <= 0) break;
      if (matches(rule.segments, names, budget)) consider(rule);
    }
    return best && { pattern: best.pattern, owners: best.owners };
  };
}

/** Returns whether a key is that of a pattern such as `*.ts`, which means an extension. */
function isExtension(key: string): boolean {
  return key.startsWith(anyText) && /^\.[\w-]+$/.test(key.slice(anyText.length));
}

/** Returns the names of a pattern from the root. A pattern that ends with a slash means what is in the folder. */
function comparable({ segments, isAnchored }: OwnerPattern): readonly string[] {
  const whole = segments.at(-1) === '' ? [...segments.slice(0, -1), anyFolders, anyText] : segments;
  return isAnchored ? whole : [anyFolders, ...whole];
}

/** Compares in at most the product of both lengths. A pattern that matches a folder matches what is in it. */
function matches(wanted: readonly string[], names: readonly string[], budget: Budget): boolean {
  // `docs/*` means the files directly in a folder; only a last name without a wildcard may be a folder.
  const last = wanted.at(-1);
  const mayEndEarly = last !== anyText && last !== anyFolders;
  let [at, name, starAt, starName] = [0, 0, -1, 0];
  while (name < names.length) {
    if (budget.steps-- <= 0) return false;
    if (wanted[at] === anyFolders) {
      [starAt, starName] = [at, name];
      at += 1;
      if (at === wanted.length) return true;
    } else if (at < wanted.length && matchesName(wanted[at] ?? '', names[name] ?? '', budget)) {
      at += 1;
      name += 1;
      if (at === wanted.length && mayEndEarly) return true;
    } else if (starAt >= 0) {
      starName += 1;
      [at, name] = [starAt + 1, starName];
    } else return false;
  }
  return at === wanted.length;
}

function matchesName(pattern: string, name: string, budget: Budget): boolean {
  if (pattern === name) return true;
  const last = pattern.at(-1);
  if (last !== anyText && last !== oneCharacter && last !== name.at(-1)) return false;
  let [at, character, starAt, starCharacter] = [0, 0, -1, 0];
  while (character < name.length) {
    if (budget.steps-- <= 0) return false;
    if (pattern[at] === anyText) {
      [starAt, starCharacter] = [at, character];
      at += 1;
    } else if (at < pattern.length && (pattern[at] === oneCharacter || pattern[at] === name[character])) {
      at += 1;
      character += 1;
    } else if (starAt >= 0) {
      starCharacter += 1;
      [at, character] = [starAt + 1, starCharacter];
    } else return false;
  }
  while (pattern[at] === anyText) at += 1;
  return at === pattern.length;
}

/** Signs of a wildcard in the names of a pattern. No name of a file contains them. */
const anyText = '\0';
const oneCharacter = '/';
const anyFolders = anyText + anyText;

/** A pattern of a CODEOWNERS file, by the rules of gitignore. */
interface OwnerPattern {
  /** Its names, without escapes. The last one is empty if the pattern ends with a slash, which means a folder. */
  readonly segments: readonly string[];
  /** True if it begins at the root: it has a slash that is not at its end. */
  readonly isAnchored: boolean;
  readonly hasWildcard: boolean;
}

/** Reads a pattern in linear time. A backslash makes a literal of any character after it. */
function readOwnerPattern(pattern: string): OwnerPattern {
  const segments: string[] = [];
  let name = '';
  let hasWildcard = false;
  for (const [token] of pattern.matchAll(/\\?[^]/g)) {
    const isEscaped = token.length > 1;
    const character = token.slice(-1);
    if (character === '/') {
      segments.push(name);
      name = '';
    } else if (isEscaped || (character !== '*' && character !== '?')) name += character;
    else {
      hasWildcard = true;
      if (character === '?') name += oneCharacter;
      // More than two asterisks mean the same as two.
      else if (name !== anyFolders) name += anyText;
    }
  }
  segments.push(name);
  const isRooted = segments.length > 1 && segments[0] === '';
  return {
    segments: isRooted ? segments.slice(1) : segments,
    isAnchored: isRooted || segments.length > (segments.at(-1) === '' ? 2 : 1),
    hasWildcard,
  };
}

/** A line of a CODEOWNERS file that names the owners of files. */
interface OwnerLine {
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
function* readOwnerLines(text: string): Generator<OwnerLine> {
  let section: Section = { name: '', owners: [] };
  for (const line of text.split('\n')) {
    const next = readHeader(line);
    section = next ?? section;
    if (next !== undefined) continue;
    const [pattern, ...words] = wordsOf(line);
    if (pattern === undefined || pattern.startsWith('!')) continue;
    const owners = ownersOf(words);
    yield { section: section.name, pattern, owners: words.length === 0 ? section.owners : owners };
  }
}

/** Matches the first line of a section: its name, and its default owners. */
const header = /^\^?\[([^\]]*)\](?:\[\d{0,9}\])?(?=[\s#]|$)([^]*)$/;

/** Reads the first line of a section; `undefined` if a line is none, such as a pattern that begins with a bracket. */
function readHeader(line: string): Section | undefined {
  const [, name, rest] = header.exec(line.trim()) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  return { name: name.toLowerCase(), owners: ownersOf(wordsOf(rest)) };
}

/** Returns the accounts, teams and addresses of some words. Roles, such as `@@developer`, name nobody. */
function ownersOf(words: readonly string[]): readonly string[] {
  return words.filter((word) => word.includes('@') && !word.startsWith('@@')).slice(0, maxOwners);
}

/** Splits a line at its blanks, up to a comment. A backslash keeps the character after it in its word. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:\\[^\r]|[^ \t\r])+/g) ?? [];
  const comment = words.findIndex((word) => word.startsWith('#'));
  return comment === -1 ? words : words.slice(0, comment);
}
