import type { RankedPassage } from '../../../backends/codesearch/port.ts';
import { listed } from '../../../foundation/kernel/text/listed.ts';
import { wordsIn } from '../../../foundation/kernel/text/words.ts';
import { commitKey, fileKey } from '../../knowledge/links/keys.ts';
import { reached, step } from '../../knowledge/queries/related-node.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { askedNames } from '../evidence/find-named.ts';
import {
  commitOf,
  commitSentence,
  commitsOfNodes,
  commitsTouching,
  readCommits,
  reasonOf,
  showCommit,
} from '../evidence/past-commits.ts';
import { commitSource, dayOf, type PastCommit, recordSentence } from '../evidence/sources.ts';
import { type Finding, listSentence, quoted, type Sentence } from '../finding.ts';
import type { Inquiry } from '../inquiry.ts';
import { inlineCode, plainText } from '../text/markdown.ts';
import { absentName } from './absent.ts';
import { type Target, targetSentence, targetsOf } from './target.ts';
import { askedVersion, byVersion, exactLevel, versionWords } from './version-change.ts';
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

/** Numbers of commits that are stated, of files of one, of ids that are looked up, of passages whose lines count, and of words. */
const max = { commits: 3, issues: 3, files: 5, ids: 3, repositories: 8, places: 2, words: 6 } as const;
/** The share of the score of the best commit from which the next is about as likely, and of the words that a sure one has. */
const sure = { next: 0.8, share: 0.5 } as const;

/** Answers which commit changed something, when and why. */
export async function changeAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const named = await namedCommits(inquiry);
  if (named.length > 0) return statedCommits(inquiry, named, true);
  if (inquiry.question.kind !== 'change') return undefined;
  const targets = await targetsOf(inquiry);
  const order = orderOf(inquiry.question.head);
  const [target] = targets;
  const isOfTarget = target?.isNamed === true && order !== 'any' && saysNoMore(inquiry, target);
  const ofTarget = isOfTarget ? await endOfHistory(inquiry, target, order) : undefined;
  if (ofTarget?.isSure === true) return ofTarget;
  return (await versionChange(inquiry)) ?? (await weighedChange(inquiry, targets, order, ofTarget));
}

/** Answers with the commits that fit best; with the end of the history of a target if none of them names it. */
async function weighedChange(
  inquiry: Inquiry,
  targets: readonly Target[],
  order: Order,
  ofTarget: Finding | undefined,
): Promise<Finding | undefined> {
  const weighed = await weighCommits(
    inquiry,
    repositoriesOfHistory(inquiry),
    placesOf(inquiry, targets),
    order,
  );
  const [best] = weighed;
  const [name] = askedNames(inquiry);
  const isNowhere = name !== undefined && inquiry.ranked.unmatched.includes(name);
  if (isNowhere && weighed.every(({ commit }) => !`${commit.subject} ${commit.body}`.includes(name)))
    return absentName(inquiry, name, 'No definition, no use and no commit');
  const namesTarget = best?.commit.subject.includes(targets[0]?.node.name ?? '') === true;
  if (best === undefined || (ofTarget !== undefined && !namesTarget)) return ofTarget;
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

/** Answers when or why the support of a version ended or began to be required; sure if one subject says just that. */
async function versionChange(inquiry: Inquiry): Promise<Finding | undefined> {
  const names = inquiry.ranked.repositories.map(({ name }) => name.toLowerCase());
  const asked = askedVersion(inquiry.question.head, names);
  if (asked === undefined) return undefined;
  const words = [asked.product, ...versionWords];
  const found = await Promise.all(
    askedRepositories(inquiry).map((one) => readCommits(inquiry, one, { path: '', words })),
  );
  const fitting = byVersion(
    found.flatMap(({ commits }) => commits),
    asked,
  );
  const exact = fitting.filter(({ level }) => level === exactLevel);
  if (fitting.length === 0) return undefined;
  const stated = fitting.slice(0, max.commits).map(({ commit }) => commit);
  return await statedCommits(inquiry, stated, exact.length === 1);
}

function askedRepositories({ ranked }: Inquiry): readonly SearchableRepository[] {
  return (ranked.named.length > 0 ? ranked.named : ranked.searched).slice(0, max.repositories);
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

/** Returns which end of a history a question asks for. */
function orderOf(head: string): Order {
  if (/\b(?:last|latest|newest|(?:most )?recent(?:ly)?)\b/iu.test(head)) return 'last';
  return /\b(?:first|introduced?|since (?:when|which)|added|originally|created|appear\w*)\b/iu.test(head)
    ? 'first'
    : 'any';
}

/** Returns whether a question says nothing besides the name and place of its target. */
function saysNoMore(inquiry: Inquiry, { node, path }: Target): boolean {
  const own = new Set(wordsIn(`${node.name} ${String(node.props['qualifiedName'] ?? '')} ${path}`));
  const kinds = new Set(
    wordsIn('add added create touch appear exist file class function method module type'),
  );
  return changeWords(inquiry).every((word) => own.has(word) || kinds.has(word));
}

/** Number of lines from which the first commit of a definition is where it came from. */
const minLines = 3;

/** Answers with the newest or first commit of a definition or file, and the ones next to it. */
async function endOfHistory(inquiry: Inquiry, target: Target, order: Order): Promise<Finding | undefined> {
  const { repository, path, lines } = placeOf(target);
  const past = await readCommits(inquiry, repository, { path, ...(lines === undefined ? {} : { lines }) });
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
  const ids = new Set([...question.mentions.commits, ...shortIds(question.head)]);
  const { pulls } = question.mentions;
  const found: PastCommit[] = [];
  for (const repository of ids.size + pulls.length === 0 ? [] : askedRepositories(inquiry)) {
    for (const commit of [...ids].slice(0, max.ids)) {
      const commits = await deps.sources.findCommits(scope, { repository: repository.id, commit }, signal);
      found.push(...commits.map((one) => commitOf(repository, one)));
    }
    for (const number of pulls.slice(0, max.ids)) {
      const request = { words: [`#${number}`], skip: 0, max: 10, files: true } as const;
      const past = await deps.sources.readHistory(scope, { repository: repository.id, ...request }, signal);
      found.push(
        ...ofPull(
          (past?.commits ?? []).map((one) => commitOf(repository, one)),
          number,
        ),
      );
    }
  }
  return found.slice(0, max.commits);
}

/** Returns what looks like shortened ids of commits: hexadecimal digits, of which some are letters and some are not. */
function shortIds(head: string): readonly string[] {
  const words = head.match(/(?<![\p{L}\p{N}_/.-])[0-9a-f]{7,40}(?![\p{L}\p{N}_-])/gu) ?? [];
  return words.filter((word) => /[a-f]/u.test(word) && /\d/u.test(word));
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
  const [newest] = await commitsTouching(inquiry, [fileKey(repository, path)]);
  const [commit] = newest === undefined ? [] : await commitsOfNodes(inquiry, [newest]);
  if (commit === undefined) return undefined;
  const by = commit.author === '' ? '' : ` by ${plainText(commit.author)}`;
  return [
    `Its file last changed ${dayOf(commit.time)}${by}: ${quoted(commit.subject, 120)}`,
    commitSource(inquiry, commit, 'last change of the file'),
  ];
}
