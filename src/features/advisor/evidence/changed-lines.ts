import { basename } from 'node:path/posix';
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
 * Maximum numbers of bytes of a difference that are read, which is one page, of hunks that are shown, of bytes of each,
 * and of lines before the first that is wanted; of lines that are compared to find some, and how far they are looked for.
 */
const max = { bytes: 60_000, hunks: 3, hunkBytes: 1_600, before: 3, compared: 60, shift: 5_000 } as const;

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

/** Neighbouring lines that a commit changed, with those around them. */
interface Hunk {
  /** The line of Git that says where they are. */
  readonly head: string;
  /** Number of the first line, after the commit or, if the commit emptied the file, before it. */
  readonly start: number;
  readonly lines: readonly string[];
}

/** What a commit changed in a file. */
interface ChangedFile {
  readonly path: string;
  /** The parent of the commit, if that removed or emptied the file: only the parent has its lines. */
  readonly parent: string | undefined;
  readonly hunks: readonly Hunk[];
}

/** A hunk as far as it is shown. */
interface ShownHunk {
  readonly path: string;
  /** The parent of the commit, if that removed or emptied the file. */
  readonly at: string | undefined;
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

/** Tells whether a line of a hunk is wanted, by its text with the sign and by its number. */
type IsWanted = (line: string, number: number) => boolean;

/**
 * Reads what a commit changed in one file or all; `cut` if some was not read. Lines end with a line feed only: other
 * ends of lines are text of the files. Files whose names Git quotes are left out.
 */
async function readChanges(inquiry: Inquiry, { repository, id }: PastCommit, file?: string) {
  const { deps, scope, signal } = inquiry;
  const page = { offset: 0, maxBytes: max.bytes };
  const request = given({ repository: repository.id, commit: id, ...page, path: file });
  const diff = await orNone(inquiry, deps.sources.readDiff(scope, request, signal));
  const files = (diff?.text ?? '')
    .split(/(?<=\n)(?=diff --git )/u)
    .flatMap((text): readonly ChangedFile[] => {
      const [head = '', ...hunks] = text.split(/(?<=\n)(?=@@ )/u);
      const isEmptied = /^@@ \S+ \+0,0 /u.test(hunks[0] ?? '');
      const sign = isEmptied ? '---' : '\\+\\+\\+';
      const [, path] = new RegExp(`\\n${sign} [ab]/([^\\n\\t]+)`, 'u').exec(head) ?? [];
      const parent = isEmptied ? diff?.parents[0] : undefined;
      return path === undefined
        ? []
        : [{ path, parent, hunks: hunks.map((hunk) => hunkOf(hunk, isEmptied)) }];
    });
  return { files, cut: diff?.cut !== false || diff.next !== undefined };
}

function hunkOf(text: string, isEmptied: boolean): Hunk {
  const [head = '', ...lines] = text.replace(/\n$/u, '').split('\n');
  const [, before, after] = /^@@ -(\d+)\S* \+(\d+)/u.exec(head) ?? [];
  return { head, lines, start: Math.max(1, Number(isEmptied ? before : after)) };
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
    hunks.flatMap(({ lines }) => lines.filter(changedWith(word)).map((line) => ({ path, line }))),
  );
  return { changed, cut };
}

/** What is wanted of a commit: the changes of a file or some of its lines, those of lines with a word, or all of code. */
export interface WantedChange {
  readonly target?: Pick<Target, 'repository' | 'path' | 'lines'> | undefined;
  readonly word?: RegExp;
}

/**
 * Returns the hunks that a commit changed, the first ones that are wanted. Of a word in the file of a target, it also
 * returns what the commit removed elsewhere, because it may have moved that.
 */
export async function changeSources(
  inquiry: Inquiry,
  commit: PastCommit,
  wanted: WantedChange,
): Promise<readonly Source[]> {
  const { target, word } = wanted;
  const own = target?.path ? pathIn(commit, target.path) : undefined;
  const { files } = await readChanges(inquiry, commit, own);
  const ofProduct = files.filter(isProduct);
  const among = own === undefined && ofProduct.length > 0 ? ofProduct : files;
  const ways = await waysToFind(inquiry, commit, own, wanted);
  const [found = []] = ways.map((isWanted) => shownHunks(among, isWanted)).filter((one) => one.length > 0);
  const isMovable = own !== undefined && word !== undefined;
  const others = isMovable ? (await readChanges(inquiry, commit)).files : [];
  const elsewhere = others.filter((file) => isProduct(file) && file.path !== own);
  const moved = shownHunks(elsewhere, changedWith(word, codeOf, /^-/u)).slice(0, 1);
  const shown = [...found.slice(0, max.hunks - moved.length), ...moved];
  return shown.map((hunk) => hunkSource(inquiry, commit, hunk));
}

/** Returns the ways to find the lines that are wanted, the best first: what says something comes before comments. */
async function waysToFind(
  inquiry: Inquiry,
  commit: PastCommit,
  own: string | undefined,
  { target, word }: WantedChange,
): Promise<readonly IsWanted[]> {
  if (word !== undefined || own === undefined || target?.lines === undefined)
    return [changedWith(word, codeOf), changedWith(word)];
  const lines = await linesIn(inquiry, commit, own, { ...target, lines: target.lines });
  if (lines === undefined) return [];
  return [(line, number) => /^[-+]/u.test(line) && lines.first <= number && number <= lines.last];
}

/** Returns a hunk as a source. It names the commit also if that is the indexed one: its text is no text of the file. */
function hunkSource(
  inquiry: Inquiry,
  { id, repository }: PastCommit,
  { path, at = id, text, first, last }: ShownHunk,
): Source {
  const place = { repository: repository.name, path, lines: { first, last }, commit: shortCommit(at) };
  const [address, uri] = [printAddress(place), printFileUri(place)];
  const lines = {
    path,
    commit: at,
    startLine: first,
    endLine: last,
    text,
    title: address,
    reason: 'changed',
  };
  return { ...placeSource(inquiry, repository, lines), address, uri };
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

/** Returns the hunks of files that have a wanted line, each from a few lines before the first of these on. */
function shownHunks(files: readonly ChangedFile[], isWanted: IsWanted): readonly ShownHunk[] {
  return files.flatMap(({ path, parent: at, hunks }) =>
    hunks.flatMap(({ head, start, lines }) => {
      let next = start;
      // A line that the other version has alone is at the next line of this one.
      const other = at === undefined ? '-' : '+';
      const numbers = lines.map((line) => (line.startsWith(other) ? next : next++));
      const wanted = lines.findIndex((line, index) => isWanted(line, numbers[index]!));
      if (wanted < 0) return [];
      const isLong = lines.join('\n').length > max.hunkBytes;
      const from = isLong ? Math.max(0, wanted - max.before) : 0;
      const shown = fittingLines(lines.slice(from), max.hunkBytes);
      const text = [head, ...(from > 0 ? ['…'] : []), ...shown].join('\n');
      return [{ path, at, text, first: numbers[from]!, last: numbers[from + shown.length - 1]! }];
    }),
  );
}

/** Returns the lines of a target in the last commit that changed them: their text is what it is now, maybe elsewhere. */
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
