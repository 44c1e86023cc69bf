import { NotFound } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { findOwners } from '../../knowledge/queries/find-owners.ts';
import { commitSentence, showCommit } from '../evidence/past-commits.ts';
import { dayOf, nameOf, type PastCommit } from '../evidence/sources.ts';
import { targetSentence } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import type { Inquiry, Target } from '../inquiry.ts';
import { codeList, joined, plainText } from '../text/markdown.ts';
import { commitsOf, linesAnswer, nextHistory, timeNotes } from './state-commits.ts';
import { targetsOf } from './targets.ts';
import { asks } from './weigh-commits.ts';

/** Numbers of people and owners that are named. */
const max = { people: 3, owners: 4 } as const;

/** Answers who owns, knows or changed something: declared owners first, then who committed most there. */
export async function peopleAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const [place] = await targetsOf(inquiry);
  if (place === undefined) return undefined;
  const isOfLast = asks.last.test(inquiry.question.head);
  const ofLines = isOfLast ? await linesAnswer(inquiry, place) : undefined;
  if (ofLines !== undefined) return ofLines;
  const owners = await ownerLines(inquiry, place);
  const { commits, isWhole } = await commitsOf(inquiry, place);
  const people = byPerson(commits);
  const newest = commits.slice(0, 1);
  if (owners.length === 0 && people.length === 0) return undefined;
  const last = newest.map((one): Sentence => ['Last change: ', ...commitSentence(inquiry, one)]);
  const most = isWhole ? 'Most commits' : `Most of the last ${commits.length} commits`;
  const who: readonly Sentence[] = [
    ...owners,
    ...(people.length === 0 ? [] : [[`${most} in `, ...targetSentence(inquiry, place)]]),
    ...people.slice(0, max.people).map(personSentence),
  ];
  return {
    lines: isOfLast ? [...last, ...who] : [...who, ...last],
    notes: [...(owners.length === 0 ? ['No owner of it is declared.'] : []), ...timeNotes(inquiry)],
    next: [...nextHistory(inquiry, place), ...newest.flatMap(showCommit)],
    passages: place.isNamed ? 0 : 1,
    isSure: place.isNamed || owners.length > 0,
  };
}

/** Names the declared owners of a place. */
async function ownerLines(inquiry: Inquiry, place: Target): Promise<readonly Sentence[]> {
  const { repository, path } = place;
  const asked = findOwners(inquiry.view.graph, inquiry.scope, { repositoryId: repository.id, path });
  // The graph may lack a file that was indexed a moment ago.
  const { owners = [] } = (await asked.catch(orUndefined((error) => error instanceof NotFound))) ?? {};
  if (owners.length === 0) return [];
  const named = owners.slice(0, max.owners).map(nameOf);
  const rules = [...new Set(owners.map(({ edge }) => edge.evidence).filter((rule) => rule !== ''))];
  const by = rules.length === 0 ? '' : ` (${codeList(rules, max.owners)})`;
  return [['Owned by ', ...joined(named, owners.length), `${by}: `, ...targetSentence(inquiry, place)]];
}

/** Matches the name of a program that commits, such as one that updates dependencies. */
const program = /(?:\[bot\]|[- ]bot|-actions)$|^dependabot/iu;

/** Returns the commits of each person, newest first, of who has most of them first. */
function byPerson(commits: readonly PastCommit[]): readonly (readonly PastCommit[])[] {
  const own = commits.filter(({ author }) => !program.test(author));
  const groups = Map.groupBy(own, ({ author }) => author.toLowerCase());
  return [...groups.values()].toSorted((a, b) => b.length - a.length);
}

function personSentence(commits: readonly PastCommit[]): Sentence {
  const { author = '', time = 0 } = commits[0] ?? {};
  return [`${plainText(author)}: ${counted(commits.length, 'commit')}, the last on ${dayOf(time)}`];
}
