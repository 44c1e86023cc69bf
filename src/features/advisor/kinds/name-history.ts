import { escapePattern } from '../../../foundation/kernel/text/escape-pattern.ts';
import { unqualified } from '../../search/symbol-name.ts';
import { changedLines, readChanges, type WantedChange, wordPattern } from '../evidence/changed-lines.ts';
import { codeOf, isProduct, searchLines } from '../evidence/line-source.ts';
import { historyOf, type Past } from '../evidence/past-commits.ts';
import { addressValue, nextCall } from '../evidence/place-source.ts';
import type { PastCommit } from '../evidence/sources.ts';
import { targetSentence } from '../evidence/target.ts';
import type { Finding } from '../finding.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { commitsOf, type Remarks, statedCommits } from './state-commits.ts';
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
  const text = textOf(inquiry, name);
  const target = targets.find(({ node, path }) => node.name === text && isProduct({ path }));
  const past = await textHistory(inquiry, text, target);
  if (past.commits.length === 0) return nothingHas(inquiry, name, past);
  const oldest = past.commits.toReversed();
  const commits = target === undefined ? oldest : await ownFirst(inquiry, target, oldest);
  const found = await firstChange(inquiry, commits, { text, sign: '+', target });
  const added = target === undefined ? [inlineCode(text)] : targetSentence(inquiry, target);
  const what = ['Oldest known commit that added ', ...added];
  return found && stated(inquiry, found, past, { isSure: false, what, text, target });
}

/** Returns commits, those of the lines of a definition first: others may have added another one with its name. */
async function ownFirst(inquiry: Inquiry, target: Target, commits: readonly PastCommit[]) {
  const traced = await commitsOf(inquiry, target);
  const ofLines = new Set(traced.commits.map(({ id }) => id));
  const read = commits.slice(0, max.read);
  return read.toSorted((a, b) => Number(ofLines.has(b.id)) - Number(ofLines.has(a.id)));
}

/**
 * Answers with the newest commit that removed more of the last part of a name from code of the product than it added,
 * if no code has it any more or the question asks for its removal.
 */
export async function removalOf(inquiry: Inquiry, name: string | undefined): Promise<Finding | undefined> {
  if (name === undefined) return undefined;
  const text = textOf(inquiry, name);
  const isGone = await isInNoCode(inquiry, text);
  if (!isGone && !asks.removal.test(inquiry.question.head)) return undefined;
  const past = await textHistory(inquiry, text);
  if (past.commits.length === 0) return nothingHas(inquiry, name, past);
  const found = await firstChange(inquiry, past.commits, { text, sign: '-' });
  // Other code may still have the name that is gone from the place in question.
  if (found === undefined || (!isGone && !found.isOfCode)) return undefined;
  const where = past.isEvery ? '' : ` in ${inlineCode(found.commit.repository.name)}`;
  const what = [`Last commit that ${found.isOfCode ? '' : 'added or '}removed ${inlineCode(text)}${where}`];
  return stated(inquiry, found, past, { isSure: found.isCertain && isGone, what, text });
}

/** Returns what code has of a name: its last part, or all of a setting without a definition, as in `log.file.max`. */
function textOf({ question: { head }, named }: Inquiry, name: string): string {
  const last = unqualified(name);
  const text = escapePattern(name);
  const kind = '(?:flag|option|setting)s?';
  const isSetting = new RegExp(`\\b${kind}\\W{1,4}${text}|${text}\\W{1,4}${kind}\\b`, 'u').test(head);
  const isDefined = named.symbols.some(({ node }) => node.name === last);
  return isSetting && !isDefined && !/\p{Lu}/u.test(name) ? name.replace(/^-+/u, '') : last;
}

/** Says that nothing has a name if no commit and no file does. */
function nothingHas(inquiry: Inquiry, name: string, { isEvery }: TextHistory): Finding | undefined {
  if (!isEvery || !inquiry.ranked.unmatched.includes(name)) return undefined;
  return absentName(inquiry, name, 'No definition, no use and no commit');
}

interface TextHistory extends Past {
  /** True if the commits of all searched repositories were compared. */
  readonly isEvery: boolean;
}

