import { originOfKey } from '../../../backends/graph/port.ts';
import { namedInMessage } from '../../history/named-in-message.ts';
import { unqualified } from '../../search/symbol-name.ts';
import { wordPattern } from '../evidence/changed-lines.ts';
import { askedNames, findDefinitions } from '../evidence/find-named.ts';
import { historyOf } from '../evidence/past-commits.ts';
import { type Finding, statesFacts } from '../finding.ts';
import { type Inquiry, repositoryWith, type Target } from '../inquiry.ts';
import { additionOf, removalOf } from './name-history.ts';
import { endOfHistory, linesAnswer, statedCommits } from './state-commits.ts';
import { targetsOf } from './targets.ts';
import { asksForFirst, saysNoMore, weighCommits } from './weigh-commits.ts';

/** Maximum numbers of commits that are stated, and of those with the number of a pull request. */
const max = { commits: 3, pulled: 10 } as const;

/** Answers which commit changed something, when and why. */
export async function changeAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const pulled = await pulledAnswer(inquiry);
  if (pulled !== undefined || inquiry.question.kind !== 'change') return pulled;
  const targets = await targetsOf(inquiry);
  const ofLines = await linesAnswer(inquiry, targets[0]);
  if (ofLines !== undefined) return ofLines;
  return (await nameAnswer(inquiry, targets)) ?? (await messagesAnswer(inquiry));
}

/** Answers with the first or last commit of a name, or of the target that the question names if it says no more. */
async function nameAnswer(inquiry: Inquiry, targets: readonly Target[]): Promise<Finding | undefined> {
  const [name] = askedNames(inquiry);
  const { head } = inquiry.question;
  // A name may have words such as `delete` itself.
  const isFirst = asksForFirst(name === undefined ? head : head.replaceAll(name, ' '));
  const ofName = isFirst ? await namedAddition(inquiry, targets, name) : await removalOf(inquiry, name);
  if (ofName !== undefined && (isFirst || statesFacts(ofName))) return ofName;
  const [target] = targets;
  const whole = String(target?.node.props['qualifiedName'] ?? '');
  const isOfTarget = target?.isNamed === true && saysNoMore(inquiry, target.node.name, whole, target.path);
  // The last change of what still exists did not remove it.
  return (isOfTarget ? await endOfHistory(inquiry, target, !isFirst) : undefined) ?? ofName;
}

async function namedAddition(
  inquiry: Inquiry,
  targets: readonly Target[],
  asked: string | undefined,
): Promise<Finding | undefined> {
  const { mentions, subject } = inquiry.question;
  const name = asked ?? mentions.changed[0];
  if (name === undefined || !saysNoMore(inquiry, name)) return undefined;
  const all = inquiry.named.files.length > 0 ? targets : await findDefinitions(inquiry, name);
  // A word that is not written as code may have come with other things.
  const isName = all.length > 0 || subject.identifiers.includes(name);
  return isName ? additionOf(inquiry, name, all) : undefined;
}

/** Answers with the commits whose messages fit, as possible. */
async function messagesAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [name = ''] = askedNames(inquiry).map(unqualified);
  const isCode = inquiry.question.subject.identifiers.includes(name);
  const word = wordPattern(name);
  // A message that has a name only as a part of longer ones says nothing of it.
  const weighed = (await weighCommits(inquiry)).filter(({ commit: { subject, body } }) => {
    const text = `${subject}\n${body}`;
    return !isCode || !text.includes(name) || word.test(text);
  });
  const [best] = weighed;
  if (best === undefined) return undefined;
  const near = weighed.filter(({ score }) => score >= best.score / 2).slice(0, max.commits);
  const notes = best.share < 0.5 ? ['No message of a commit has most of the words of the question.'] : [];
  const commits = near.map(({ commit }) => commit);
  return statedCommits(inquiry, commits, { isSure: false, showsChange: notes.length === 0, notes });
}

/** Answers with the commits whose subjects, or else whose messages, have the number of a pull request. */
async function pulledAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const { named, ranked, question } = inquiry;
  const [number] = question.mentions.pulls;
  if (number === undefined) return undefined;
  const known = new Set(named.pulls.flatMap(({ key }) => repositoryWith(inquiry, originOfKey(key)) ?? []));
  const request = { words: [`#${number}`], max: max.pulled, files: true };
  // The address of a pull request has the name of its repository.
  const linked = [...known].filter(({ name }) => question.head.includes(`${name.split('/').at(-1)}/`));
  const repositories = [ranked.named, linked].find(({ length }) => length > 0) ?? [...known];
  const read = await Promise.all(repositories.map((one) => historyOf(inquiry, one, request)));
  const isOf = new RegExp(`#${number}(?!\\d)`, 'u');
  const all = read.flatMap(({ commits }) => commits.filter((one) => isOf.test(one.subject + one.body)));
  const own = all.filter(
    ({ id, subject, body }) => namedInMessage(id, subject + body).pullRequest === number,
  );
  const commits = (own.length > 0 ? own : all).slice(0, max.commits);
  const isSure = own.length > 0 && commits.every(({ repository }) => repository === commits[0]?.repository);
  return commits.length === 0 ? undefined : statedCommits(inquiry, commits, { isSure });
}
