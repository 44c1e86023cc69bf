import type { SourceDiff } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { codeOf, isProduct, readText } from '../evidence/line-source.ts';
import { historyOf } from '../evidence/past-commits.ts';
import { placeText } from '../evidence/place-source.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import type { Target } from './target.ts';

/**
 * Numbers of commits whose lines are read, and of lines that are stated. Lengths of a line, in characters, and of a
 * difference, in bytes.
 */
const max = { read: 12, lines: 4, line: 160, bytes: 60_000 } as const;

/** A name to look for in the changes of commits. */
export interface Wanted {
  /** The last part of the name. */
  readonly text: string;
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
  { text, isFirst, of, before }: Wanted,
): Promise<NameChange> {
  const word = wordPattern(text);
  const meant = isFirst && of !== undefined ? await definedPattern(inquiry, text, of) : word;
  let best: NameChange = { at: 0, lines: [], isFound: false, isCertain: false };
  let isWhole = true;
  const file = of && followedFile(inquiry, of.repository, before ?? { path: of.path });
  for (const [at, commit] of commits.slice(0, max.read).entries()) {
    const { changed, cut } = await changedLines(inquiry, commit, word, file);
    const code = changed.filter((one) => isCode(one, meant));
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
    best = { at, lines, isFound, isCertain: wereRead };
    if (isFound) break;
  }
  return best;
}

/** Returns whether a commit removed code of the product with a text as a word. */
export async function removesCode(inquiry: Inquiry, commit: PastCommit, text: string): Promise<boolean> {
  const word = wordPattern(text);
  const { changed } = await changedLines(inquiry, commit, word);
  return changed.some((one) => one.line.startsWith('-') && isCode(one, word));
}

/** Returns the file from which a commit moved a line of code with a text as a word to another file. */
export async function movedFrom(
  inquiry: Inquiry,
  commit: PastCommit,
  text: string,
): Promise<string | undefined> {
  const word = wordPattern(text);
  const { changed } = await changedLines(inquiry, commit, word);
  const code = changed.filter((one) => isCode(one, word));
  const added = code.filter(({ line }) => line.startsWith('+'));
  const isMoved = (from: ChangedLine): boolean =>
    added.some(({ path, line }) => path !== from.path && line.slice(1).trim() === from.line.slice(1).trim());
  return code.find((one) => one.line.startsWith('-') && isMoved(one))?.path;
}

function isCode({ path, line }: ChangedLine, word: RegExp): boolean {
  return isProduct({ path }) && word.test(codeOf(line.slice(1)));
}

export function wordPattern(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escapePattern(name)}(?![\\p{L}\\p{N}_])`, 'u');
}

/** Returns whether texts have a name as a word, not only before that of a member; or there is none to look for. */
export function nameFinder(name: string | undefined): (text: string) => boolean {
  if (name === undefined) return () => true;
  const pattern = new RegExp(`${wordPattern(name).source}(?!(?:\\.|::|->|#)[\\p{L}_])`, 'u');
  return (text) => pattern.test(text);
}

/** Returns a pattern of a name that is no member of a value, as in a call, unless its definition has it so. */
async function definedPattern(
  inquiry: Inquiry,
  name: string,
  { repository, path, lines }: Target,
): Promise<RegExp> {
  const text = await readText(inquiry, repository, path);
  const defined = text?.split('\n')[(lines?.first ?? 0) - 1] ?? '';
  const own = new RegExp(`(?<!\\.|->|::)${wordPattern(name).source}`, 'u');
  return own.test(defined) ? own : wordPattern(name);
}

interface ChangedLine {
  readonly path: string;
  readonly line: string;
}

/** A file with its former paths, the newest first, which are read when they are first asked for. */
interface FollowedFile {
  readonly path: string;
  formerPaths(): Promise<readonly string[]>;
}

function followedFile(
  inquiry: Inquiry,
  repository: Target['repository'],
  place: { readonly path: string; readonly commit?: string },
): FollowedFile {
  let former: Promise<readonly string[]> | undefined;
  const read = async (): Promise<readonly string[]> => {
    const { commits } = await historyOf(inquiry, repository, { ...place, files: true });
    return commits.flatMap(({ renamedFrom }) => renamedFrom ?? []);
  };
  return { path: place.path, formerPaths: () => (former ??= read()) };
}

/**
 * Returns the lines with a word that a commit removed and added, of a file under the first of its paths that it
 * changed if one is given; `cut` if it changed too many to read, or the file under no known path.
 */
async function changedLines(
  { deps, scope, signal }: Inquiry,
  { repository, id }: PastCommit,
  word: RegExp,
  file?: FollowedFile,
): Promise<{ readonly changed: readonly ChangedLine[]; readonly cut: boolean }> {
  const request = { repository: repository.id, commit: id, offset: 0, maxBytes: max.bytes };
  const read = (at?: string): Promise<SourceDiff | undefined> =>
    deps.sources.readDiff(scope, { ...request, ...given({ path: at }) }, signal);
  let diff = await read(file?.path);
  const former = diff?.text === '' ? await file?.formerPaths() : undefined;
  for (const at of former ?? []) {
    diff = await read(at);
    if (diff?.text !== '') break;
  }
  let path = '';
  let isHead = true;
  const changed = (diff?.text.split('\n') ?? []).flatMap((line) => {
    // A removed line may begin with two dashes itself, which begin a comment of SQL.
    const sign = line.charAt(0);
    if (sign === '' || !'-+ \\'.includes(sign)) isHead = !line.startsWith('@@ ');
    const isPlace = isHead && ['--- ', '+++ '].some((mark) => line.startsWith(mark));
    if (isPlace && !line.endsWith('/dev/null')) path = line.slice('+++ b/'.length);
    return !isPlace && (sign === '-' || sign === '+') && word.test(line) ? [{ path, line }] : [];
  });
  return { changed, cut: diff?.cut !== false || diff.next !== undefined || diff.text === '' };
}
