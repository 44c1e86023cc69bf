import { originOfKey } from '../../../backends/graph/port.ts';
import { partsOfName, unqualified } from '../../search/symbol-name.ts';
import { nameFinder } from '../evidence/changed-lines.ts';
import { askedNames, findDefinitions } from '../evidence/find-named.ts';
import { historyOf } from '../evidence/past-commits.ts';
import type { PastCommit } from '../evidence/sources.ts';
import { targetSentence } from '../evidence/target.ts';
import { type Finding, type Sentence, statesFacts } from '../finding.ts';
import { askedRepositories, type Inquiry, repositoryWith, type Target } from '../inquiry.ts';
import { changeLogLines } from './change-logs.ts';
import { additionOf, removalOf } from './name-history.ts';
import { endOfHistory, linesAnswer, statedCommits } from './state-commits.ts';
import { targetsOf } from './targets.ts';
import {
  orderOf,
  repositoriesOfHistory,
  saysChange,
  saysNoMore,
  type WeighedCommit,
  weighCommits,
} from './weigh-commits.ts';

/** Maximum numbers of commits that are stated, and of pull requests that are looked up. */
const max = { commits: 3, pulls: 3 } as const;
/** The share of the score of the best commit from which the next is about as likely. */
const nextScore = 0.8;
/** The shares of the words of a question from which a message has most of them, and from which a commit is sure. */
const share = { most: 0.5, sure: 0.65 } as const;

/**
 * Answers which commit changed something, when and why. What change logs say of a name follows, or comes first if it
 * names the change and the commit is not sure.
 */
export async function changeAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const pulled = await pulledCommits(inquiry);
  if (pulled.length > 0) {
    const isSure = pulled.every(({ repository }) => repository === pulled[0]!.repository);
    return statedCommits(inquiry, pulled, { isSure });
  }
  if (inquiry.question.kind !== 'change') return undefined;
  const targets = await targetsOf(inquiry);
  const ofLines = await linesAnswer(inquiry, targets[0]);
  if (ofLines !== undefined) return ofLines;
  const present = presentSentence(inquiry, targets);
  const ofName = present === undefined ? await nameAnswer(inquiry, targets) : undefined;
  const ofCommits = statesFacts(ofName) ? ofName : await messagesAnswer(inquiry, targets, ofName);
  const finding = await withChangeLogs(inquiry, ofCommits);
  return present === undefined ? finding : behind([present], finding);
}

/** Returns an answer that begins with sure lines. What follows them may be less sure. */
function behind(sure: readonly Sentence[], finding: Finding | undefined): Finding {
  const [lead = [], ...others] = finding?.lines ?? [];
  const next = finding?.isSure === false ? ['Possible: ', ...lead] : lead;
  return { ...finding, lines: [...sure, ...(lead.length > 0 ? [next] : []), ...others], isSure: true };
}

/** Adds what change logs say of the name that is asked about: those of the repository that the answer states. */
async function withChangeLogs(inquiry: Inquiry, finding: Finding | undefined): Promise<Finding | undefined> {
  const [lead] = finding?.lines ?? [];
  const repositories = askedRepositories(inquiry).filter(
    ({ name }) =>
      lead === undefined || lead.some((part) => (typeof part === 'string' ? part : part.repository) === name),
  );
  const logs = await changeLogLines(inquiry, askedName(inquiry), repositories);
  if (logs.lines.length === 0) return finding;
  if (finding === undefined || (!statesFacts(finding) && logs.saysChange)) return behind(logs.lines, finding);
  return { ...finding, lines: [...finding.lines, ...logs.lines] };
}

/**
 * Answers with the commits whose messages fit. If the best one does not name the change, what is known of the name
 * stands; if none fits, the last change of the target, as possible.
 */
async function messagesAnswer(
  inquiry: Inquiry,
  targets: readonly Target[],
  ofName: Finding | undefined,
): Promise<Finding | undefined> {
  const { head } = inquiry.question;
  const [target] = targets;
  const name = askedName(inquiry) ?? target?.node.name;
  const all = await weighCommits(inquiry, repositoriesOfHistory(inquiry), targets, orderOf(head));
  const isMeant = commitFilter(inquiry);
  const weighed = all.filter(({ commit }) => isMeant(commit));
  const [best] = weighed;
  const subject = best?.commit.subject ?? '';
  if (ofName !== undefined && !(nameFinder(name)(subject) && saysChange(head, subject).any)) return ofName;
  if (best !== undefined) return weighedAnswer(inquiry, best, weighed);
  // All commits of a repository say nothing of what the question is about.
  const latest = target && target.path !== '' ? await endOfHistory(inquiry, target, true) : undefined;
  return latest && { ...latest, isSure: false };
}

/** Returns the name that a question asks about, without its qualifiers. */
function askedName(inquiry: Inquiry): string | undefined {
  const [name] = askedNames(inquiry);
  return name && unqualified(name);
}

/** Returns a filter of commits: without messages that have the name, written as code, only as a part of longer ones. */
function commitFilter(inquiry: Inquiry): (commit: PastCommit) => boolean {
  const name = askedName(inquiry) ?? '';
  const isCode = inquiry.question.subject.identifiers.includes(name);
  const saysName = nameFinder(name);
  return ({ subject, body }) => {
    const text = `${subject}\n${body}`;
    return !isCode || !text.includes(name) || saysName(text);
  };
}

