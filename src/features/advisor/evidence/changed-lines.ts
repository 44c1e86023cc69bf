import { basename } from 'node:path/posix';
import { pathInHeader } from '../../../foundation/git/objects/quoted-path.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { fittingLines } from '../../../foundation/kernel/text/fitting-lines.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { printFileUri } from '../../../foundation/kernel/wire/resource-uri.ts';
import { printAddress } from '../../search/address.ts';
import type { Source } from '../answer.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { codeOf, isProduct, readText } from './line-source.ts';
import { orNone } from './past-commits.ts';
import { placeSource } from './place-source.ts';
import type { PastCommit } from './sources.ts';

/**
 * Maximum numbers of bytes of a difference that are read, which is one page, of hunks that are shown, of bytes of each
 * and of lines before the first that is wanted; of lines that are compared to find them in a commit, and by which they
 * may have moved.
 */
const max = { bytes: 60_000, hunks: 3, hunkBytes: 1_600, before: 3, compared: 60, shift: 5_000 } as const;

/** Returns a pattern that finds a text as a word of its own, not as a part of a longer one. */
export function wordPattern(text: string): RegExp {
  const character = String.raw`[\p{L}\p{N}_]`;
  // A setting such as `log.file` is no part of `log.file.max`.
  const next = text.includes('.') ? `[.-]?${character}` : character;
  // A text that ends in a sign, such as `save!`, ends its word: a letter may follow.
  return new RegExp(`(?<!${character})${escapePattern(text)}(?:(?<!${character})|(?!${next}))`, 'u');
}

/** Neighbouring lines of a file that a commit changed, with those around them. */
interface Hunk {
  readonly path: string;
  /** True if the commit removed or emptied the file: only the parent, which is `at` then, has its lines. */
  readonly isEmptied: boolean;
  readonly at: string;
  /** The line of Git that says where they are. */
  readonly head: string;
  /** Number of the first line. */
  readonly start: number;
  /** The lines with their signs. */
  readonly lines: readonly string[];
}

/** Tells whether a line of a hunk is wanted, by its text with the sign and by its number. */
type IsWanted = (line: string, number: number) => boolean;

/** The changes of a commit in one file, by its path in the commit, or in all; `cut` if some were not read. */
type Changes = Awaited<ReturnType<typeof readChanges>>;

/**
 * Reads what a commit changed in the file that has a path now, or in all. Lines end with a line feed only: other ends
 * of lines are text of the files.
 */
export async function readChanges(inquiry: Inquiry, commit: PastCommit, present = '') {
  const { deps, scope, signal } = inquiry;
  const file = present === '' ? undefined : pathIn(commit, present);
  const page = { offset: 0, maxBytes: max.bytes };
  const request = given({ repository: commit.repository.id, commit: commit.id, ...page, path: file });
  const diff = await orNone(inquiry, deps.sources.readDiff(scope, request, signal));
  const texts = (diff?.text ?? '').split(/(?<=\n)(?=diff --git )/u);
  const hunks = texts.flatMap((text): readonly Hunk[] => {
    const [head = '', ...parts] = text.split(/(?<=\n)(?=@@ )/u);
    const isEmptied = /^@@ \S+ \+0,0 /u.test(parts[0] ?? '');
    const path = pathInHeader(head, isEmptied ? '---' : '+++');
    const at = (isEmptied ? diff?.parents[0] : undefined) ?? commit.id;
    return parts.map((part) => ({ path, isEmptied, at, ...linesOf(part, isEmptied) }));
  });
  return { file, hunks, cut: diff?.cut !== false || diff.next !== undefined };
}

function linesOf(part: string, isEmptied: boolean): Pick<Hunk, 'head' | 'start' | 'lines'> {
  const [head = '', ...lines] = part.replace(/\n$/u, '').split('\n');
  const [, before, after] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/u.exec(head) ?? [];
  return { head, lines, start: Math.max(1, Number(isEmptied ? before : after)) };
}

/** Returns the lines with a word that a commit removed and added. */
export function changedLines({ hunks }: Changes, word: RegExp) {
  return hunks.flatMap(({ path, lines }) => lines.filter(changedWith(word)).map((line) => ({ path, line })));
}

/** The changes of a commit that are wanted: those of a file or some of its lines, of lines with a word, or of code. */
export interface WantedChange {
  readonly target?: Pick<Target, 'repository' | 'path' | 'lines'> | undefined;
  readonly word?: RegExp;
  /** The changes in the file of the target, or in all, if they were read before. */
  readonly changes?: Changes;
}

/**
 * Returns the first hunks of a commit that are wanted, as sources. For a word in the file of a target, the last one is
 * one that removed it from another file, if there is one: the commit may have moved it.
 */
