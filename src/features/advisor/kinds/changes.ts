import type { RankedPassage } from '../../../backends/codesearch/port.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { wordsIn } from '../../../foundation/kernel/text/words.ts';
import { commitKey, fileKey } from '../../knowledge/links/keys.ts';
import { commitsTouching } from '../../knowledge/queries/commits-before.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import { partsOfName } from '../../search/symbol-name.ts';
import { askedNames } from '../evidence/find-named.ts';
import {
  commitOf,
  commitSentence,
  commitsOfNodes,
  readCommits,
  reasonOf,
  showCommit,
} from '../evidence/past-commits.ts';
import { commitSource, dayOf, type PastCommit, recordSentence } from '../evidence/sources.ts';
import { type Finding, listSentence, quoted, type Sentence } from '../finding.ts';
import { askedRepositories, type Inquiry } from '../inquiry.ts';
import { inlineCode, plainText } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { changeLogLines } from './change-log.ts';
import { commitsWithText, commitWith, historyOf, isInNoCode } from './commits-with-text.ts';
import { sinceOf } from './since.ts';
import { type Target, targetSentence, targetsOf } from './target.ts';
import {
  changeWords,
  type Order,
  type Place,
  placeOf,
  repositoriesOfHistory,
  stemsOf,
  verbs,
  type WeighedCommit,
  weighCommits,
} from './weigh-commits.ts';

/** Maximum numbers of commits that are stated, of issues and files of one, of ids that are looked up and repositories in which, of places whose commits count, and of words. */
const max = { commits: 3, issues: 3, files: 5, ids: 3, repositories: 8, places: 2, words: 6 } as const;
/** Number of commits since a time that are stated. */
const maxSince = 10;
/** The share of the score of the best commit from which the next is about as likely, and of the words that a sure one has. */
const sure = { next: 0.8, share: 0.5 } as const;

/** Answers which commit changed something, when and why; what change logs say of a name follows. */
export async function changeAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const named = await namedCommits(inquiry);
  if (named.length > 0) return statedCommits(inquiry, named, true);
  if (inquiry.question.kind !== 'change') return undefined;
  const targets = await targetsOf(inquiry);
  const since = await changesSince(inquiry, targets[0]);
  if (since !== undefined) return since;
  const [finding, logs] = await Promise.all([
    commitAnswer(inquiry, targets),
    changeLogLines(inquiry, askedNames(inquiry)),
  ]);
  return logs.length === 0 ? finding : { ...finding, lines: [...(finding?.lines ?? []), ...logs] };
}

async function commitAnswer(inquiry: Inquiry, targets: readonly Target[]): Promise<Finding | undefined> {
  const order = orderOf(inquiry.question.head);
  const [target] = targets;
  const ofText = await changesOfText(inquiry, order);
  if (ofText !== undefined && ofText.isSure !== false) return ofText;
  const isOfTarget = target?.isNamed === true && order !== 'any' && saysNoMore(inquiry, ...namesOf(target));
  const ofTarget = isOfTarget ? await endOfHistory(inquiry, target, order) : undefined;
  if (ofTarget?.isSure === true) return ofTarget;
  return weighedChange(inquiry, targets, order, ofText ?? ofTarget);
}

/** Answers with the commits that fit best; with those of a name if none of the others has it. */
async function weighedChange(
  inquiry: Inquiry,
  targets: readonly Target[],
  order: Order,
  ofName: Finding | undefined,
): Promise<Finding | undefined> {
  const places = placesOf(inquiry, targets);
  const weighed = await weighCommits(inquiry, repositoriesOfHistory(inquiry), places, order);
  const [best] = weighed;
  const [name = targets[0]?.node.name ?? ''] = askedNames(inquiry);
  if (best === undefined || (ofName !== undefined && !best.commit.subject.includes(name))) return ofName;
  const near = weighed.filter((one) => one.score >= best.score / 2 && one.share >= best.share / 2);
  const stated = near.slice(0, max.commits).map(({ commit }) => commit);
  const finding = await statedCommits(inquiry, stated, isClear(inquiry, weighed));
  const unsaid = unsaidWords(inquiry, weighed);
  return {
    ...finding,
    notes: [
      ...(best.share < sure.share ? ['No message of a commit has most of the words of the question.'] : []),
      ...(unsaid.length > 0 ? [`No message of these commits has ${listed(unsaid, max.words)}.`] : []),
    ],
  };
}

