import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { printAddress } from '../../search/address.ts';
import type { Source } from '../answer.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { fitting } from '../text/markdown.ts';
import { codeOf, isProduct, readText } from './line-source.ts';
import { orNone } from './past-commits.ts';
import { placeSource } from './place-source.ts';
import type { PastCommit } from './sources.ts';

/**
 * Maximum number of bytes of a difference that are read: one page; numbers of files whose changes are shown and of
 * bytes of each.
 */
const max = { bytes: 60_000, files: 2, bytesOfFile: 1_600 } as const;

/** A line that a commit added or removed, with its sign. */
export interface ChangedLine {
  readonly path: string;
  readonly line: string;
}

/** Returns a pattern that finds a text as a word of its own, not as a part of a longer one. */
export function wordPattern(text: string): RegExp {
  const outside = String.raw`(?<![\p{L}\p{N}_])`;
  return new RegExp(`${outside}${escapePattern(text)}(?:${outside}|(?![\\p{L}\\p{N}_]))`, 'u');
}

/** Returns a function that tells whether a text has a name as a word, not only before a member: `hemp.old`. */
export function nameFinder(name: string): (text: string) => boolean {
  const pattern = new RegExp(`${wordPattern(name).source}(?!(?:\\.|::|->|#)[\\p{L}_])`, 'u');
  return (text) => pattern.test(text);
}

/** Returns whether a changed line has a word in code of the product. */
export function isCode({ path, line }: ChangedLine, word: RegExp): boolean {
  return isProduct({ path }) && word.test(codeOf(line.slice(1)));
}

/** Returns the lines with a word that a commit removed and added, of one file or all; `cut` if some were not read. */
export async function changedLines(
  inquiry: Inquiry,
  commit: PastCommit,
  word: RegExp,
  file?: string,
): Promise<{ readonly changed: readonly ChangedLine[]; readonly cut: boolean }> {
  const diff = await readDiff(inquiry, commit, file);
  const changed = filesIn(diff?.text).flatMap(({ path, hunks }) =>
    hunks
      .flatMap((hunk) => hunk.split('\n'))
      .filter((line) => /^[-+]/.test(line) && word.test(line))
      .map((line) => ({ path, line })),
  );
  return { changed, cut: diff?.cut !== false || diff.next !== undefined };
}

function readDiff(
  { deps, scope, signal }: Inquiry,
  { repository, id }: PastCommit,
  path: string | undefined,
) {
  const page = { offset: 0, maxBytes: max.bytes };
  return deps.sources.readDiff(
    scope,
    { repository: repository.id, commit: id, ...page, ...given({ path }) },
    signal,
  );
}

/** Reads the files of a unified difference; those that it removed by their former paths. */
function filesIn(diff = '') {
  return diff.split(/^(?=diff --git )/mu).map((file) => {
    const [head = '', ...hunks] = file.split(/^(?=@@ )/mu);
    const [, path = ''] = /^\+\+\+ b\/(.*)/mu.exec(head) ?? /^--- a\/(.*)/mu.exec(head) ?? [];
    return { path, hunks, isRemoved: head.includes('\n+++ /dev/null') };
  });
}

/** What is wanted of a commit: its changes of a file or definition, those of lines with a word, or all of code. */
export interface WantedChange {
  readonly target?: Target | undefined;
  readonly word?: RegExp;
}

/**
 * Returns what a commit changed in some files, the first hunks of each. Of a word in the file of a target, it also
 * returns what the commit removed elsewhere, because it may have moved that.
 */
export async function changeSources(
  inquiry: Inquiry,
  commit: PastCommit,
  { target, word }: WantedChange,
): Promise<readonly Source[]> {
  const { repository, id, followed } = commit;
  const own = target?.path ? (followed ?? target.path) : undefined;
  const isWanted = word === undefined ? await lineFilter(inquiry, target) : signed(word, /^[-+]/u);
  const changed = await changesOf(inquiry, commit, isWanted, own);
  const isElsewhere = own !== undefined && word !== undefined;
  const moved = isElsewhere ? await changesOf(inquiry, commit, signed(word, /^-/u)) : [];
  const files = [...changed, ...moved.filter(({ path }) => path !== own)];
  return files.slice(0, max.files).map(({ path, parent, hunks }) => {
    const fit = fitting(hunks, max.bytesOfFile);
    const shown = fit.length > 0 ? fit : hunks.slice(0, 1);
    const spans = shown.map((hunk) => spanOf(hunk, parent === undefined ? '+' : '-'));
    const [commitId, first, last] = [parent ?? id, spans[0]!.first, spans.at(-1)!.last];
    const text = shorten(shown.join('').trimEnd(), max.bytesOfFile);
    const place = { path, commit: commitId, startLine: first, endLine: last, text, reason: 'changed' };
    const at = { repository: repository.name, path, lines: { first, last }, commit: shortCommit(commitId) };
    // The address names the commit also if that is the indexed one: the text is no text of the file.
    return { ...placeSource(inquiry, repository, place), address: printAddress(at) };
  });
}

/** Returns the hunks of a commit with a line that is wanted, of one file or of code. A removed file is in the parent. */
async function changesOf(
  inquiry: Inquiry,
  commit: PastCommit,
  isWanted: (line: string) => boolean,
  own?: string,
) {
  const diff = await orNone(inquiry, readDiff(inquiry, commit, own));
  return filesIn(diff?.text)
    .filter((file) => own !== undefined || isProduct(file))
    .map(({ path, hunks, isRemoved }) => ({
      path,
      parent: isRemoved ? diff?.parents[0] : undefined,
      hunks: hunks.filter((hunk) => hunk.split('\n').some(isWanted)),
    }))
    .filter(({ hunks }) => hunks.length > 0);
}

/** Returns the lines that a hunk shows, before or after the commit. */
function spanOf(hunk: string, sign: string): { readonly first: number; readonly last: number } {
  const [, start = '1', count = '1'] = new RegExp(`^@@ .*?[${sign}](\\d+)(?:,(\\d+))?`, 'u').exec(hunk) ?? [];
  const first = Math.max(1, Number(start));
  return { first, last: Math.max(first, Number(start) + Number(count) - 1) };
}

/** Returns a function that finds changed lines with a word. */
function signed(word: RegExp, sign: RegExp): (line: string) => boolean {
  return (line) => sign.test(line) && word.test(line);
}

/** Returns a function that finds the lines that a commit wrote and a target still has: any line, if it has none. */
async function lineFilter(inquiry: Inquiry, target: Target | undefined): Promise<(line: string) => boolean> {
  if (target?.lines === undefined) return () => true;
  const { repository, path, lines } = target;
  const text = (await readText(inquiry, repository, path)) ?? '';
  const now = new Set(text.split('\n').slice(lines.first - 1, lines.last));
  return (line) => line.startsWith('+') && line.trim() !== '+' && now.has(line.slice(1));
}