/** States where the definition lies whose removal is asked for by its name and that of its type, as `Router.nest`. */
function presentSentence(inquiry: Inquiry, [target]: readonly Target[]): Sentence | undefined {
  const [name = ''] = askedNames(inquiry);
  const { head } = inquiry.question;
  const parts = partsOfName(name);
  const whole = `.${String(target?.node.props['qualifiedName'])}`;
  const isMeant = target?.isNamed === true && parts.length > 1 && whole.endsWith(`.${parts.join('.')}`);
  // A name such as `Client.delete` asks for no removal, and what had other arguments may be gone.
  if (!isMeant || !saysChange(head.replaceAll(name, ''), 'remove').any || head.includes(`${name}(`))
    return undefined;
  return ['Not removed: ', ...targetSentence(inquiry, target)];
}

/** Answers with the first or last commit of a name, or of the target that the question names if it says no more. */
async function nameAnswer(inquiry: Inquiry, targets: readonly Target[]): Promise<Finding | undefined> {
  const isFirst = orderOf(inquiry.question.head) === 'first';
  const [target] = targets;
  const ofText = await additionOrRemoval(inquiry, targets, isFirst);
  const saysMore = target?.isNamed !== true || !saysNoMore(inquiry, ...namesOf(target));
  // The first commit of lines may have moved them.
  const isBest = statesFacts(ofText) || ofText?.isNotFound === true || isFirst;
  if (saysMore || (ofText !== undefined && isBest)) return ofText;
  const ofTarget = await endOfHistory(inquiry, target, !isFirst);
  // The last change of what still exists did not remove it.
  return statesFacts(ofTarget) ? ofTarget : (ofText ?? ofTarget);
}

async function additionOrRemoval(
  inquiry: Inquiry,
  targets: readonly Target[],
  isFirst: boolean,
): Promise<Finding | undefined> {
  const { named, question } = inquiry;
  const { mentions, subject } = question;
  const [asked] = askedNames(inquiry);
  const name = asked ?? (isFirst ? mentions.changed[0] : undefined);
  if (name === undefined) return undefined;
  if (!isFirst || !saysNoMore(inquiry, name))
    return asked === undefined ? undefined : removalOf(inquiry, asked);
  const all = named.files.length > 0 ? targets : await findDefinitions(inquiry, name);
  // A word that is not written as code may have come with other things.
  const isName = all.length > 0 || subject.identifiers.includes(name);
  return isName ? additionOf(inquiry, name, all) : undefined;
}

/** Answers with the commits that fit best. */
function weighedAnswer(
  inquiry: Inquiry,
  best: WeighedCommit,
  weighed: readonly WeighedCommit[],
): Promise<Finding> {
  const near = weighed.filter((one) => one.score >= best.score / 2 && one.share >= best.share / 2);
  const stated = near.slice(0, max.commits).map(({ commit }) => commit);
  const isFar = best.share < share.most;
  return statedCommits(inquiry, stated, {
    isSure: isClear(inquiry, weighed),
    notes: isFar ? ['No message of a commit has most of the words of the question.'] : [],
  });
}

/**
 * Returns whether the best commit is sure: clearly ahead, in a file in question, and with the name that the question
 * asks about and the change in its subject.
 */
function isClear(inquiry: Inquiry, [best, ...others]: readonly WeighedCommit[]): boolean {
  if (best === undefined || !best.isPlaced || best.share < share.sure) return false;
  const { subject } = best.commit;
  if (!nameFinder(askedName(inquiry))(subject) || !saysChange(inquiry.question.head, subject).all)
    return false;
  return others.every((one) => one.score < best.score * nextScore && one.share <= best.share);
}

function namesOf({ node, path }: Target): readonly string[] {
  return [node.name, String(node.props['qualifiedName'] ?? ''), path];
}

/** Returns the commits that a question names by the numbers of their pull requests. */
async function pulledCommits(inquiry: Inquiry): Promise<readonly PastCommit[]> {
  const { ranked, named } = inquiry;
  const pulls = inquiry.question.mentions.pulls.slice(0, max.pulls);
  if (pulls.length === 0) return [];
  const found: PastCommit[] = [];
  const known = named.pulls.flatMap(({ key }) => repositoryWith(inquiry, originOfKey(key)) ?? []);
  for (const repository of ranked.named.length > 0 ? ranked.named : new Set(known)) {
    for (const number of pulls) {
      const { commits } = await historyOf(inquiry, repository, {
        words: [`#${number}`],
        max: 10,
        files: true,
      });
      found.push(...ofPull(commits, number));
    }
  }
  return found.slice(0, max.commits);
}

/** Returns the commits whose subjects carry the number of a pull request, or else those whose messages name it. */
function ofPull(commits: readonly PastCommit[], number: number): readonly PastCommit[] {
  const names = (text: string): boolean =>
    text.split('#').some((part, at) => at > 0 && Number.parseInt(part, 10) === number);
  const own = commits.filter(({ subject }) => names(subject));
  return own.length > 0 ? own : commits.filter(({ body }) => names(body));
}
