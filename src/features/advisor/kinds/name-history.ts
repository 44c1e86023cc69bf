import { unqualified } from '../../search/symbol-name.ts';
import { wordPattern } from '../evidence/changed-lines.ts';
import { codeOf, isProduct, searchLines } from '../evidence/line-source.ts';
import { historyOf } from '../evidence/past-commits.ts';
import type { PastCommit } from '../evidence/sources.ts';
import { targetSentence } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry, type Target } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { firstChange, formOf, movedFrom, type NameChange, type Wanted } from './name-changes.ts';
import { statedCommits } from './state-commits.ts';
import { repositoriesOfHistory, saysChange } from './weigh-commits.ts';

/** Maximum numbers of repositories whose commits are compared, of lines with a text in one file, and of moves. */
const max = { repositories: 3, ofFile: 200, moves: 3 } as const;
/** Time for the searches of some histories together, in milliseconds: only two run at once. */
const textSearchesMs = 5_000;

/**
 * Answers with the commit that added the definition of a name, or if several files define it or none of its commits is
 * found, with the oldest one that added the name to code of the product.
 */
export async function additionOf(
  inquiry: Inquiry,
  name: string,
  targets: readonly Target[],
): Promise<Finding | undefined> {
  const text = unqualified(name);
  const own = targets.filter(({ node, path }) => node.name === text && isProduct({ path }));
  const [of] = own;
  const isOneFile = own.every(({ repository, path }) => repository === of?.repository && path === of.path);
  const isPlaced = of !== undefined && (isOneFile || text !== name);
  // The name is older than the likeliest of several definitions.
  const anywhere = isPlaced ? undefined : await changeOf(inquiry, { text, isFirst: true });
  if (of !== undefined && anywhere?.isWhole !== true) {
    const placed = await additionBeforeMoves(inquiry, of, await formOf(inquiry, of));
    if (placed.change.lines.length > 0)
      return added(inquiry, placed, isPlaced && placed.change.isFound, targetSentence(inquiry, of));
  }
  const found = anywhere ?? (await changeOf(inquiry, { text, isFirst: true }));
  if (found.commits.length === 0) return nothingHas(inquiry, name, found);
  // Another thing may have the last part of the name.
  return added(inquiry, found, anywhere !== undefined && text === name, [inlineCode(text)]);
}

/** States the commit that added a name. */
function added(inquiry: Inquiry, found: Changed, isMeant: boolean, name: Sentence): Promise<Finding> {
  const isSure = isMeant && found.change.isCertain && found.isWhole;
  return stated(inquiry, found, isSure, [`${isSure ? 'First' : 'Oldest known'} commit that added `, ...name]);
}

/** Finds the addition in the file from which a commit moved the code, as far back as it can be read. */
async function additionBeforeMoves(
  inquiry: Inquiry,
  of: Target,
  wanted: Pick<Wanted, 'text' | 'isOutside' | 'before'>,
  moves = 0,
): Promise<Changed> {
  const found = await changeOf(inquiry, { ...wanted, isFirst: true, of });
  const { change } = found;
  const commit = found.commits[change.at];
  if (commit === undefined || !change.isFound) return found;
  const { from, isCertain } = await movedFrom(inquiry, commit, wanted.text, of);
  if (from !== undefined && moves < max.moves) {
    const before = { ...from, before: { path: from.path, commit: commit.id } };
    const former = await additionBeforeMoves(inquiry, of, before, moves + 1);
    if (former.change.isFound) return former;
  }
  return { ...found, change: { ...change, isCertain: change.isCertain && isCertain } };
}

/**
 * Answers with the newest commit that removed more of the last part of a name from code of the product than it added,
 * if no code has it any more or the question asks for its removal.
 */
export async function removalOf(inquiry: Inquiry, name: string): Promise<Finding | undefined> {
  const text = unqualified(name);
  const isGone = await isInNoCode(inquiry, text);
  if (!isGone && !saysChange(inquiry.question.head, 'remove').any) return undefined;
  const found = await changeOf(inquiry, { text, isFirst: false });
  const { isFound } = found.change;
  if (found.commits.length === 0) return nothingHas(inquiry, name, found);
  // Other code may still have the name that is gone from the place in question.
  if (!isGone && !isFound) return undefined;
  const what = [`Last commit that ${isFound ? '' : 'added or '}removed ${inlineCode(text)}`];
  return stated(inquiry, found, found.change.isCertain && isGone, what);
}

/** Says that nothing has a name if no commit and no file does. */
function nothingHas(inquiry: Inquiry, name: string, { isEvery }: Commits): Finding | undefined {
  if (!isEvery || !inquiry.ranked.unmatched.includes(name)) return undefined;
  return absentName(inquiry, name, 'No definition, no use and no commit');
}

interface Commits {
  /** The oldest or the newest first. */
  readonly commits: readonly PastCommit[];
  /** True if all commits were compared. */
  readonly isWhole: boolean;
  /** True if those of all searched repositories were. */
  readonly isEvery: boolean;
}

interface Changed extends Commits {
  readonly change: NameChange;
}

function stated(
  inquiry: Inquiry,
  { commits, isWhole, change }: Changed,
  isSure: boolean,
  what: Sentence,
): Promise<Finding> {
  const notes = isWhole ? [] : ['Older commits were not compared.'];
  const shown = commits.slice(change.at, change.at + 2);
  return statedCommits(inquiry, shown, { isSure, what, changes: change.lines, notes });
}

/** Finds the commit that added or removed a text among those that changed the number of its places. */
async function changeOf(inquiry: Inquiry, wanted: Wanted): Promise<Changed> {
  const { text, isFirst, of, before } = wanted;
  const request = { text, files: true, ...(of && { path: of.path }), ...before };
  // Passages tell nothing of a name that is in no code.
  const likely = [...repositoriesOfHistory(inquiry), ...(isFirst ? [] : askedRepositories(inquiry))];
  const repositories = of ? [of.repository] : [...new Set(likely)].slice(0, max.repositories);
  const bounded = AbortSignal.any([inquiry.signal, AbortSignal.timeout(textSearchesMs)]);
  const read = await Promise.all(repositories.map((one) => historyOf(inquiry, one, request, bounded)));
  const isWhole = read.every((one) => one.whole && !one.more);
  const all = read.flatMap((one) => one.commits).toSorted((a, b) => b.time - a.time);
  const ofProduct = all.filter(({ paths }) => paths.some((path) => isProduct({ path })));
  const newest = ofProduct.length > 0 ? ofProduct : all;
  const commits = isFirst ? newest.toReversed() : newest;
  return {
    commits,
    isWhole,
    isEvery: isWhole && inquiry.ranked.searched.every((one) => repositories.includes(one)),
    change: await firstChange(inquiry, commits, wanted),
  };
}

/** Returns whether no code of the product has a name as a word. Comments are no code. */
async function isInNoCode(inquiry: Inquiry, name: string): Promise<boolean> {
  const search = { text: name, form: 'word', matchesPerFile: max.ofFile } as const;
  const { lines, isWhole } = await searchLines(inquiry, search);
  const word = wordPattern(name);
  return isWhole && !lines.some((line) => isProduct(line) && word.test(codeOf(line.text)));
}
