import { withoutEnd } from '../../../foundation/kernel/text/cut-text.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { commitKey } from '../../knowledge/links/keys.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { commitSentence, historyOf, readCommits, reasonOf, showCommit } from '../evidence/past-commits.ts';
import { commitSource, dayOf, type PastCommit, recordSentence } from '../evidence/sources.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode, listSentence, quoted } from '../text/markdown.ts';
import { spanOf, type Target, targetSentence } from './target.ts';

/**
 * Maximum numbers of commits that an end of a history and the calls state, of issues and files of one commit, and of
 * commits since a time.
 */
const max = { commits: 2, issues: 3, files: 5, since: 10 } as const;

/** States commits, best first: each on one line, then the reason of the first one and the files that it touched. */
export async function statedCommits(
  inquiry: Inquiry,
  [first, ...others]: readonly PastCommit[],
  isSure: boolean,
): Promise<Finding> {
  if (first === undefined) return { lines: [] };
  const reason = reasonOf(first);
  const files = listed(first.paths.map(inlineCode), max.files);
  return {
    lines: [
      commitSentence(inquiry, first),
      ...(reason === '' ? [] : [[`Its message says: ${quoted(reason, 500)}`, commitSource(inquiry, first)]]),
      ...(first.paths.length === 0 ? [] : [[`It touched ${files}.`]]),
      ...(await namedIssues(inquiry, first)),
      ...others.map((commit): Sentence => ['Also: ', ...commitSentence(inquiry, commit)]),
    ],
    next: [first, ...others].slice(0, max.commits).flatMap(showCommit),
    isSure,
  };
}

/** Names the issues that a commit closes or mentions, if the graph knows some. */
async function namedIssues(inquiry: Inquiry, { repository, id }: PastCommit): Promise<readonly Sentence[]> {
  const from = [commitKey(repository.id, id)];
  const kinds = ['closes', 'mentions'];
  const found = await step(inquiry.view.graph, inquiry.scope, { from, direction: 'out', kinds });
  return listSentence('It names ', reached(found, from, ['issue']), max.issues, ({ node, edge }) =>
    recordSentence(inquiry, node, edge.kind),
  );
}

/** Number of lines from which the first commit of a definition is where it came from. */
const minLines = 3;

/** Answers with the newest or first commit of a definition or file, and the one next to it. */
export async function endOfHistory(
  inquiry: Inquiry,
  target: Target,
  isLast: boolean,
): Promise<Finding | undefined> {
  const { repository, path, lines } = target;
  const past = await readCommits(inquiry, repository, { path, ...spanOf(target) });
  if (past.commits.length === 0) return undefined;
  // The history of a line or two ends where they were last written anew, such as by a formatter.
  const isShort = lines !== undefined && lines.last - lines.first < minLines;
  const isWhole = isLast || (past.whole && !isShort);
  const end = isLast ? 'Last' : 'First';
  const what = `${isWhole ? end : 'Oldest known'} change of `;
  const ordered = isLast ? past.commits : past.commits.toReversed();
  const finding = await statedCommits(inquiry, ordered.slice(0, max.commits), isWhole);
  const [first = [], ...others] = finding.lines;
  return {
    ...finding,
    lines: [[what, ...targetSentence(inquiry, target), ': ', ...first], ...others],
    ...(isWhole ? {} : { notes: ['Its history may begin earlier, under other lines.'] }),
  };
}

const ago = /\b(?:last|past)\s+(?:(\d{1,3})\s+)?(day|week|month|year)s?\b/iu;
const since =
  /\b(?:since|after)\s+(?:((?:19|20)\d\d(?:-\d\d){0,2}(?![\d.])|[a-z]{3,9}\s+(?:\d{1,2},?\s+)?(?:19|20)\d\d\b)|(?:the\s+)?(?:version\s+|release\s+|tag\s+)?v?(\d{1,5}(?:\.\d{1,6}){1,3})\b)/iu;
const days = { day: 1, week: 7, month: 30, year: 365 } as const;
const secondsOfDay = 86_400;

/** Lists the commits of a file or a repository since the time or version that the question says. */
export async function changesSince(
  inquiry: Inquiry,
  target: Target | undefined,
): Promise<Finding | undefined> {
  const { named, isCertain } = inquiry.ranked;
  const isFile = target?.isNamed === true && target.node.kind === 'file';
  const only = isCertain && named.length === 1 ? named[0] : undefined;
  const repository = isFile ? target.repository : only;
  const from = repository && (await sinceOf(inquiry, repository));
  if (repository === undefined || from === undefined) return undefined;
  const place = isFile ? { path: target.path } : {};
  const { commits, more } = await historyOf(inquiry, repository, {
    ...place,
    since: from.time,
    max: max.since,
  });
  const where = isFile ? targetSentence(inquiry, target) : [inlineCode(repository.name)];
  const number = `${commits.length}${more ? ' or more' : ''} ${commits.length === 1 ? 'commit' : 'commits'}`;
  return {
    lines: [
      [`${number} of `, ...where, ` since ${from.text}.`],
      ...commits.map((commit) => commitSentence(inquiry, commit)),
    ],
    next: commits.slice(0, 1).flatMap(showCommit),
    passages: 0,
  };
}

/**
 * Returns the time since which a question asks for changes, in seconds since 1970: a date, some time ago, or the commit
 * whose subject says least besides a version. Mirrors have no tags.
 */
async function sinceOf(
  inquiry: Inquiry,
  repository: SearchableRepository,
): Promise<{ readonly time: number; readonly text: string } | undefined> {
  const { head } = inquiry.question;
  const [, day, version] = since.exec(head) ?? [];
  const time = day === undefined ? timeAgo(head) : Date.parse(`${day} UTC`) / 1000;
  if (Number.isFinite(time)) return { time, text: dayOf(time) };
  if (version === undefined) return undefined;
  // The release 1.2.0 may be called 1.2.
  const names = [version, version.endsWith('.0') ? version.slice(0, -2) : version].flatMap((one) => [
    one,
    `v${one}`,
  ]);
  const { commits } = await readCommits(inquiry, repository, { path: '', words: names });
  const [release] = commits
    .filter(({ subject }) => subject.split(/[^\w.]+/u).some((word) => names.includes(withoutEnd(word, '.'))))
    .toSorted((a, b) => a.subject.length - b.subject.length || a.time - b.time);
  return release && { time: release.time, text: `${inlineCode(version)} (${dayOf(release.time)})` };
}

/** Returns the time that a text such as "in the last 3 weeks" means, in seconds since 1970; `NaN` for another text. */
function timeAgo(text: string): number {
  const [all, number = '1', unit = ''] = ago.exec(text) ?? [];
  if (all === undefined) return Number.NaN;
  const span = Number(number) * days[unit.toLowerCase() as keyof typeof days];
  return Math.floor(Date.now() / 1000) - span * secondsOfDay;
}