/** Returns the commits that changed how often the file of a definition, or any file, has a text, newest first. */
async function textHistory(inquiry: Inquiry, text: string, target?: Target): Promise<TextHistory> {
  const request = { text, files: true, ...(target && { path: target.path }) };
  // Passages tell nothing of a name that is in no code.
  const { named, searched } = inquiry.ranked;
  const likely = new Set([...repositoriesOfHistory(inquiry), ...(named.length > 0 ? named : searched)]);
  const repositories = target ? [target.repository] : [...likely].slice(0, max.repositories);
  const bounded = AbortSignal.any([inquiry.signal, AbortSignal.timeout(textSearchesMs)]);
  const read = await Promise.all(repositories.map((one) => historyOf(inquiry, one, request, bounded)));
  const isWhole = read.every((one) => one.isWhole);
  const all = read.flatMap((one) => one.commits).toSorted((a, b) => b.time - a.time);
  const ofProduct = all.filter(({ paths }) => paths.some((path) => isProduct({ path })));
  return {
    // The paths of a large commit are cut, so that the file of a definition may not be among them.
    commits: target === undefined && ofProduct.length > 0 ? ofProduct : all,
    isWhole,
    isEvery: isWhole && searched.every((one) => repositories.includes(one)),
  };
}

/** The commit that added or removed a name. */
interface NameChange extends Pick<Required<WantedChange>, 'changes'> {
  readonly commit: PastCommit;
  /** False if it only changed lines of other files, or comments, with the name. */
  readonly isOfCode: boolean;
  /** True if all lines of the commits before it were read, and none of them did the same. */
  readonly isCertain: boolean;
}

interface NameSearch {
  readonly text: string;
  readonly sign: '+' | '-';
  /** The definition whose file is compared under all names that it had. Without one, all files are compared. */
  readonly target?: Target | undefined;
}

/** Returns the first of some commits that added, or removed, more code with a text than the other way round. */
async function firstChange(
  inquiry: Inquiry,
  commits: readonly PastCommit[],
  { text, sign, target }: NameSearch,
): Promise<NameChange | undefined> {
  const word = wordPattern(text);
  let other: NameChange | undefined;
  let isCertain = true;
  for (const commit of commits.slice(0, max.read)) {
    const changes = await readChanges(inquiry, commit, target?.path);
    const changed = changedLines(changes, word);
    // The file of a definition may have been a test before.
    const ofProduct = target === undefined ? changed.filter(isProduct) : changed;
    const code = ofProduct.filter(({ line }) => word.test(codeOf(line.slice(1))));
    const own = code.filter(({ line }) => line.startsWith(sign));
    if (own.length * 2 > code.length) return { commit, changes, isOfCode: true, isCertain };
    if (changed.length > 0) other ??= { commit, changes, isOfCode: false, isCertain: false };
    isCertain &&= !changes.cut && own.length === 0;
  }
  return other;
}

/** States a commit with what it changed of a text, and names the call that lists all with the text. */
function stated(
  inquiry: Inquiry,
  { commit, changes }: NameChange,
  { isWhole }: Past,
  { text, ...remarks }: Pick<Remarks, 'isSure' | 'what' | 'target'> & { readonly text: string },
): Promise<Finding> {
  const place = { repository: commit.repository.name, path: '' };
  const address = addressValue(place, inquiry.ranked.repositories);
  return statedCommits(inquiry, [commit], {
    ...remarks,
    changes,
    word: wordPattern(text),
    next: nextCall('history', { address, text }),
    notes: isWhole ? [] : ['Older commits were not compared.'],
  });
}

/** Returns whether no code of the product has a name as a word. Comments are no code. */
async function isInNoCode(inquiry: Inquiry, name: string): Promise<boolean> {
  const search = { text: name, form: 'word', matchesPerFile: max.ofFile } as const;
  const { lines, isWhole } = await searchLines(inquiry, search);
  const word = wordPattern(name);
  return isWhole && !lines.some((line) => isProduct(line) && word.test(codeOf(line.text)));
}
