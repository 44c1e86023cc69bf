import { unqualified } from '../../search/symbol-name.ts';
import { changedLines, isCode, wordPattern } from '../evidence/changed-lines.ts';
import { codeOf, isProduct, searchLines } from '../evidence/line-source.ts';
import { historyOf, type Past } from '../evidence/past-commits.ts';
import { addressValue, nextCall } from '../evidence/place-source.ts';
import type { PastCommit } from '../evidence/sources.ts';
import { spanOf, targetSentence } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry, type Target } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { statedCommits } from './state-commits.ts';
import { asks, repositoriesOfHistory } from './weigh-commits.ts';

/**
 * Maximum numbers of repositories whose commits are compared, of commits whose lines are read, and of lines with a text
 * in one file.
 */
const max = { repositories: 3, read: 12, ofFile: 200 } as const;
/** Time for the searches of some histories together, in milliseconds: only two run at once. */
const textSearchesMs = 5_000;

/**
 * Answers with the oldest commit that is known to have added a definition, or, if there is none, the name to code. An
 * older one may have had it in another place, so it is never sure to be the first.
 */
export async function additionOf(
  inquiry: Inquiry,
  name: string,
  targets: readonly Target[],
): Promise<Finding | undefined> {
  const text = unqualified(name);
  const of = targets.find(({ node, path }) => node.name === text && isProduct({ path }));
  const past = await textHistory(inquiry, text, of);
  if (past.commits.length === 0) return nothingHas(inquiry, name, past);
  const found = of
    ? await definitionAdded(inquiry, of, past)
    : await firstChange(inquiry, past.commits.toReversed(), { word: wordPattern(text), sign: '+' });
  const added = of === undefined ? [inlineCode(text)] : targetSentence(inquiry, of);
  const what = ['Oldest known commit that added ', ...added];
  return found && stated(inquiry, text, past, { ...found, isSure: false, what, target: of });
}

/** Returns the oldest commit of the lines of a definition that added its name to its file. */
async function definitionAdded(
  inquiry: Inquiry,
  of: Target,
  { commits }: TextHistory,
): Promise<NameChange | undefined> {
  const word = wordPattern(of.node.name);
  const traced = await historyOf(inquiry, of.repository, { path: of.path, ...spanOf(of) });
  const ofLines = new Set(traced.commits.map(({ id }) => id));
  const isMeant = ({ id }: PastCommit): boolean => ofLines.has(id);
  return firstChange(inquiry, commits.toReversed(), { word, sign: '+', of, isMeant });
}

/**
 * Answers with the newest commit that removed more of the last part of a name from code of the product than it added,
 * if no code has it any more or the question asks for its removal.
 */
export async function removalOf(inquiry: Inquiry, name: string | undefined): Promise<Finding | undefined> {
  if (name === undefined) return undefined;
  const text = unqualified(name);
  const isGone = await isInNoCode(inquiry, text);
  if (!isGone && !asks.removal.test(inquiry.question.head)) return undefined;
  const past = await textHistory(inquiry, text);
  if (past.commits.length === 0) return nothingHas(inquiry, name, past);
  const found = await firstChange(inquiry, past.commits, { word: wordPattern(text), sign: '-' });
  // Other code may still have the name that is gone from the place in question.
  if (found === undefined || (!isGone && !found.isOfCode)) return undefined;
  const where = past.isEvery ? '' : ` in ${inlineCode(found.commit.repository.name)}`;
  const what = [`Last commit that ${found.isOfCode ? '' : 'added or '}removed ${inlineCode(text)}${where}`];
  return stated(inquiry, text, past, { ...found, isSure: found.isCertain && isGone, what });
}

/** Says that nothing has a name if no commit and no file does. */
function nothingHas(inquiry: Inquiry, name: string, { isEvery }: TextHistory): Finding | undefined {
  if (!isEvery || !inquiry.ranked.unmatched.includes(name)) return undefined;
  return absentName(inquiry, name, 'No definition, no use and no commit');
}

interface TextHistory extends Pick<Past, 'commits' | 'whole'> {
  /** True if the commits of all searched repositories were compared. */
  readonly isEvery: boolean;
}

