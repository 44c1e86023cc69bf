import { fileClassOf, languageOf, type SourceDiff } from '../../../backends/codesearch/port.ts';
import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { partsOfName } from '../../search/symbol-name.ts';
import { codeOf, isProduct, linesOf, readText, searchFor, searchLines } from '../evidence/line-source.ts';
import { historyOf } from '../evidence/past-commits.ts';
import { type CodeLine, codeSentence, placeText } from '../evidence/place-source.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Finding, Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { statedCommits } from './state-commits.ts';
import { type Target, targetSentence } from './target.ts';
import { repositoriesOfHistory, saysChange } from './weigh-commits.ts';

/**
 * Numbers of repositories whose commits are compared, of commits with a text, of lines with it in one file, of commits
 * whose lines are read, and of lines that are stated. Lengths of a line, in characters, and of a difference, in bytes.
 */
const max = {
  repositories: 3,
  withText: 201,
  ofFile: 200,
  read: 12,
  lines: 4,
  line: 160,
  bytes: 60_000,
} as const;

interface Wanted {
  /** The last part of the name. */
  readonly text: string;
  /** True if the question asks when it came; false if it asks for the last commit that removed it. */
  readonly isFirst: boolean;
  /** The definition whose file is compared under all names that it had. Without one, all files are compared. */
  readonly of?: Target | undefined;
}

/**
 * Answers with the oldest commit that added a name to the file of its definition, or to code of the product if
 * `targets` have no such definition or code before that commit had the name: another file may have defined it.
 */
export async function additionOf(
  inquiry: Inquiry,
  name: string,
  targets: readonly Target[],
): Promise<Finding | undefined> {
  const text = partsOfName(name).at(-1) ?? name;
  const of = definitionOf(name, text, targets);
  const wanted = { text, isFirst: true, of };
  const found = await commitsOf(inquiry, wanted);
  const change = await firstChange(inquiry, found.commits, wanted);
  const commit = found.commits[change.at];
  const isQualified = text !== name;
  const wasElsewhere = async (): Promise<boolean> =>
    commit === undefined || !change.isFound || (!isQualified && (await removesCode(inquiry, commit, text)));
  if (of !== undefined && (await wasElsewhere())) return additionOf(inquiry, name, []);
  if (commit === undefined) return nothingHas(inquiry, name, found);
  // Another thing may have the last part of the name.
  const isSure = change.isCertain && found.isWhole && (of !== undefined || !isQualified);
  const what = of === undefined ? [inlineCode(text)] : targetSentence(inquiry, of);
  const first = `${isSure ? 'First' : 'Oldest known'} commit that added `;
  return stated(inquiry, { ...found, change, isSure, what: [first, ...what] });
}

/** Returns the definition in the product that a name means, if one file has all of them or the name is qualified. */
function definitionOf(name: string, text: string, targets: readonly Target[]): Target | undefined {
  const named = targets.filter(
    ({ isNamed, node, path }) => isNamed && node.name === text && isProduct({ path }),
  );
  const [of] = named;
  const isOne = named.every(({ repository, path }) => repository === of?.repository && path === of.path);
  return isOne || text !== name ? of : undefined;
}

/**
 * Answers with the newest commit that removed more of the last part of a name from code of the product than it added,
 * if no code has it any more or the question asks for its removal.
 */
export async function removalOf(inquiry: Inquiry, name: string): Promise<Finding | undefined> {
  const text = partsOfName(name).at(-1) ?? name;
  const isGone = await isInNoCode(inquiry, text);
  if (!isGone && !saysChange(inquiry.question.head, 'remove').any) return undefined;
  const wanted = { text, isFirst: false };
  const found = await commitsOf(inquiry, wanted);
  if (found.commits.length === 0) return nothingHas(inquiry, name, found);
  const change = await firstChange(inquiry, found.commits, wanted);
  // Other code may still have the name that is gone from the place in question.
  if (!isGone && !change.isFound) return undefined;
  const what = [`Last commit that ${change.isFound ? '' : 'added or '}removed ${inlineCode(text)}`];
  return stated(inquiry, { ...found, change, isSure: change.isCertain && isGone, what });
}

/** Says that nothing has a name if no commit and no file does. */
function nothingHas(inquiry: Inquiry, name: string, { isEvery }: Commits): Finding | undefined {
  if (!isEvery || !inquiry.ranked.unmatched.includes(name)) return undefined;
  return absentName(inquiry, name, 'No definition, no use and no commit');
}

interface Found extends Commits {
  readonly change: NameChange;
  readonly isSure: boolean;
  /** The beginning of the first line. */
  readonly what: Sentence;
}

async function stated(inquiry: Inquiry, { commits, isWhole, change, isSure, what }: Found): Promise<Finding> {
  const finding = await statedCommits(inquiry, commits.slice(change.at, change.at + 2), isSure);
  const [lead = [], ...rest] = finding.lines;
  return {
    ...finding,
    lines: [[...what, ': ', ...lead], ...change.lines, ...rest],
    notes: isWhole ? [] : ['Older commits were not compared.'],
  };
}

interface Commits {
  /** The oldest or the newest first. */
  readonly commits: readonly PastCommit[];
  /** True if all commits were compared. */
  readonly isWhole: boolean;
  /** True if those of all searched repositories were. */
  readonly isEvery: boolean;
}

