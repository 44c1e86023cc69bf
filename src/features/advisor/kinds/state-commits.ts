import { given } from '../../../foundation/kernel/wire/given.ts';
import { commitKey } from '../../knowledge/links/keys.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { changeSources, type WantedChange } from '../evidence/changed-lines.ts';
import { commitSentence, historyOf, type Past, reasonOf, showCommit } from '../evidence/past-commits.ts';
import { addressValue, nextCall } from '../evidence/place-source.ts';
import { commitSource, type PastCommit, recordOf } from '../evidence/sources.ts';
import { targetSentence, targetText } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { codeList, listSentence, quoted } from '../text/markdown.ts';
import { asksForFirst } from './weigh-commits.ts';

/** Maximum numbers of commits that are stated, of calls that show one, and of issues and files of one commit. */
const max = { commits: 3, calls: 2, issues: 3, files: 5 } as const;

/** The parts of an answer that accompany its commits. */
export interface Remarks extends WantedChange {
  readonly isSure: boolean;
  /** The beginning of the first line, such as "Last change of …". */
  readonly what?: Sentence;
  /** False if what the first commit changed is not shown, because it may not be meant. Default: true. */
  readonly showsChange?: boolean;
  /** Calls that precede those of the commits. */
  readonly next?: readonly string[];
  readonly notes?: readonly string[];
}

/**
 * States commits, at least one and best first: the first one with its reason and the files that it touched, then each
 * other one on a line.
 */
export async function statedCommits(
  inquiry: Inquiry,
  commits: readonly PastCommit[],
  { isSure, showsChange = true, what = [], next = [], notes = [], ...wanted }: Remarks,
): Promise<Finding> {
  const first = commits[0]!;
  const reason = reasonOf(first);
  const changed = showsChange ? await changeSources(inquiry, first, wanted) : [];
  const shown = new Set(changed.flatMap(({ path }) => path ?? []));
  const paths = first.paths.length > 0 ? first.paths : [...shown];
  return {
    lines: [
      [...what, ...(what.length > 0 ? [': '] : []), ...commitSentence(inquiry, first)],
      ...(reason === '' ? [] : [[`Its message says: ${quoted(reason, 400)}`, commitSource(inquiry, first)]]),
      ...(paths.length === 0 ? [] : [[`It touched ${codeList(paths, max.files)}.`, ...changed]]),
      ...(await namedIssues(inquiry, first)),
      ...commits.slice(1).map((commit): Sentence => ['Also: ', ...commitSentence(inquiry, commit)]),
    ],
    next: [...next, ...commits.slice(0, max.calls).flatMap(showCommit)],
    notes,
    isSure,
    ...((isSure || wanted.word !== undefined) && changed.length > 0 ? { passages: 0 } : {}),
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

/** Reads the commits of a target, newest first. */
export function commitsOf(inquiry: Inquiry, target: Target): Promise<Past> {
  const { repository, path, lines } = target;
  const span = lines && { startLine: lines.first, endLine: lines.last };
  return historyOf(inquiry, repository, path === '' ? {} : given({ path, lines: span, files: true }));
}

/**
 * Answers with the newest or first commit of a target and the next ones. The first one of lines is never sure: an older
 * one may have moved them, or written them anew.
 */
export async function endOfHistory(
  inquiry: Inquiry,
  target: Target,
  isLast: boolean,
): Promise<Finding | undefined> {
  const { commits, isWhole } = await commitsOf(inquiry, target);
  if (commits.length === 0) return undefined;
  const notes = timeNotes(inquiry);
  const isSure = notes.length === 0 && (isLast || (isWhole && target.lines === undefined));
  const first = isSure ? 'First change' : 'Oldest known change';
  const end = isLast ? 'Last change' : first;
  return statedCommits(inquiry, (isLast ? commits : commits.toReversed()).slice(0, max.commits), {
    isSure,
    what: [`${end} of `, ...targetSentence(inquiry, target)],
    target,
    next: nextHistory(inquiry, target),
    notes,
  });
}

/** Matches a time, as in "in 2025", "since 2.12" and "last week". */
const time =
  /\b(?:19|20)\d\d\b|\bsince (?:version )?v?\d|\b(?:last|past|this) (?:week|month|quarter|year)s?\b/iu;

/** Says that a question names a time, which no commit was chosen by. */
export function timeNotes({ question: { head } }: Pick<Inquiry, 'question'>): readonly string[] {
  return time.test(head) ? ['The time in the question was not read: `history` takes since and until.'] : [];
}

/** Returns the call that lists the commits of lines or of a repository, if a question names these. */
export function nextHistory({ ranked }: Inquiry, target: Target): readonly string[] {
  const { repository, path, lines } = target;
  if (path !== '' && !isOfLines(target)) return [];
  return nextCall('history', {
    address: addressValue(given({ repository: repository.name, path, lines }), ranked.repositories),
  });
}
