import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { Statements } from '../../answer/statements.ts';
import { type Purpose, purposeOf } from '../../question/asked-change.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Target } from '../targets/target.ts';
import { askedTime } from './asked-time.ts';
import { otherChanges, reasonSentences, touchedSentence } from './change-sentences.ts';
import { changelogSentence } from './changelog.ts';
import { type Change, changeText, timeOf } from './commits.ts';
import { linesAsked } from './lines-asked.ts';
import { describePast, type MessageChange } from './past.ts';
import { recallChanges } from './recall.ts';
import { type WeighedChange, weighChanges } from './weigh-changes.ts';

/** The commits that fit a question, described, best first. */
export interface FittingChanges {
  readonly changes: readonly Change[];
  /** True if the first one is clearly meant. */
  readonly isSure: boolean;
  /** The share of the question that the message of the first one says. */
  readonly share: number;
  readonly purpose: Purpose;
  /** Further commits of the lines that the question is about, newest first, if none is clearly meant. */
  readonly ofLines: readonly Change[];
  readonly notes: readonly string[];
}

/** Numbers of commits that are named: those that fit, and further ones of the same lines. */
const maxChanges = 3;
const maxOfLines = 3;
/** Least score of a commit that is named, and the share of the best score from which another one is named too. */
const min = { score: 0.3, share: 0.7 } as const;
/**
 * Thresholds of the commit that is surely meant: its score, its lead over the next one, the share of the question that it
 * says, and how many times the shares of the next ones that is.
 */
const sure = { score: 0.8, lead: 1.2, share: 0.3, compared: 6, most: 1.15 } as const;

/** Finds the commits that a question means; `undefined` if none fits it. */
export async function findChanges(
  inquiry: Inquiry,
  target: Target | undefined,
): Promise<FittingChanges | undefined> {
  const purpose = purposeOf(inquiry.asked);
  const lines = await linesAsked(inquiry, target);
  const [{ words, candidates, whole }, timeFactor] = await Promise.all([
    recallChanges(inquiry, lines, purpose),
    askedTime(inquiry, mainRepository(inquiry)),
  ]);
  const weighed = await weighChanges({ words, purpose, asked: inquiry.asked, timeFactor }, candidates);
  const [best] = weighed;
  // The commits of code that the question names are likely, whatever their messages say.
  const isKnown = target !== undefined && (best?.lines ?? 0) > 0;
  if (best === undefined || (best.score < min.score && !isKnown)) return undefined;
  const fitting = weighed.filter(({ score }) => score >= best.score * min.share);
  const chosen = fitting.slice(0, maxChanges);
  const changes = await describePast(
    inquiry,
    chosen.map(({ change }) => change),
    'its message and place fit the question',
  );
  const further = isSure(weighed) ? [] : newestOfLines(weighed, chosen);
  return {
    changes,
    ofLines: await describePast(inquiry, further, 'change of the lines'),
    isSure: isSure(weighed),
    share: best.share,
    purpose,
    notes: whole ? [] : ['Only messages of newer commits were searched, because of the time.'],
  };
}

/** Returns the repository that a question names, or else that of the best file. */
function mainRepository({ ranked }: Inquiry): RepositoryId | undefined {
  return ranked.named[0]?.id ?? ranked.files[0]?.repository;
}

function repositoryKey(one: WeighedChange | undefined): string | undefined {
  return one?.change.node.key.split(':')[1];
}

function newestOfLines(
  weighed: readonly WeighedChange[],
  chosen: readonly WeighedChange[],
): readonly MessageChange[] {
  return weighed
    .filter(
      (one) => one.lines > 0 && !chosen.includes(one) && repositoryKey(one) === repositoryKey(chosen[0]),
    )
    .map(({ change }) => change)
    .toSorted((a, b) => timeOf(b.node) - timeOf(a.node))
    .slice(0, maxOfLines);
}

/** A commit is meant for sure if it is ahead of all others, and none that fits says more of the question. */
function isSure(weighed: readonly WeighedChange[]): boolean {
  const [best, next] = weighed;
  if (best === undefined || best.score < sure.score || best.share < sure.share) return false;
  const others = weighed.slice(1, sure.compared).map(({ share }) => share);
  return best.score >= sure.lead * (next?.score ?? 0) && best.share >= Math.max(0, ...others) * sure.most;
}

const leads: Readonly<Record<Purpose, string>> = {
  first: 'It came with ',
  fix: 'The fix is ',
  change: 'The change is ',
  any: 'The change is ',
};

/** Says which commit is meant, or which ones fit best, and what their authors say. */
export async function changeStatements(
  inquiry: Inquiry,
  { changes, ofLines, isSure: sureOfIt, purpose, notes }: FittingChanges,
): Promise<Pick<Statements, 'lead' | 'reasons' | 'notes'>> {
  const [first, ...others] = changes;
  if (first === undefined) return { lead: [], reasons: [], notes };
  const label = sureOfIt ? leads[purpose] : 'The change that fits the question best is ';
  const logged = await changelogSentence(inquiry, first);
  const touched = sureOfIt ? await touchedSentence(inquiry, first) : [];
  return {
    lead: [
      [label, ...changeText(first), '.'],
      ...reasonSentences(inquiry, first),
      ...(logged === undefined ? [] : [logged]),
    ],
    reasons: [
      ...others.map((change, at) => [
        at === 0 ? 'It may also be ' : 'Or ',
        ...changeText(change),
        '.',
        ...reasonSentences(inquiry, change).flatMap((sentence) => [' ', ...sentence]),
      ]),
      ...otherChanges(ofLines, 'Other changes of the likely lines: '),
      ...touched,
    ],
    notes,
  };
}