/** Lists the commits of a file, a folder or a repository since the time or version that the question says. */
async function changesSince(inquiry: Inquiry, target: Target | undefined): Promise<Finding | undefined> {
  const { named, isCertain } = inquiry.ranked;
  const [only, ...others] = isCertain ? named : [];
  const isFile = target?.isNamed === true && target.node.kind === 'file';
  const repository = isFile ? target.repository : others.length === 0 ? only : undefined;
  if (repository === undefined) return undefined;
  const since = await sinceOf(inquiry, repository);
  if (since === undefined) return undefined;
  const place = isFile ? { path: target.path } : {};
  const { commits, more } = await historyOf(inquiry, repository, {
    ...place,
    since: since.time,
    max: maxSince,
  });
  const where = isFile ? targetSentence(inquiry, target) : [inlineCode(repository.name)];
  const number = `${commits.length}${more ? ' or more' : ''}`;
  return {
    lines: [
      [`${number} ${commits.length === 1 ? 'commit' : 'commits'} of `, ...where, ` since ${since.text}.`],
      ...commits.map((commit) => commitSentence(inquiry, commit)),
    ],
    next: commits.slice(0, 1).flatMap(showCommit),
    passages: 0,
  };
}

/**
 * Answers with the commits that added or removed the name of the question in a file: the oldest one if it is asked when
 * it came, the newest one if no code has it any more.
 */
async function changesOfText(inquiry: Inquiry, order: Order): Promise<Finding | undefined> {
  const [name] = askedNames(inquiry);
  if (name === undefined) return undefined;
  const last = partsOfName(name).at(-1) ?? name;
  const isFirst = order === 'first' && saysNoMore(inquiry, name);
  if (!isFirst && !(await isInNoCode(inquiry, last))) return undefined;
  const { commits, isWhole, isNowhere } = await commitsWithText(inquiry, last, isFirst);
  if (commits.length === 0)
    return isNowhere && inquiry.ranked.unmatched.includes(name)
      ? absentName(inquiry, name, 'No definition, no use and no commit')
      : undefined;
  const { commit, lines, more, isCertain } = await commitWith(inquiry, commits, last);
  const isSure = isCertain && (!isFirst || isWhole);
  const finding = await statedCommits(inquiry, [commit, ...more.slice(0, 1)], isSure);
  const [lead = [], ...rest] = finding.lines;
  const end = `${isSure ? 'First' : 'Oldest known'} commit that added`;
  const what = isFirst ? end : 'Last commit that added or removed';
  return {
    ...finding,
    lines: [[`${what} ${inlineCode(last)}: `, ...lead], ...lines, ...rest],
    notes: isWhole ? [] : ['The time was up before older commits were compared.'],
  };
}

/** Returns whether the best commit is ahead by its score, says the most words and what was done, and its place fits. */
function isClear({ question }: Inquiry, [best, ...others]: readonly WeighedCommit[]): boolean {
  if (best === undefined || !best.isPlaced || best.share < sure.share) return false;
  const said = stemsOf(best.commit.subject);
  if (stemsOf(question.head).some((word) => verbs.has(word) && !said.includes(word))) return false;
  return others.every(({ score, share }) => score < best.score * sure.next && share <= best.share);
}

/** Returns the words of a question that no commit has in any form, as the question writes them. */
function unsaidWords(inquiry: Inquiry, weighed: readonly WeighedCommit[]): readonly string[] {
  const said = new Set(weighed.flatMap(({ words }) => words));
  const wanted = new Set(changeWords(inquiry).filter((word) => !said.has(word)));
  const words = new Set(inquiry.question.head.match(/[\p{L}\p{N}_]+/gu));
  return [...words].filter((word) => stemsOf(word).some((stem) => wanted.has(stem))).map(inlineCode);
}

/** Returns which end of a history a question asks for: what was removed or renamed ends with that. */
function orderOf(head: string): Order {
  if (
    /\b(?:last|latest|newest|(?:most )?recent(?:ly)?|gone|remov\w+|delet\w+|dropped|renamed)\b/iu.test(head)
  )
    return 'last';
  return /\b(?:first|introduced?|since (?:when|which)|added|originally|created|appear\w*)\b/iu.test(head)
    ? 'first'
    : 'any';
}

/** Returns whether a question says nothing besides the name and place of something. */
function saysNoMore(inquiry: Inquiry, ...names: readonly string[]): boolean {
  const own = new Set(wordsIn(names.join(' ')));
  const kinds = new Set(
    wordsIn('add added create touch appear exist argument file class function method module option type'),
  );
  return changeWords(inquiry).every((word) => own.has(word) || kinds.has(word));
}

function namesOf({ node, path }: Target): readonly string[] {
  return [node.name, String(node.props['qualifiedName'] ?? ''), path];
}

/** Number of lines from which the first commit of a definition is where it came from. */
const minLines = 3;

/** Answers with the newest or first commit of a definition or file, and the ones next to it. */
export async function endOfHistory(
  inquiry: Inquiry,
  target: Target,
  order: Order,
): Promise<Finding | undefined> {
  const { repository, ...place } = placeOf(target);
  const { lines } = place;
  const past = await readCommits(inquiry, repository, place);
  if (past.commits.length === 0) return undefined;
  const ordered = order === 'last' ? past.commits : past.commits.toReversed();
  // The history of a line or two ends where they were last written anew, such as by a formatter.
  const isShort = lines !== undefined && lines.endLine - lines.startLine < minLines;
  const isWhole = order === 'last' || (past.whole && !isShort);
  const what = `${order === 'last' ? 'Last' : isWhole ? 'First' : 'Oldest known'} change of `;
  const finding = await statedCommits(inquiry, ordered.slice(0, max.commits - 1), isWhole);
  const [first = [], ...others] = finding.lines;
  return {
    ...finding,
    lines: [[what, ...targetSentence(inquiry, target), ': ', ...first], ...others],
    ...(isWhole ? {} : { notes: ['Its history may begin earlier, under other lines.'] }),
  };
}

