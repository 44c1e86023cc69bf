import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { fittingLines } from '../../../foundation/kernel/text/fitting-lines.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { shorten } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { printAddress } from '../../search/address.ts';
import type { Source } from '../answer.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { isProduct, readText } from './line-source.ts';
import { orNone } from './past-commits.ts';
import { placeSource } from './place-source.ts';
import type { PastCommit } from './sources.ts';

/**
 * Maximum number of bytes of a difference that are read: one page; numbers of files whose changes are shown and of
 * bytes of each.
 */
const max = { bytes: 60_000, files: 2, bytesOfFile: 1_600 } as const;

/** A line that a commit added or removed, with its sign. */
interface ChangedLine {
  readonly path: string;
  readonly line: string;
}

/** Returns a pattern that finds a text as a word of its own, not as a part of a longer one. */
export function wordPattern(text: string): RegExp {
  const outside = String.raw`(?<![\p{L}\p{N}_])`;
  return new RegExp(`${outside}${escapePattern(text)}(?:${outside}|(?![\\p{L}\\p{N}_]))`, 'u');
}

/** What a commit changed in a file. */
interface ChangedFile {
  readonly path: string;
  readonly hunks: readonly string[];
  /** The parent of the commit, if that removed the file: only the parent has its lines. */
  readonly parent: string | undefined;
}

/** Reads what a commit changed in one file or all; `cut` if some was not read. A removed file has its former path. */
async function readChanges(inquiry: Inquiry, { repository, id }: PastCommit, file?: string) {
  const { deps, scope, signal } = inquiry;
  const page = { offset: 0, maxBytes: max.bytes };
  const request = given({ repository: repository.id, commit: id, ...page, path: file });
  const diff = await orNone(inquiry, deps.sources.readDiff(scope, request, signal));
  const files = (diff?.text ?? '').split(/^(?=diff --git )/mu).map((text): ChangedFile => {
    const [head = '', ...hunks] = text.split(/^(?=@@ )/mu);
    const [, path = ''] = /^\+\+\+ b\/(.*)/mu.exec(head) ?? /^--- a\/(.*)/mu.exec(head) ?? [];
    return { path, hunks, parent: head.includes('\n+++ /dev/null') ? diff?.parents[0] : undefined };
  });
  return { files, cut: diff?.cut !== false || diff.next !== undefined };
}

/** Returns the lines with a word that a commit removed and added, of one file or all; `cut` if some were not read. */
export async function changedLines(
  inquiry: Inquiry,
  commit: PastCommit,
  word: RegExp,
  file?: string,
): Promise<{ readonly changed: readonly ChangedLine[]; readonly cut: boolean }> {
  const { files, cut } = await readChanges(inquiry, commit, file);
  const changed = files.flatMap(({ path, hunks }) =>
    hunks.flatMap((hunk) => hunk.split('\n').filter(signed(word, /^[-+]/u))).map((line) => ({ path, line })),
  );
  return { changed, cut };
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
  const { files } = await readChanges(inquiry, commit, own);
  const isWanted = word === undefined ? await lineFilter(inquiry, target) : signed(word, /^[-+]/u);
  const changed = withHunks(own === undefined ? files.filter(isProduct) : files, isWanted);
  const isElsewhere = own !== undefined && word !== undefined;
  const others = isElsewhere ? (await readChanges(inquiry, commit)).files.filter(isProduct) : [];
  const moved = others.filter(({ path }) => path !== own);
  const all = isElsewhere ? [...changed, ...withHunks(moved, signed(word, /^-/u))] : changed;
  return all.slice(0, max.files).map(({ path, parent, hunks }) => {
    const shown = fittingLines(hunks, max.bytesOfFile);
    const spans = shown.map((hunk) => spanOf(hunk, parent === undefined ? '+' : '-'));
    const [commitId, first, last] = [parent ?? id, spans[0]!.first, spans.at(-1)!.last];
    const text = shorten(shown.join('').trimEnd(), max.bytesOfFile);
    const place = { path, commit: commitId, startLine: first, endLine: last, text, reason: 'changed' };
    const at = { repository: repository.name, path, lines: { first, last }, commit: shortCommit(commitId) };
    // The address names the commit also if that is the indexed one: the text is no text of the file.
    return { ...placeSource(inquiry, repository, place), address: printAddress(at) };
  });
}

/** Returns files with those of their hunks that have a line that is wanted. */
function withHunks(
  files: readonly ChangedFile[],
  isWanted: (line: string) => boolean,
): readonly ChangedFile[] {
  return files
    .map((file) => ({ ...file, hunks: file.hunks.filter((hunk) => hunk.split('\n').some(isWanted)) }))
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
