import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { partsOfName } from '../../search/symbol-name.ts';
import { type ChangedLine, changedLines, isCode, wordPattern } from '../evidence/changed-lines.ts';
import { codeOf, readText } from '../evidence/line-source.ts';
import { placeText } from '../evidence/place-source.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';

/** Numbers of commits whose lines are read, and of lines that are stated; length of a line, in characters. */
const max = { read: 12, lines: 4, line: 160 } as const;

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
  /**
   * False if no line has the text as a word, if the commit changed the definition instead of adding it, or if not all
   * lines of the commits before it were read.
   */
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
  let best: NameChange = { at: 0, lines: [], isFound: false, isCertain: false };
  let isWhole = true;
  for (const [at, commit] of commits.slice(0, max.read).entries()) {
    const { changed, code, cut } = await changesOf(inquiry, commit, wanted);
    const added = code.filter(({ line }) => line.startsWith('+')).length;
    const isFound = wanted.isFirst ? added > 0 : added * 2 < code.length;
    if (isFound || (best.lines.length === 0 && changed.length > 0)) {
      const lines = (isFound ? code : changed).slice(0, max.lines).map((one) => changeSentence(commit, one));
      // A definition that a commit changed was there before.
      const isNew = wanted.of === undefined || added === code.length;
      best = { at, lines, isFound, isCertain: isWhole && isNew };
    }
    if (isFound) break;
    isWhole &&= !cut;
  }
  return best;
}

function changeSentence({ repository }: PastCommit, { path, line }: ChangedLine): Sentence {
  const shown = inlineCode(shorten(visibleLine(line.slice(1)).trim(), max.line));
  return [`${line.startsWith('-') ? 'Removed' : 'Added'} in ${placeText(repository.name, path)}: ${shown}`];
}

/** Returns the lines with a text that a commit changed, and those of them that are code in question. */
async function changesOf(
  inquiry: Inquiry,
  commit: PastCommit,
  { text, of, before, isOutside }: Wanted,
): Promise<{
  readonly changed: readonly ChangedLine[];
  readonly code: readonly ChangedLine[];
  readonly cut: boolean;
}> {
  const path = of && (commit.followed ?? before?.path ?? of.path);
  const word = new RegExp(`${of === undefined ? '' : '(?<!\\.|->|::)'}${wordPattern(text).source}`, 'u');
  const found = await changedLines(inquiry, commit, word, path === undefined ? { pages: 1 } : { path });
  const code = found.changed.filter((one) => isCode(one, word));
  if (of === undefined || path === undefined) return { ...found, code };
  const owner = ownerOf(of);
  if (owner === undefined)
    return { ...found, code: isOutside === true ? code.filter(({ line }) => /^.\S/u.test(line)) : code };
  const { deps, scope, signal } = inquiry;
  const place = { repository: commit.repository.id, path, commit: commit.id };
  const file = await deps.sources.readFile(scope, place, signal);
  const held = linesWithin(file?.content?.split('\n') ?? [], wordPattern(owner), isOutside === true);
  return { ...found, code: code.filter(({ line }) => held.has(line.slice(1))) };
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

/**
 * Returns the file from which a commit moved a definition to another file, and its form there; `isCertain` is false if
 * it may have moved it, or changed an older one.
 */
export async function movedFrom(
  inquiry: Inquiry,
  commit: PastCommit,
  text: string,
  of: Target,
): Promise<{ readonly from?: (Form & { readonly path: string }) | undefined; readonly isCertain: boolean }> {
  const { name } = of.node;
  const [word, form] = [wordPattern(name), wordPattern(text)];
  const { changed, cut } = await changedLines(inquiry, commit, word);
  const code = changed.filter((one) => isCode(one, word));
  const added = code.filter(({ line }) => line.startsWith('+') && form.test(line));
  const removed = code.filter(({ line }) => line.startsWith('-'));
  const addedTo = new Set(added.map(({ path }) => path));
  const restOf = ({ line }: ChangedLine): string => line.slice(line.search(word) + name.length).trimEnd();
  const rests = new Set(added.map(restOf).filter((rest) => /^ \p{L}/u.test(rest)));
  const texts = new Set(added.map(({ line }) => line.slice(1).trim()));
  // Several types may have a member of one name.
  const isMoved = (one: ChangedLine): boolean =>
    ownerOf(of) === undefined
      ? form.test(one.line) || rests.has(restOf(one))
      : texts.has(one.line.slice(1).trim());
  const from = removed.find((one) => !addedTo.has(one.path) && isMoved(one));
  // A line such as `int send(` instead of `void send(` may be the same definition: it has the name in the same place.
  const columnOf = (one: ChangedLine): string =>
    `${one.path} ${one.line.slice(1).search(/\S/u)} ${restOf(one)[0]}`;
  const columns = new Set(added.map(columnOf));
  const isChanged = removed.some((one) => form.test(one.line) || columns.has(columnOf(one)));
  return {
    from: from && { path: from.path, ...formIn([from.line.slice(1)], name) },
    isCertain: !cut && from === undefined && !isChanged,
  };
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