/** Returns the places whose commits may be meant: those that are named, or else those of the first passages. */
function placesOf({ ranked }: Inquiry, targets: readonly Target[]): readonly Place[] {
  const named = targets.filter(({ isNamed }) => isNamed);
  if (named.length > 0) return named.slice(0, max.places).map(placeOf);
  return ranked.passages.best.slice(0, max.places).flatMap(({ repository: id, path, startLine, endLine }) => {
    const repository = ranked.repositories.find((one) => one.id === id);
    return repository === undefined ? [] : [{ repository, path, lines: { startLine, endLine } }];
  });
}

/** States commits, best first: each on one line, then the reason of the first one and the files that it touched. */
async function statedCommits(
  inquiry: Inquiry,
  commits: readonly PastCommit[],
  isSure: boolean,
): Promise<Finding> {
  const [first, ...others] = commits;
  if (first === undefined) return { lines: [] };
  const reason = reasonOf(first).join(' ');
  const { paths } = first;
  const files = listed(paths.map(inlineCode), max.files);
  return {
    lines: [
      commitSentence(inquiry, first),
      ...(reason === '' ? [] : [[`Its message says: ${quoted(reason, 500)}`, commitSource(inquiry, first)]]),
      ...(paths.length === 0 ? [] : [[`It touched ${files}.`]]),
      ...(await namedIssues(inquiry, first)),
      ...others.map((commit): Sentence => ['Also: ', ...commitSentence(inquiry, commit)]),
    ],
    next: commits.slice(0, max.commits - 1).flatMap(showCommit),
    isSure,
  };
}

/** Names the issues that a commit closes or mentions, if the graph knows some. */
async function namedIssues(inquiry: Inquiry, { repository, id }: PastCommit): Promise<readonly Sentence[]> {
  const from = [commitKey(repository.id, id)];
  const kinds = ['closes', 'mentions'];
  const found = await step(inquiry.view.graph, inquiry.scope, { from, direction: 'out', kinds });
  const issues = reached(found, from, ['issue']);
  return listSentence(
    'It names ',
    issues.slice(0, max.issues).map(({ node, edge }) => recordSentence(inquiry, node, edge.kind)),
    issues.length,
  );
}

/** Returns the commits that a question names by their ids or by the numbers of their pull requests. */
async function namedCommits(inquiry: Inquiry): Promise<readonly PastCommit[]> {
  const { question, deps, scope, signal } = inquiry;
  const { commits: ids, pulls } = question.mentions;
  const found: PastCommit[] = [];
  const repositories = askedRepositories(inquiry).slice(0, max.repositories);
  for (const repository of ids.length + pulls.length === 0 ? [] : repositories) {
    for (const commit of ids.slice(0, max.ids)) {
      const commits = await deps.sources.findCommits(scope, { repository: repository.id, commit }, signal);
      found.push(...commits.map((one) => commitOf(repository, one)));
    }
    for (const number of pulls.slice(0, max.ids)) {
      const { commits } = await historyOf(inquiry, repository, { words: [`#${number}`], max: 10 });
      found.push(...ofPull(commits, number));
    }
  }
  return found.slice(0, max.commits);
}

/** Returns the commits whose subjects carry the number of a pull request, or else those whose messages name it. */
function ofPull(commits: readonly PastCommit[], number: number): readonly PastCommit[] {
  const names = (text: string): boolean =>
    text.split(/(?<![\p{L}\p{N}])#/u).some((part, at) => at > 0 && Number.parseInt(part, 10) === number);
  const own = commits.filter(({ subject }) => names(subject));
  return own.length > 0 ? own : commits.filter(({ body }) => names(body));
}

/** Returns the last change of the file of a passage, from the commits that the graph knows; none if it knows none. */
export async function lastChange(
  inquiry: Inquiry,
  { repository, path }: RankedPassage,
): Promise<Sentence | undefined> {
  const { commits } = await commitsTouching(inquiry.view.graph, inquiry.scope, [fileKey(repository, path)]);
  const [commit] = await commitsOfNodes(
    inquiry,
    commits.slice(0, 1).map(({ node }) => node),
  );
  if (commit === undefined) return undefined;
  const by = commit.author === '' ? '' : ` by ${plainText(commit.author)}`;
  return [
    `Its file last changed ${dayOf(commit.time)}${by}: ${quoted(commit.subject, 120)}`,
    commitSource(inquiry, commit, 'last change of the file'),
  ];
}
