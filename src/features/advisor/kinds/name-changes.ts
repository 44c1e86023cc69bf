import type { SourceDiff } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { partsOfName } from '../../search/symbol-name.ts';
import { codeOf, isProduct, readText } from '../evidence/line-source.ts';
import { placeText } from '../evidence/place-source.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import type { Target } from './target.ts';

/**
 * Numbers of commits whose lines are read, of pages of a difference, and of lines that are stated. Lengths of a line,
 * in characters, and of a page, in bytes.
 */
const max = { read: 12, pages: 8, lines: 4, line: 160, bytes: 60_000 } as const;

/** A name to look for in the changes of commits. */
export interface Wanted {
  /** The last part of the name, or the form of its definition. */
  readonly text: string;
  /** True if the line of its definition is not indented. */
  readonly isOutside?: boolean;
  /** True if the question asks when it came; false if it asks for the last commit that removed it. */
  readonly isFirst: boolean;
  /** The definition whose file is compared under all names that it had. Without one, all files are compared. */
  readonly of?: Target | undefined;
  /** The file that had the code until a commit moved it, whose history is compared instead. */
  readonly before?: { readonly path: string; readonly commit: string };
}

/** The commit that added or removed a name. */
export interface NameChange {
  /** The index of the commit. */
  readonly at: number;
  /** States the lines with the text that it changed. */
  readonly lines: readonly Sentence[];
  /** False if no commit did so, and this one only changed lines with the text, or is the first of all. */
  readonly isFound: boolean;
  /** False if no line has the text as a word, or not all lines of the commits before it were read. */
  readonly isCertain: boolean;
}

/**
 * Returns the first of some commits that added code of the product with a text as a word, or removed more of it than it
 * added, else the first one that changed a line with the word.
 */
export async function firstChange(
  inquiry: Inquiry,
  commits: readonly PastCommit[],
  wanted: Wanted,
): Promise<NameChange> {
  const { isFirst, of } = wanted;
  let best: NameChange = { at: 0, lines: [], isFound: false, isCertain: false };
  let isWhole = true;
  for (const [at, commit] of commits.slice(0, max.read).entries()) {
    const { changed, code, cut } = await changesOf(inquiry, commit, wanted);
    const added = code.filter(({ line }) => line.startsWith('+')).length;
    const isFound = isFirst ? added > 0 : added * 2 < code.length;
    const wereRead = isWhole;
    isWhole &&= !cut;
    if (!isFound && (best.lines.length > 0 || changed.length === 0)) continue;
    const lines = (isFound ? code : changed).slice(0, max.lines).map(({ path, line }): Sentence => {
      const shown = inlineCode(shorten(visibleLine(line.slice(1)).trim(), max.line));
      const place = placeText(commit.repository.name, path);
      return [`${line.startsWith('-') ? 'Removed' : 'Added'} in ${place}: ${shown}`];
    });
    // What a commit changed was there before.
    const isNew = of === undefined || added === code.length;
    best = { at, lines, isFound, isCertain: wereRead && isNew };
    if (isFound) break;
  }
  return best;
}

/** Returns the lines with a text that a commit changed, and those of them that are code in question. */
async function changesOf(
  inquiry: Inquiry,
  commit: PastCommit,
  wanted: Wanted,
): Promise<ChangedLines & { readonly code: readonly ChangedLine[] }> {
  const { text, of, before } = wanted;
  const path = of && (commit.followed ?? before?.path ?? of.path);
  const word = new RegExp(`${of === undefined ? '' : '(?<!\\.|->|::)'}${wordPattern(text).source}`, 'u');
  const found = await changedLines(inquiry, commit, word, {
    path,
    pages: path === undefined ? 1 : max.pages,
  });
  const isHeld = path === undefined ? () => true : await holderFilter(inquiry, commit, wanted, path);
  return { ...found, code: found.changed.filter((one) => isCode(one, word) && isHeld(one)) };
}

/**
 * Returns the file from which a commit moved a definition to another file, and its form there; `isCertain` is false if
 * it may have moved it from a place that is not known.
 */
export async function movedFrom(
  inquiry: Inquiry,
  commit: PastCommit,
  text: string,
  of: Target,
): Promise<{ readonly from?: (Form & { readonly path: string }) | undefined; readonly isCertain: boolean }> {
  const { name } = of.node;
  const [word, form] = [wordPattern(name), wordPattern(text)];
  const { changed, cut } = await changedLines(inquiry, commit, word, { pages: max.pages });
  const code = changed.filter((one) => isCode(one, word));
  const added = code.filter(({ line }) => line.startsWith('+') && form.test(line));
  const addedTo = new Set(added.map(({ path }) => path));
  const left = code.filter(({ path, line }) => line.startsWith('-') && !addedTo.has(path));
  const restOf = ({ line }: ChangedLine): string => line.slice(line.search(word) + name.length).trimEnd();
  const rests = new Set(added.map(restOf).filter((rest) => /^ \p{L}/u.test(rest)));
  const texts = new Set(added.map(({ line }) => line.slice(1).trim()));
  // Several types may have a member of one name.
  const isMoved = (one: ChangedLine): boolean =>
    ownerOf(of) === undefined
      ? form.test(one.line) || rests.has(restOf(one))
      : texts.has(one.line.slice(1).trim());
  const from = left.find(isMoved);
  // A line such as `int send(` instead of `void send(` may be the same definition: it has the name in the same place.
  const columnOf = (one: ChangedLine): string =>
    `${one.path} ${one.line.slice(1).search(/\S/u)} ${restOf(one)[0]}`;
  const columns = new Set(added.map(columnOf));
  const isCertain =
    !cut &&
    !code.some((one) => one.line.startsWith('-') && (form.test(one.line) || columns.has(columnOf(one))));
  return { from: from && { path: from.path, ...formIn([from.line.slice(1)], name) }, isCertain };
}

