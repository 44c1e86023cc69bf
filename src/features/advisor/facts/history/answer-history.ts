import type { GraphNode } from '../../../../backends/graph/port.ts';
import { reached, step } from '../../../knowledge/queries/related-node.ts';
import type { Statements } from '../../answer/statements.ts';
import { askedPast, asksForCommit, asksForReason } from '../../question/asked-change.ts';
import { type Inquiry, maxPassages, nodePlace } from '../inquiry.ts';
import { enclosing } from '../targets/enclosing.ts';
import { type Target, targetOf } from '../targets/target.ts';
import { changeStatements, type FittingChanges, findChanges } from './answer-change.ts';
import { answerIntroduction, answerLast, unknownChange } from './answer-known.ts';
import { saysMore } from './asked-words.ts';
import { otherChanges, reasonSentences, touchedSentence } from './change-sentences.ts';
import { changeText, describeChanges } from './commits.ts';
import { explicitTarget } from './people/owned-target.ts';
import { findStatedReason, reasonSentence, type StatedReason } from './stated-reason.ts';

/** Number of commits of a pull request that are named. */
const maxNamed = 2;
/**
 * The share of a question that a message says which tells a reason: alone, or besides a comment; and of one about what
 * the code does not mention.
 */
const minShare = { reason: 0.4, further: 0.6, removed: 0.2 } as const;

/**
 * Answers why and when something changed: by the commit that is named, by the comment that says why, by the commits
 * whose messages and places fit the question, or by those of the code that it names.
 */
export async function answerHistory(inquiry: Inquiry): Promise<Statements | undefined> {
  const { named, asked } = inquiry;
  const direct = named.commits.length > 0 ? named.commits : await commitsOfPulls(inquiry, named.pulls);
  if (direct.length > 0) return answerNamedCommits(inquiry, direct);
  const past = askedPast(asked);
  if (past === 'last') return answerLast(inquiry);
  const target = await explicitTarget(inquiry);
  const begun = past === 'first' ? await answerBeginning(inquiry, target) : undefined;
  if (begun !== undefined) return begun;
  const reason = asksForReason(asked) ? await findStatedReason(inquiry) : undefined;
  const around = reason && (await targetAround(inquiry, reason));
  const found = await findChanges(inquiry, target ?? around);
  if (past === 'reason') return answerReason(inquiry, { reason, around, found });
  if (found !== undefined) {
    const { lead, reasons, notes } = await changeStatements(inquiry, found);
    const stated = reason === undefined ? [] : [reasonSentence(inquiry, reason)];
    return { lead, reasons: [...stated, ...reasons], sources: inquiry.code.slice(0, maxPassages), notes };
  }
  return target === undefined ? unknownChange(inquiry) : answerIntroduction(inquiry, target);
}

/** Answers when something came whose name is all that the question says; nothing if its first commit only moved it. */
async function answerBeginning(
  inquiry: Inquiry,
  target: Target | undefined,
): Promise<Statements | undefined> {
  if (target === undefined || saysMore(inquiry, target.node.name)) return undefined;
  const introduction = await answerIntroduction(inquiry, target);
  return introduction?.isMoved === true ? undefined : introduction;
}

/** Answers by messages of commits alone, for what the code does not mention any more. */
export async function answerByMessages(inquiry: Inquiry): Promise<Statements | undefined> {
  if (inquiry.kind !== 'history' || !asksForCommit(inquiry.asked)) return undefined;
  const found = await findChanges(inquiry, undefined);
  if (found === undefined || found.share < minShare.removed) return undefined;
  return { ...(await changeStatements(inquiry, found)), sources: inquiry.code.slice(0, maxPassages) };
}

/** Returns the definition around the lines that state a reason. */
async function targetAround(inquiry: Inquiry, { file, line }: StatedReason): Promise<Target | undefined> {
  const node = await enclosing(inquiry, { repositoryId: file.repository, path: file.path, line });
  return node && targetOf(node, false);
}

interface FoundReason {
  readonly reason: StatedReason | undefined;
  /** The definition around the lines that state the reason. */
  readonly around: Target | undefined;
  readonly found: FittingChanges | undefined;
}

/** Answers why something is so: with the comment that says it, and with the change that made it so. */
async function answerReason(
  inquiry: Inquiry,
  { reason, around, found }: FoundReason,
): Promise<Statements | undefined> {
  const close = found !== undefined && (found.isSure || found.share >= minShare.reason) ? found : undefined;
  if (reason !== undefined) {
    const further = close !== undefined && (close.isSure || close.share >= minShare.further);
    return answerStated(inquiry, { reason, around, found: further ? close : undefined });
  }
  // The code itself answers, unless a change made it so.
  if (close === undefined) return undefined;
  const { lead, reasons, notes } = await changeStatements(inquiry, close);
  return {
    lead,
    reasons,
    sources: inquiry.code.slice(0, maxPassages),
    notes,
  };
}

async function answerStated(
  inquiry: Inquiry,
  { reason, around, found }: FoundReason & { readonly reason: StatedReason },
): Promise<Statements> {
  const changed = found && (await changeStatements(inquiry, found));
  return {
    lead: [reasonSentence(inquiry, reason)],
    reasons: [
      ...(around === undefined ? [] : [['It is in ', nodePlace(inquiry, around.node), '.']]),
      ...(changed === undefined ? [] : [changed.lead.flatMap((sentence) => [...sentence, ' '])]),
    ],
    sources: inquiry.code.slice(0, maxPassages),
    notes: changed?.notes ?? [],
  };
}

async function commitsOfPulls(
  { view, scope }: Inquiry,
  pulls: readonly GraphNode[],
): Promise<readonly GraphNode[]> {
  if (pulls.length === 0) return [];
  const from = pulls.map(({ key }) => key);
  const found = await step(view.graph, scope, { from, direction: 'in', kinds: ['part_of'] });
  return reached(found, from, ['commit']).map(({ node }) => node);
}

async function answerNamedCommits(
  inquiry: Inquiry,
  commits: readonly GraphNode[],
): Promise<Statements | undefined> {
  const changes = await describeChanges(inquiry, commits.slice(0, maxNamed), 'named in the question');
  const [first] = changes;
  if (first === undefined) return undefined;
  const touched = await touchedSentence(inquiry, first);
  const others = changes.slice(1);
  return {
    lead: [['The change is ', ...changeText(first), '.'], ...reasonSentences(inquiry, first)],
    reasons: [...touched, ...otherChanges(others, 'Further commits of it: ')],
    sources: inquiry.code.slice(0, maxPassages),
    notes: touched.length === 0 ? ['None of the files that it touched exists any more.'] : [],
  };
}
