/** The rule that names the owners of a file. */
export interface OwnerRule {
  /** As written. */
  readonly pattern: string;
  /** Accounts (`@ada`), teams (`@acme/web`) or e-mail addresses. Empty: the file has no owner. */
  readonly owners: readonly string[];
}

/** Returns the rule of a file: the last one that matches. */
export type FindOwnerRule = (path: string) => OwnerRule | undefined;

/** The places of the file, in the order in which Git hosts look for it. */
export const ownerFiles: readonly string[] = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'];

/**
 * Maximum number of patterns with wildcards, and of owners of a pattern. Patterns without wildcards are looked up.
 * `steps`: of the comparison of one path with patterns, the last pattern first.
 */
const max = { wildcards: 5_000, owners: 20, steps: 200_000 } as const;

/** The steps that are left to compare one path. */
interface Budget {
  steps: number;
}

interface Numbered extends OwnerRule {
  readonly position: number;
}

interface Wildcard extends Numbered {
  readonly segments: readonly string[];
}

/** Reads a CODEOWNERS file. The time to look up a path is limited, whatever the file contains. */
export function parseCodeOwners(text: string): FindOwnerRule {
  const anchored = new Map<string, Numbered>();
  const anywhere = new Map<string, Numbered>();
  const extensions = new Map<string, Numbered>();
  const wildcards: Wildcard[] = [];
  for (const [position, line] of text.split('\n').entries()) {
    const rule = parseLine(line);
    if (rule === undefined) continue;
    const numbered: Numbered = { ...rule, position };
    const { name, isAnchored } = nameOf(rule.pattern);
    const extension = isAnchored ? undefined : /^\*(\.[\w-]+)$/.exec(name)?.[1];
    if (extension !== undefined) extensions.set(extension, numbered);
    else if (/[*?]/.test(name)) {
      const segments = name.split('/');
      wildcards.push({ ...numbered, segments: isAnchored ? segments : ['**', ...segments] });
    } else (isAnchored ? anchored : anywhere).set(name, numbered);
  }
  const late = wildcards.slice(-max.wildcards).toReversed();
  return (path) => {
    const names = path.split('/');
    let best: Numbered | undefined;
    const consider = (rule: Numbered | undefined): void => {
      if (rule !== undefined && (best === undefined || rule.position > best.position)) best = rule;
    };
    for (const [index, name] of names.entries()) {
      consider(anchored.get(names.slice(0, index + 1).join('/')));
      consider(anywhere.get(name));
      // A pattern that ends with a slash means folders.
      if (index < names.length - 1) {
        consider(anchored.get(`${names.slice(0, index + 1).join('/')}/`));
        consider(anywhere.get(`${name}/`));
      }
      const dot = name.lastIndexOf('.');
      if (dot >= 0) consider(extensions.get(name.slice(dot)));
    }
    const budget: Budget = { steps: max.steps };
    for (const rule of late) {
      if (best !== undefined && best.position > rule.position) break;
      if (budget.steps <= 0) break;
      if (matches(rule.segments, names, budget)) consider(rule);
    }
    return best && { pattern: best.pattern, owners: best.owners };
  };
}

function parseLine(line: string): OwnerRule | undefined {
  const text = line.replace(/(?:^|\s)#.*$/, '').trim();
  if (text === '' || /^\^?\[/.test(text) || text.startsWith('!')) return undefined;
  const [pattern = '', ...owners] = text.split(/(?<!\\)\s+/);
  return { pattern, owners: owners.filter((owner) => owner.includes('@')).slice(0, max.owners) };
}

/** A pattern with a slash that is not at its end begins at the root. */
function nameOf(pattern: string): { readonly name: string; readonly isAnchored: boolean } {
  const unescaped = pattern.replaceAll('\\ ', ' ');
  const isAnchored = unescaped.slice(0, -1).includes('/');
  return { name: unescaped.replace(/^\//, ''), isAnchored };
}

/** Compares in at most the product of both lengths. A pattern that matches a folder matches what is in it. */
function matches(pattern: readonly string[], names: readonly string[], budget: Budget): boolean {
  const wanted = pattern.at(-1) === '' ? [...pattern.slice(0, -1), '**', '*'] : pattern;
  // `docs/*` means the files directly in a folder; only a last name without a wildcard may be a folder.
  const mayEndEarly = !/^\*+$/.test(wanted.at(-1) ?? '');
  let [at, name, starAt, starName] = [0, 0, -1, 0];
  while (name < names.length) {
    if (budget.steps-- <= 0) return false;
    if (wanted[at] === '**') {
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
  const last = pattern.at(-1);
  if (last !== '*' && last !== '?' && last !== name.at(-1)) return false;
  let [at, character, starAt, starCharacter] = [0, 0, -1, 0];
  while (character < name.length) {
    if (budget.steps-- <= 0) return false;
    if (pattern[at] === '*') {
      [starAt, starCharacter] = [at, character];
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[character])) {
      at += 1;
      character += 1;
    } else if (starAt >= 0) {
      starCharacter += 1;
      [at, character] = [starAt + 1, starCharacter];
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