/** Returns the commits that changed the number of places of a text: those that touched the product if some did. */
async function commitsOf(inquiry: Inquiry, { text, isFirst, of }: Wanted): Promise<Commits> {
  const request = { text, max: max.withText, files: true, ...(of && { path: of.path }) };
  const likely = of === undefined ? likelyRepositories(inquiry, isFirst) : [of.repository];
  const read = await Promise.all(likely.map((one) => historyOf(inquiry, one, request)));
  const isWhole = read.every((one) => one.whole && !one.more);
  const all = read.flatMap((one) => one.commits).toSorted((a, b) => b.time - a.time);
  const ofProduct = all.filter(({ paths }) => paths.some((path) => isProduct({ path })));
  const newest = ofProduct.length > 0 ? ofProduct : all;
  return {
    commits: isFirst ? newest.toReversed() : newest,
    isWhole,
    isEvery: isWhole && inquiry.ranked.searched.every((one) => likely.includes(one)),
  };
}

function likelyRepositories(inquiry: Inquiry, isFirst: boolean): readonly SearchableRepository[] {
  // Passages tell nothing of a name that is in no code.
  const others = isFirst ? [] : askedRepositories(inquiry);
  return [...new Set([...repositoriesOfHistory(inquiry), ...others])].slice(0, max.repositories);
}

/** The commit that added or removed a name. */
interface NameChange {
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
async function firstChange(
  inquiry: Inquiry,
  commits: readonly PastCommit[],
  { text, isFirst, of }: Wanted,
): Promise<NameChange> {
  const word = wordPattern(text);
  const meant = isFirst && of !== undefined ? await definedPattern(inquiry, text, of) : word;
  let best: NameChange = { at: 0, lines: [], isFound: false, isCertain: false };
  let isWhole = true;
  const file = of && followedFile(inquiry, of);
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
async function removesCode(inquiry: Inquiry, commit: PastCommit, text: string): Promise<boolean> {
  const word = wordPattern(text);
  const { changed } = await changedLines(inquiry, commit, word);
  return changed.some((one) => one.line.startsWith('-') && isCode(one, word));
}

function isCode({ path, line }: ChangedLine, word: RegExp): boolean {
  return isProduct({ path }) && word.test(codeOf(line.slice(1)));
}

/** Returns whether no code of the product has a name as a word. Comments are no code. */
async function isInNoCode(inquiry: Inquiry, name: string): Promise<boolean> {
  const search = { text: name, form: 'word', matchesPerFile: max.ofFile } as const;
  const { lines, isWhole } = await searchLines(inquiry, search);
  const word = wordPattern(name);
  return isWhole && !lines.some((line) => isProduct(line) && word.test(codeOf(line.text)));
}

function wordPattern(name: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escapePattern(name)}(?![\\p{L}\\p{N}_])`, 'u');
}

/** Returns whether a text has a name as a word, not only before that of a member; or there is none to look for. */
export function saysName(text: string, name: string | undefined): boolean {
  if (name === undefined) return true;
  return new RegExp(`${wordPattern(name).source}(?!(?:\\.|::|->|#)[\\p{L}_])`, 'u').test(text);
}

/** Returns a pattern of a name that is no member of a value, as in a call, unless the line of its definition has it so. */
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

function followedFile(inquiry: Inquiry, { repository, path }: Target): FollowedFile {
  let former: Promise<readonly string[]> | undefined;
  const read = async (): Promise<readonly string[]> => {
    const { commits } = await historyOf(inquiry, repository, { path, max: max.withText, files: true });
    return commits.flatMap(({ renamedFrom }) => renamedFrom ?? []);
  };
  return { path, formerPaths: () => (former ??= read()) };
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

/** Numbers of files that are searched, of lines of one, and of lines that are stated; length of a line. */
const ofLogs = { files: 10, ofFile: 20, lines: 2, line: 200 } as const;
/** Paths of files that say what changed in each version, or of folders with one file for each. */
const changeLogs = '(?:^|/)(?:changes|changelog|history|news|releases?)[^/]*(?:/[^/]*)?$';
/** A line that begins the changes of a version. */
const heading = /^(?:#{1,5}\s*(?:[a-z][\w-]{0,40}\s+)?|(?:version|release)\s+)?\[?v?\d{1,5}\.\d/iu;

interface LoggedLines {
  readonly lines: readonly Sentence[];
  /** True if the first one names the change that the question asks for, such as a removal. */
  readonly saysChange: boolean;
}

/**
 * States lines of the change logs of some repositories that have the name that a question asks about, each with its
 * version, those that name the change first.
 */
export async function changeLogLines(
  inquiry: Inquiry,
  name: string | undefined,
  repositories: readonly SearchableRepository[],
): Promise<LoggedLines> {
  if (name === undefined) return { lines: [], saysChange: false };
  const path = { kind: 'regex', source: changeLogs, caseSensitive: false, field: 'path' } as const;
  const text = { kind: 'word', text: name } as const;
  const query = { kind: 'and', operands: [path, text] } as const;
  const limits = { limit: ofLogs.files, matchesPerFile: ofLogs.ofFile };
  const lines = linesOf(inquiry, await searchFor(inquiry, { query, repositories, ...limits }));
  const says = ({ text: line }: CodeLine): boolean => saysChange(inquiry.question.head, line).any;
  const isOwn = (code: CodeLine): boolean => saysName(code.text, name) && says(code);
  const logged = lines.filter((one) => isChangeLog(one.path));
  const first = logged
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || Number(says(b)) - Number(says(a)))
    .slice(0, ofLogs.lines);
  const sentences = first.map(async (code): Promise<Sentence> => {
    const all = (await readText(inquiry, code.repository, code.path))?.split('\n') ?? [];
    const version = all.slice(0, code.line - 1).findLast((one) => heading.test(one));
    const under = version === undefined ? '' : ` under ${inlineCode(shorten(version.trim(), ofLogs.line))}`;
    return [`Change log${under}: `, ...codeSentence(inquiry, code, 'change log')];
  });
  return { lines: await Promise.all(sentences), saysChange: first.some(says) };
}

function isChangeLog(path: string): boolean {
  return fileClassOf(path, languageOf(path)) === 'log';
}
