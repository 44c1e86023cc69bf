import { joined, type Sentence } from '../../../answer/statements.ts';
import { asksForLately, isLately } from '../../../question/lately.ts';
import type { Inquiry } from '../../inquiry.ts';
import { changeText, timeOf } from '../commits.ts';
import { linesAsked } from '../lines-asked.ts';
import { describePast, type MessageChange } from '../past.ts';
import { isMechanical } from '../purpose.ts';
import { recallChanges } from '../recall.ts';
import { type WeighedChange, weighChanges } from '../weigh-changes.ts';
import { type Author, authorsOf, peopleText, withoutPrograms } from './authors.ts';

/** Number of commits whose authors are counted and of commits that are named. */
const max = { commits: 12, shown: 3 } as const;
/** Thresholds of a commit about the topic: its share of the question, its place or lines, and its share of the best score. */
const min = { share: 0.3, place: 0.3, score: 0.6, lines: 0.6 } as const;
/** The share of the question with which the message of a commit alone says that it is about it. */
const enoughShare = 0.6;
/** Time in which what somebody did becomes half as telling of what they know. */
const halfLifeSeconds = 4 * 365 * 86_400;

/** Thresholds of the first author of the commits about a topic, who is said to know it: a share of their worth, or a lead. */
const telling = { share: 0.4, lead: 2 } as const;

/** The people who wrote the commits about a topic. */
export interface TopicPeople {
  readonly sentence: Sentence;
  /** True if one of them stands out, or if the question asks for what was done lately. */
  readonly isTelling: boolean;
}

/**
 * Names the people of the commits of a repository whose messages and places are about the topic of a question; whoever
 * fits it best and most recently comes first. Returns `undefined` if there is none.
 */
export async function topicPeople(inquiry: Inquiry, repositoryId: string): Promise<TopicPeople | undefined> {
  const { asked } = inquiry;
  const own = inquiry.ranked.repositories.filter(({ id }) => id === repositoryId);
  const within = { ...inquiry, ranked: { ...inquiry.ranked, named: own } };
  const lines = await linesAsked(inquiry, undefined);
  const { words, candidates } = await recallChanges(
    within,
    lines.filter(({ repository }) => repository === repositoryId),
    'any',
  );
  const newest = Math.max(0, ...candidates.map(({ change }) => timeOf(change.node)));
  const onlyLately = asksForLately(asked);
  const byPeople = new Set(withoutPrograms(candidates.map(({ change }) => change)));
  const recent = candidates.filter(
    ({ change }) =>
      byPeople.has(change) &&
      (!onlyLately || isLately(timeOf(change.node), newest)) &&
      !isMechanical(change.node.name, asked),
  );
  const weighed = await weighChanges({ words, purpose: 'any', asked }, recent);
  const best = weighed[0]?.score ?? 0;
  const about = weighed.filter((one) => isAbout(one, best)).slice(0, max.commits);
  if (about.length === 0) return undefined;
  const worth = (one: WeighedChange): number =>
    one.score ** 3 * 0.5 ** ((newest - timeOf(one.change.node)) / halfLifeSeconds);
  const worths = new Map(about.map((one) => [one.change, worth(one)]));
  const worthOf = ({ changes }: Author): number =>
    changes.reduce((sum, change) => sum + (worths.get(change) ?? 0), 0);
  const authors = authorsOf(about.map(({ change }) => change)).toSorted((a, b) => worthOf(b) - worthOf(a));
  const total = authors.reduce((sum, author) => sum + worthOf(author), 0);
  const [first = 0, second = 0] = authors.map(worthOf);
  return {
    sentence: await peopleSentence(inquiry, authors, worths, onlyLately),
    isTelling: onlyLately || first >= total * telling.share || first >= second * telling.lead,
  };
}

function isAbout({ share, place, lines, score }: WeighedChange, best: number): boolean {
  if (score < best * min.score) return false;
  return share >= enoughShare || (share >= min.share && place >= min.place) || lines >= min.lines;
}

async function peopleSentence(
  inquiry: Inquiry,
  authors: readonly Author[],
  worths: ReadonlyMap<MessageChange, number>,
  isRecent: boolean,
): Promise<Sentence> {
  const shown = authors
    .flatMap(({ changes }) => changes.toSorted((a, b) => (worths.get(b) ?? 0) - (worths.get(a) ?? 0)))
    .slice(0, max.shown);
  const described = await describePast(inquiry, shown, 'is about the topic');
  return [
    isRecent ? 'The recent commits about it came from ' : 'The commits about it came from ',
    ...peopleText(authors),
    ', such as ',
    ...joined(described.map(changeText)),
    '.',
  ];
}