function isCode({ path, line }: ChangedLine, word: RegExp): boolean {
  return isProduct({ path }) && word.test(codeOf(line.slice(1)));
}

/** Returns a pattern of a text that begins and ends no word within it. */
export function wordPattern(text: string): RegExp {
  const outside = String.raw`(?<![\p{L}\p{N}_])`;
  return new RegExp(`${outside}${escapePattern(text)}(?:${outside}|(?![\\p{L}\\p{N}_]))`, 'u');
}

/** Returns whether texts have a name as a word, not only before that of a member; or there is none to look for. */
export function nameFinder(name: string | undefined): (text: string) => boolean {
  if (name === undefined) return () => true;
  const pattern = new RegExp(`${wordPattern(name).source}(?!(?:\\.|::|->|#)[\\p{L}_])`, 'u');
  return (text) => pattern.test(text);
}

/** Returns what to look for in former versions of a definition. */
export async function formOf(inquiry: Inquiry, { node, repository, path, lines }: Target): Promise<Form> {
  const text = await readText(inquiry, repository, path);
  return formIn(text?.split('\n').slice((lines?.first ?? 1) - 1, lines?.last) ?? [], node.name);
}

type Form = Pick<Wanted, 'text' | 'isOutside'>;

/**
 * Returns a name with the word before it in the first line that has it, such as `class Item` or `exports.item`, or else
 * with the sign or word behind it, such as `send(`: few other lines have it so.
 */
function formIn(lines: readonly string[], name: string): Form {
  const pattern = new RegExp(
    `(\\S{1,60} |\\S{1,60}[.:>])?${wordPattern(name).source}( ?[^\\s\\w]| \\w+)?`,
    'u',
  );
  const line = lines.find((one) => pattern.test(codeOf(one))) ?? '';
  const [, before = '', after = ''] = pattern.exec(line) ?? [];
  return { text: before === '' ? `${name}${after}` : `${before}${name}`, isOutside: /^\S/u.test(line) };
}

/** Returns the name of the type or module around a definition. */
function ownerOf({ node }: Target): string | undefined {
  return partsOfName(String(node.props['qualifiedName'])).at(-2);
}

/** Returns what tells whether a line that a commit added is of the type around a definition, as far as it is indented. */
async function holderFilter(
  { deps, scope, signal }: Inquiry,
  { repository, id: commit }: PastCommit,
  { of, isOutside = false }: Wanted,
  path: string,
): Promise<(line: ChangedLine) => boolean> {
  const owner = of && ownerOf(of);
  if (owner === undefined) return ({ line }) => !isOutside || /^.\S/u.test(line);
  const file = await deps.sources.readFile(scope, { repository: repository.id, path, commit }, signal);
  const held = linesWithin(file?.content?.split('\n') ?? [], wordPattern(owner), isOutside);
  return ({ line }) => held.has(line.slice(1));
}

/** Returns the lines whose nearest less indented line has an owner, or that have it, or are not indented if `isOutside`. */
function linesWithin(lines: readonly string[], owner: RegExp, isOutside: boolean): ReadonlySet<string> {
  const held = new Set<string>();
  /** The lines that may hold the next one, each less indented than the one after it. */
  const holders: { readonly indent: number; readonly isOwner: boolean }[] = [];
  for (const line of lines) {
    const indent = line.search(/\S/u);
    const isOwner = owner.test(line);
    const holder = holders.findLast((one) => one.indent < indent);
    if (isOwner || (indent === 0 ? isOutside : holder?.isOwner === true)) held.add(line);
    // A line such as `{` or `public:` holds nothing.
    if (!/\w\W+\w/u.test(codeOf(line))) continue;
    while (holders.length > 0 && holders.at(-1)!.indent >= indent) holders.pop();
    holders.push({ indent, isOwner });
  }
  return held;
}

interface ChangedLines {
  readonly changed: readonly ChangedLine[];
  readonly cut: boolean;
}

interface ChangedLine {
  readonly path: string;
  readonly line: string;
}

/** Returns the lines with a word that a commit removed and added, of a file if one is given; `cut` if some were not read. */
async function changedLines(
  { deps, scope, signal }: Inquiry,
  { repository, id }: PastCommit,
  word: RegExp,
  { path: file, pages = 1 }: { readonly path?: string | undefined; readonly pages?: number } = {},
): Promise<ChangedLines> {
  const request = { repository: repository.id, commit: id, maxBytes: max.bytes, ...given({ path: file }) };
  const lines: string[] = [];
  let diff: SourceDiff | undefined;
  for (let page = 0; page < pages && (page === 0 || diff?.next !== undefined); page++) {
    diff = await deps.sources.readDiff(scope, { ...request, offset: diff?.next ?? 0 }, signal);
    lines.push(...(diff?.text.split('\n') ?? []));
  }
  let path = '';
  let isHead = true;
  const changed = lines.flatMap((line) => {
    // A removed line may begin with two dashes itself, which begin a comment of SQL.
    const sign = line.charAt(0);
    if (sign === '' || !'-+ \\'.includes(sign)) isHead = !line.startsWith('@@ ');
    const isPlace = isHead && ['--- ', '+++ '].some((mark) => line.startsWith(mark));
    if (isPlace && !line.endsWith('/dev/null')) path = line.slice('+++ b/'.length);
    return !isPlace && (sign === '-' || sign === '+') && word.test(line) ? [{ path, line }] : [];
  });
  return { changed, cut: diff?.cut !== false || diff.next !== undefined || lines.join('') === '' };
}
