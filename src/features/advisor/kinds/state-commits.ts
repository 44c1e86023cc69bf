import { counted } from '../../../foundation/kernel/text/counted.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { commitKey } from '../../knowledge/links/keys.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { commitSentence, historyOf, type Past, reasonOf, showCommit } from '../evidence/past-commits.ts';
import { addressValue, nextCall } from '../evidence/place-source.ts';
import { commitSource, dayOf, type PastCommit, recordOf } from '../evidence/sources.ts';
import { spanOf, targetSentence, targetText } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import type { Period } from '../question/period.ts';
import { codeList, listSentence, quoted } from '../text/markdown.ts';
import { asksForFirst } from './weigh-commits.ts';

/** Maximum numbers of commits that are stated, of calls that show one, and of issues and files of one commit. */
const max = { commits: 3, calls: 2, issues: 3, files: 5 } as const;

/** The parts of an answer that accompany its commits. */
interface Remarks {
  readonly isSure: boolean;
  /** The beginning of the first line, such as "Last change of …". */
  readonly what?: Sentence;
  /** Lines after that of the first commit. */
  readonly changes?: readonly Sentence[];
  /** Calls that precede those of the commits. */
  readonly next?: readonly string[];
  readonly notes?: readonly string[];
}

/**
 * States commits, best first: the first one with its reason and the files that it touched, then each other one on a
 * line. Without commits, it states only what they would be.
 */
export async function statedCommits(
  inquiry: Inquiry,
  commits: readonly PastCommit[],
  { isSure, what = [], changes = [], next = [], notes = [] }: Remarks,
): Promise<Finding> {
  const [first, ...others] = commits;
  if (first === undefined) return { lines: what.length > 0 ? [what] : [], next, notes, isSure };
  const reason = reasonOf(first);
  return {
    lines: [
      [...what, ...(what.length > 0 ? [': '] : []), ...commitSentence(inquiry, first)],
      ...changes,
      ...(reason === '' ? [] : [[`Its message says: ${quoted(reason, 500)}`, commitSource(inquiry, first)]]),
      ...(first.paths.length === 0 ? [] : [[`It touched ${codeList(first.paths, max.files)}.`]]),
      ...(await namedIssues(inquiry, first)),
      ...others.map((commit): Sentence => ['Also: ', ...commitSentence(inquiry, commit)]),
    ],
    next: [...next, ...commits.slice(0, max.calls).flatMap(showCommit)],
    notes,
    isSure,
  };
}

/** Names the issues that a commit closes or mentions, if the graph knows some. */
async function namedIssues(inquiry: Inquiry, { repository, id }: PastCommit): Promise<readonly Sentence[]> {
  const from = [commitKey(repository.id, id)];
  const kinds = ['closes', 'mentions'];
  const found = await step(inquiry.view.graph, inquiry.scope, { from, direction: 'out', kinds });
  return listSentence('It names ', reached(found, from, ['issue']), max.issues, recordOf(inquiry));
}

/** Answers with the commits of the lines of a file that a question names; `undefined` if it names none. */
export async function linesAnswer(
  inquiry: Inquiry,
  target: Target | undefined,
): Promise<Finding | undefined> {
  if (target === undefined || !isOfLines(target)) return undefined;
  const found = await endOfHistory(inquiry, target, !asksForFirst(inquiry.question.head));
  const lead = `No commit of ${targetText(target)} can be read: the file may have fewer lines.`;
  return found ?? { lines: [[lead]], passages: 0, isNotFound: true };
}

function isOfLines({ node, lines }: Target): boolean {
  return node.kind !== 'symbol' && lines !== undefined;
}

/** Reads the commits of a target in a time, newest first. */
export async function commitsOf(inquiry: Inquiry, target: Target, period: Period = {}): Promise<Past> {
  const { repository, path } = target;
  const { until = Number.POSITIVE_INFINITY, ...since } = period;
  // Only through all later commits is a file followed to its former paths.
  const asked = path === '' ? period : { ...since, path, ...spanOf(target), files: true };
  const past = await historyOf(inquiry, repository, asked);
  return { ...past, commits: past.commits.filter(({ time }) => time <= until) };
}

/**
 * Answers with the newest or first commit of a target and the next ones, or with those of the time that a question
 * names, counted. The first one of lines is never sure: an older one may have moved them, or written them anew.
 */
export async function endOfHistory(
  inquiry: Inquiry,
  target: Target,
  isLast: boolean,
): Promise<Finding | undefined> {
  const period = isLast ? inquiry.question.period : undefined;
  const { commits, whole, more } = await commitsOf(inquiry, target, period);
  const isWhole = whole && !more;
  if (commits.length === 0 && (period === undefined || !isWhole)) return undefined;
  const isSure = isLast || (isWhole && target.lines === undefined);
  const first = isSure ? 'First change' : 'Oldest known change';
  const end = isLast ? 'Last change' : first;
  const count = `${counted(commits.length, 'commit')}${isWhole ? '' : ' or more'}${timeText(period)}`;
  return statedCommits(inquiry, (isLast ? commits : commits.toReversed()).slice(0, max.commits), {
    isSure,
    what: [`${period === undefined ? end : count} of `, ...targetSentence(inquiry, target)],
    next: nextHistory(inquiry, target),
  });
}

/** Returns the call that lists the commits of lines, or those of a time, if a question names these or one. */
export function nextHistory({ question: { period }, ranked }: Inquiry, target: Target): readonly string[] {
  const { repository, path } = target;
  const lines = isOfLines(target) ? target.lines : undefined;
  if (period === undefined && lines === undefined) return [];
  const address = addressValue(given({ repository: repository.name, path, lines }), ranked.repositories);
  return nextCall('history', { address, ...daysOf(period) });
}

/** Returns the first and the last day of a time, as `history` takes them. Either may be open. */
function daysOf(period: Period = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(period).map(([edge, seconds]) => [edge, dayOf(seconds)]));
}

/** Returns a time as the words that follow what is counted in it, such as ` since 2025-03-01`. */
export function timeText(period: Period | undefined): string {
  return Object.entries(daysOf(period))
    .map(([edge, day]) => ` ${edge} ${day}`)
    .join('');
}
