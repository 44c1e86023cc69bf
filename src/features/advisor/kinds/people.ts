import { NotFound } from '../../../foundation/kernel/errors.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { findOwners } from '../../knowledge/queries/find-owners.ts';
import { commitSentence, historyOf, showCommit } from '../evidence/past-commits.ts';
import { placeText } from '../evidence/place-source.ts';
import { dayOf, nameOf, type PastCommit } from '../evidence/sources.ts';
import { spanOf, targetSentence } from '../evidence/target.ts';
import type { Finding, Sentence } from '../finding.ts';
import { type Inquiry, repositoryWith, type Target } from '../inquiry.ts';
import { codeList, joined, plainText } from '../text/markdown.ts';
import { linesAnswer, nextHistory, timeText } from './state-commits.ts';
import { targetsOf } from './targets.ts';
import { orderOf } from './weigh-commits.ts';

/** Numbers of people and owners that are named, and of files whose commits are counted. */
const max = { people: 3, owners: 4, files: 2 } as const;

/** A place that people are asked for, and how it is written. */
interface AskedPlace extends Pick<Target, 'repository' | 'path' | 'lines'> {
  readonly text: Sentence;
}

/** Answers who owns, knows or changed something: declared owners first, then who committed most there. */
export async function peopleAnswer(inquiry: Inquiry): Promise<Finding | undefined> {
  const targets = await targetsOf(inquiry);
  const [asked] = targets;
  const isNamed = asked?.isNamed === true;
  const isOfLast = orderOf(inquiry.question.head) === 'last';
  const ofLines = isOfLast ? await linesAnswer(inquiry, asked) : undefined;
  if (ofLines !== undefined) return ofLines;
  const places = isNamed
    ? targets.slice(0, 1).map((target) => ({ ...target, text: targetSentence(inquiry, target) }))
    : rankedPlaces(inquiry);
  if (places.length === 0) return undefined;
  const owners = await ownerLines(inquiry, places);
  const commits = await commitsIn(inquiry, places);
  const people = byPerson(commits);
  const [newest] = commits;
  if (owners.length === 0 && people.length === 0) return undefined;
  const where = joined(places.map(({ text }) => text));
  const last: readonly Sentence[] =
    newest === undefined ? [] : [['Last change: ', ...commitSentence(inquiry, newest)]];
  const who: readonly Sentence[] = [
    ...owners,
    ...(people.length === 0 ? [] : [[`Most commits${timeText(inquiry.question.period)} in `, ...where]]),
    ...people.slice(0, max.people).map(personSentence),
  ];
  return {
    lines: isOfLast ? [...last, ...who] : [...who, ...last],
    notes: owners.length === 0 ? ['No owner of it is declared.'] : [],
    next: [
      ...targets.slice(0, 1).flatMap((one) => nextHistory(inquiry, one)),
      ...(newest === undefined ? [] : showCommit(newest)),
    ],
    passages: isNamed ? 0 : 1,
    isSure: isNamed || owners.length > 0,
  };
}

/** Returns the files of the first passages, those of one repository. */
function rankedPlaces(inquiry: Inquiry): readonly AskedPlace[] {
  const { best } = inquiry.ranked.passages;
  const [first] = best;
  const repository = repositoryWith(inquiry, first?.repository);
  if (repository === undefined) return [];
  const own = best.filter((passage) => passage.repository === repository.id);
  const product = own.filter(({ fileClass }) => fileClass !== 'test');
  const paths = new Set((product.length > 0 ? product : own).map(({ path }) => path));
  return [...paths]
    .slice(0, max.files)
    .map((path) => ({ repository, path, text: [placeText(repository.name, path)] }));
}

/** Names the declared owners of each place. */
async function ownerLines(inquiry: Inquiry, places: readonly AskedPlace[]): Promise<readonly Sentence[]> {
  const inRepository = places.filter(({ path }) => path !== '');
  const lines = inRepository.map(async ({ repository, path, text }): Promise<readonly Sentence[]> => {
    const asked = findOwners(inquiry.view.graph, inquiry.scope, { repositoryId: repository.id, path });
    const { owners } = await asked.catch((error: unknown) => {
      // The graph may lack a file that was indexed a moment ago.
      if (error instanceof NotFound) return { owners: [] };
      throw error;
    });
    const named = owners.slice(0, max.owners).map(nameOf);
    const rules = [...new Set(owners.map(({ edge }) => edge.evidence).filter((rule) => rule !== ''))];
    const by = rules.length === 0 ? '' : ` (${codeList(rules, max.owners)})`;
    return owners.length === 0 ? [] : [['Owned by ', ...joined(named, owners.length), `${by}: `, ...text]];
  });
  return (await Promise.all(lines)).flat();
}

/** Reads the commits of some places in the time that a question names, newest first. */
async function commitsIn(inquiry: Inquiry, places: readonly AskedPlace[]): Promise<readonly PastCommit[]> {
  const { period } = inquiry.question;
  const read = await Promise.all(
    places.map((place) =>
      historyOf(inquiry, place.repository, {
        ...(place.path !== '' && { path: place.path, ...spanOf(place) }),
        ...period,
      }),
    ),
  );
  return read.flatMap(({ commits }) => commits).toSorted((a, b) => b.time - a.time);
}

/** Returns the commits of each person, newest first, of who has most of them first. */
function byPerson(commits: readonly PastCommit[]): readonly (readonly PastCommit[])[] {
  const own = commits.filter(({ author }) => !isProgram(author));
  const groups = Map.groupBy(own, ({ author }) => author.toLowerCase());
  return [...groups.values()].toSorted((a, b) => b.length - a.length);
}

/** Returns whether an author is a program that commits, such as one that updates dependencies. */
function isProgram(author: string): boolean {
  const name = author.toLowerCase();
  return (
    ['[bot]', '-bot', ' bot', '-actions'].some((end) => name.endsWith(end)) || name.startsWith('dependabot')
  );
}

function personSentence(commits: readonly PastCommit[]): Sentence {
  const { author = '', time = 0 } = commits[0] ?? {};
  return [`${plainText(author)}: ${counted(commits.length, 'commit')}, the last on ${dayOf(time)}`];
}