export async function changeSources(
  inquiry: Inquiry,
  commit: PastCommit,
  wanted: WantedChange,
): Promise<readonly Source[]> {
  const { target, word, changes } = wanted;
  const { file, hunks } = changes ?? (await readChanges(inquiry, commit, target?.path));
  const ofProduct = hunks.filter(isProduct);
  const among = file === undefined && ofProduct.length > 0 ? ofProduct : hunks;
  const ways = await waysToFind(inquiry, commit, file, wanted);
  const [found = []] = ways
    .map((isWanted) => sourcesOf(inquiry, commit, among, isWanted))
    .filter(({ length }) => length > 0);
  const others = file && word ? (await readChanges(inquiry, commit)).hunks : [];
  const elsewhere = others.filter((hunk) => isProduct(hunk) && hunk.path !== file);
  const moved = sourcesOf(inquiry, commit, elsewhere, changedWith(word, codeOf, /^-/u)).slice(0, 1);
  return [...found.slice(0, max.hunks - moved.length), ...moved];
}

/** Returns the ways to find the lines that are wanted, the best first: code comes before comments. */
async function waysToFind(
  inquiry: Inquiry,
  commit: PastCommit,
  file: string | undefined,
  { target, word }: WantedChange,
): Promise<readonly IsWanted[]> {
  if (word !== undefined || file === undefined || target?.lines === undefined)
    return [changedWith(word, codeOf), changedWith(word)];
  const lines = await linesIn(inquiry, commit, file, { ...target, lines: target.lines });
  if (lines === undefined) return [];
  return [(line, number) => /^[-+]/u.test(line) && lines.first <= number && number <= lines.last];
}

/** Returns the path of a file in a commit, which may be a former one. */
function pathIn({ followed, paths }: PastCommit, path: string): string {
  const moved = paths.includes(path) ? undefined : paths.find((one) => basename(one) === basename(path));
  return followed ?? moved ?? path;
}

/** Returns a function that tells whether a commit changed a line with a word, or with any text. */
function changedWith(
  word: RegExp = /\S/u,
  partOf = (line: string) => line,
  sign: RegExp = /^[-+]/u,
): (line: string) => boolean {
  return (line) => sign.test(line) && word.test(partOf(line.slice(1)));
}

/** Returns the hunks that have a wanted line as sources, long ones from a few lines before the first of these on. */
function sourcesOf(
  inquiry: Inquiry,
  { repository }: PastCommit,
  hunks: readonly Hunk[],
  isWanted: IsWanted,
): readonly Source[] {
  return hunks.flatMap(({ path, isEmptied, at, head, start, lines }) => {
    let next = start;
    // A line that only the other version has is at the next line of this one.
    const numbers = lines.map((line) => (line.startsWith(isEmptied ? '+' : '-') ? next : next++));
    const wanted = lines.findIndex((line, index) => isWanted(line, numbers[index]!));
    if (wanted < 0) return [];
    const isLong = fittingLines(lines, max.hunkBytes).length < lines.length;
    const from = isLong ? Math.max(0, wanted - max.before) : 0;
    const shown = fittingLines(lines.slice(from), max.hunkBytes);
    const text = [head, ...(from > 0 ? ['…'] : []), ...shown].join('\n');
    const [first, last] = [numbers[from]!, numbers[from + shown.length - 1]!];
    // The text is none of the file, so that its address names the commit even if that is the indexed one.
    const place = { repository: repository.name, path, lines: { first, last }, commit: shortCommit(at) };
    const [address, uri] = [printAddress(place), printFileUri(place)];
    const hunk = { path, commit: at, startLine: first, endLine: last, text, title: address };
    return [{ ...placeSource(inquiry, repository, { ...hunk, reason: 'changed' }), address, uri }];
  });
}

/** Returns where the lines of a target are in the last commit that changed them: those with the text of today. */
async function linesIn(
  inquiry: Inquiry,
  { id }: PastCommit,
  path: string,
  {
    repository,
    path: present,
    lines: { first, last },
  }: Pick<Required<Target>, 'repository' | 'path' | 'lines'>,
): Promise<Target['lines']> {
  const textAt = (at: string, commit?: string) => orNone(inquiry, readText(inquiry, repository, at, commit));
  const [now = '', then = ''] = await Promise.all([textAt(present), textAt(path, id)]);
  const wanted = now.split('\n').slice(first - 1, Math.min(last, first - 1 + max.compared));
  const all = then.split('\n');
  const isAt = (start: number): boolean => wanted.every((line, index) => all[start - 1 + index] === line);
  for (let shift = 0; wanted.length > 0 && shift <= max.shift; shift++)
    for (const start of [first + shift, first - shift])
      if (isAt(start)) return { first: start, last: start + last - first };
  return undefined;
}
