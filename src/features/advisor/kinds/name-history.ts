import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { partsOfName } from '../../search/symbol-name.ts';
import { codeOf, isProduct, searchLines } from '../evidence/line-source.ts';
import { historyOf } from '../evidence/past-commits.ts';
import type { PastCommit } from '../evidence/sources.ts';
import type { Finding, Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { firstChange, formOf, movedFrom, type NameChange, type Wanted, wordPattern } from './name-changes.ts';
import { statedCommits } from './state-commits.ts';
import { type Target, targetSentence } from './target.ts';
import { repositoriesOfHistory, saysChange } from './weigh-commits.ts';

/** Maximum numbers of repositories whose commits are compared, of lines with a text in one file, and of moves. */
const max = { repositories: 3, ofFile: 200, moves: 3 } as const;
/** Time for the searches of some histories together, in milliseconds: only two run at once. */
const textSearchesMs = 5_000;

/**
 * Answers with the commit that added the definition of a name, or if no definition or none of its commits is found,
 * with the oldest one that added the name to code of the product.
 */
export async function additionOf(
  inquiry: Inquiry,
  name: string,
  targets: readonly Target[],
): Promise<Finding | undefined> {
  const text = partsOfName(name).at(-1) ?? name;
  const own = targets.filter(
    ({ isNamed, node, path }) => isNamed && node.name === text && isProduct({ path }),
  );
  const [of] = own;
  const isOne = text !== name || own.every((one) => isSameFile(one, of));
  // The name is older than the likeliest of several definitions.
  const anywhere = of && isOne ? undefined : await changeOf(inquiry, { text, isFirst: true });
  const placed = of && anywhere?.isWhole !== true ? await placedAddition(inquiry, of) : undefined;
  const isPlaced = placed !== undefined;
  const found = placed ?? anywhere ?? (await changeOf(inquiry, { text, isFirst: true }));
  const { change } = found;
  if (found.commits[change.at] === undefined) return nothingHas(inquiry, name, found);
  // Another thing may have the last part of the name.
  const isMeant = isPlaced ? change.isFound && isOne : anywhere !== undefined && text === name;
  return added(inquiry, found, {
    isMeant,
    name: isPlaced ? targetSentence(inquiry, of!) : [inlineCode(text)],
  });
}

/** Returns the commit that added a definition; `undefined` if no commit with the form of its line is found. */
async function placedAddition(inquiry: Inquiry, of: Target): Promise<Changed | undefined> {
  const found = await additionBeforeMoves(inquiry, of, await formOf(inquiry, of));
  return found.change.lines.length > 0 ? found : undefined;
}

function added(
  inquiry: Inquiry,
  found: Changed,
  { isMeant, name }: { readonly isMeant: boolean; readonly name: Sentence },
): Promise<Finding> {
  const isSure = isMeant && found.change.isCertain && found.isWhole;
  const first = `${isSure ? 'First' : 'Oldest known'} commit that added `;
  return stated(inquiry, { ...found, isSure, what: [first, ...name] });
}

function isSameFile(one: Target, other: Target | undefined): boolean {
  return one.repository === other?.repository && one.path === other.path;
}

async function changeOf(inquiry: Inquiry, wanted: Wanted): Promise<Changed> {
  const found = await commitsOf(inquiry, wanted);
  return { ...found, change: await firstChange(inquiry, found.commits, wanted) };
}

/** Finds the addition in the file from which a commit moved the code, as far back as it can be read. */
async function additionBeforeMoves(
  inquiry: Inquiry,
  of: Target,
  wanted: Pick<Wanted, 'text' | 'isOutside' | 'before'>,
  moves = 0,
): Promise<Changed> {
  const found = await changeOf(inquiry, { ...wanted, isFirst: true, of });
  const commit = found.commits[found.change.at];
  if (commit === undefined || !found.change.isFound) return found;
  const { from, isCertain } = await movedFrom(inquiry, commit, wanted.text, of);
  const before = from && { ...from, before: { path: from.path, commit: commit.id } };
  const former =
    before && moves < max.moves ? await additionBeforeMoves(inquiry, of, before, moves + 1) : undefined;
  if (former?.change.isFound === true) return former;
  return {
    ...found,
    change: { ...found.change, isCertain: found.change.isCertain && isCertain && from === undefined },
  };
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
  const found = await changeOf(inquiry, wanted);
  const { change } = found;
  if (found.commits.length === 0) return nothingHas(inquiry, name, found);
  // Other code may still have the name that is gone from the place in question.
  if (!isGone && !change.isFound) return undefined;
  const what = [`Last commit that ${change.isFound ? '' : 'added or '}removed ${inlineCode(text)}`];
  return stated(inquiry, { ...found, isSure: change.isCertain && isGone, what });
}

/** Says that nothing has a name if no commit and no file does. */
function nothingHas(inquiry: Inquiry, name: string, { isEvery }: Commits): Finding | undefined {
  if (!isEvery || !inquiry.ranked.unmatched.includes(name)) return undefined;
  return absentName(inquiry, name, 'No definition, no use and no commit');
}

interface Changed extends Commits {
  readonly change: NameChange;
}

interface Found extends Changed {
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
async function commitsOf(inquiry: Inquiry, { text, isFirst, of, before }: Wanted): Promise<Commits> {
  const request = { text, files: true, ...(of && { path: of.path }), ...before };
  const likely = of === undefined ? likelyRepositories(inquiry, isFirst) : [of.repository];
  const bounded = AbortSignal.any([inquiry.signal, AbortSignal.timeout(textSearchesMs)]);
  const read = await Promise.all(likely.map((one) => historyOf(inquiry, one, request, bounded)));
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

/** Returns whether no code of the product has a name as a word. Comments are no code. */
async function isInNoCode(inquiry: Inquiry, name: string): Promise<boolean> {
  const search = { text: name, form: 'word', matchesPerFile: max.ofFile } as const;
  const { lines, isWhole } = await searchLines(inquiry, search);
  const word = wordPattern(name);
  return isWhole && !lines.some((line) => isProduct(line) && word.test(codeOf(line.text)));
}