/** Returns the commits that changed how often the file of a definition, or any file, has a text, newest first. */
async function textHistory(inquiry: Inquiry, text: string, of?: Target): Promise<TextHistory> {
  const request = { text, files: true, ...(of && { path: of.path }) };
  // Passages tell nothing of a name that is in no code.
  const likely = new Set([...repositoriesOfHistory(inquiry), ...askedRepositories(inquiry)]);
  const repositories = of ? [of.repository] : [...likely].slice(0, max.repositories);
  const bounded = AbortSignal.any([inquiry.signal, AbortSignal.timeout(textSearchesMs)]);
  const read = await Promise.all(repositories.map((one) => historyOf(inquiry, one, request, bounded)));
  const whole = read.every((one) => one.whole && !one.more);
  const all = read.flatMap((one) => one.commits).toSorted((a, b) => b.time - a.time);
  const ofProduct = all.filter(({ paths }) => paths.some((path) => isProduct({ path })));
  return {
    // The paths of a large commit are cut, so that the file of a definition may not be among them.
    commits: of === undefined && ofProduct.length > 0 ? ofProduct : all,
    whole,
    isEvery: whole && inquiry.ranked.searched.every((one) => repositories.includes(one)),
  };
}

/** The commit that added or removed a name. */
interface NameChange {
  readonly commit: PastCommit;
  /** False if it only changed lines of other files, or comments, with the name. */
  readonly isOfCode: boolean;
  /** True if all lines of the commits before it were read, and none of them did the same. */
  readonly isCertain: boolean;
}

interface Wanted {
  readonly word: RegExp;
  readonly sign: '+' | '-';
  /** The definition whose file is compared under all names that it had. Without one, all files are compared. */
  readonly of?: Target | undefined;
  readonly isMeant?: (commit: PastCommit) => boolean;
}

/** Returns the first of some commits that added, or removed, more code with a word than the other way round. */
async function firstChange(
  inquiry: Inquiry,
  commits: readonly PastCommit[],
  { word, sign, of, isMeant = () => true }: Wanted,
): Promise<NameChange | undefined> {
  let likely: NameChange | undefined;
  let other: NameChange | undefined;
  let isCertain = true;
  for (const commit of commits.slice(0, max.read)) {
    const { changed, cut } = await changedLines(inquiry, commit, word, of && (commit.followed ?? of.path));
    // The file of a definition may have been a test before.
    const code = changed.filter((one) => (of ? word.test(codeOf(one.line.slice(1))) : isCode(one, word)));
    const own = code.filter(({ line }) => line.startsWith(sign));
    const isFound = own.length * 2 > code.length;
    if (isFound && isMeant(commit)) return { commit, isOfCode: true, isCertain };
    if (isFound) likely ??= { commit, isOfCode: true, isCertain: false };
    if (changed.length > 0) other ??= { commit, isOfCode: false, isCertain: false };
    isCertain &&= !cut && own.length === 0;
  }
  return likely ?? other;
}

/** States a commit with what it changed of a text, and names the call that lists all with the text. */
function stated(
  inquiry: Inquiry,
  text: string,
  { whole }: TextHistory,
  found: NameChange & {
    readonly isSure: boolean;
    readonly what: Sentence;
    readonly target?: Target | undefined;
  },
): Promise<Finding> {
  const { commit, isSure, what, target } = found;
  const { name } = commit.repository;
  const address = addressValue({ repository: name, path: '' }, inquiry.ranked.repositories);
  const next = nextCall('history', { address, text });
  const notes = whole ? [] : ['Older commits were not compared.'];
  return statedCommits(inquiry, [commit], {
    isSure,
    what,
    wanted: { target, word: wordPattern(text) },
    next,
    notes,
  });
}

/** Returns whether no code of the product has a name as a word. Comments are no code. */
async function isInNoCode(inquiry: Inquiry, name: string): Promise<boolean> {
  const search = { text: name, form: 'word', matchesPerFile: max.ofFile } as const;
  const { lines, isWhole } = await searchLines(inquiry, search);
  const word = wordPattern(name);
  return isWhole && !lines.some((line) => isProduct(line) && word.test(codeOf(line.text)));
}
