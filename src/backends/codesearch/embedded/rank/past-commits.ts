import { commitsWith, describedShare, eachOf, type PreparedHistory } from '../read/prepared-history.ts';

/** Signals from the past commits of one repository. */
export interface PastCommits {
  /** The files that past commits say something about for this question, by path. */
  readonly files: ReadonlyMap<string, PastChanges>;
  /** Returns how often and how recently a file was changed. */
  readonly recency: (path: string) => number;
  /** By term of the question: how much it says in messages, between .3 and 1. */
  readonly informative: Float64Array;
  /** Returns the commit of an age. */
  readonly commit: PreparedHistory['commit'];
}

export interface PastChanges {
  /** Total similarity of the commits that touched the file. */
  readonly similar: number;
  /** Changes of the same part of the product. */
  readonly area: number;
  /** By term of the question: how often the subjects of the file's changes contain it. */
  readonly described: Float64Array | undefined;
  /** The age of the most similar commit; `undefined` if none is. */
  readonly change: number | undefined;
}

interface SimilarCommit {
  readonly age: number;
  readonly similarity: number;
}

/** Maximum number of similar commits, and of commits of the same area, that count. */
const max = { similar: 80, area: 150 } as const;
/** Number of commits after which a change counts 1/e. */
const decay = { similar: 1500, area: 1000 } as const;
/** Constants of BM25 for commit messages. */
const k1 = 1.2;
const lengthNormalization = 0.75;

/** Collects what past commits say about one file. */
interface FileTally {
  similar: number;
  area: number;
  described: Float64Array | undefined;
  best: number;
  /** The age of the commit that counts most. */
  change: number | undefined;
}

/**
 * Computes the signals of past commits like BugLocator does for similar bug reports (Zhou, Zhang and Lo 2012): the
 * similarity of a commit message to the question counts for each file that the commit touched, less the more files it
 * touched and the older it is. `terms` are the hashes of the question's terms.
 */
export function pastCommits(
  known: PreparedHistory,
  terms: readonly number[],
  area: string | undefined,
): PastCommits {
  const tallies = new Map<number, FileTally>();
  const tallyOf = (path: number): FileTally => {
    const tally = tallies.get(path) ?? {
      similar: 0,
      area: 0,
      described: undefined,
      best: 0,
      change: undefined,
    };
    tallies.set(path, tally);
    return tally;
  };
  const { similar, informative } = similarCommits(known, terms);
  for (const { age, similarity } of similar) {
    const share = (similarity ** 2 * Math.exp(-age / decay.similar)) / known.spread[age]!;
    eachOf(known.touched, age, (path) => {
      const tally = tallyOf(path);
      tally.similar += share;
      if (share > tally.best) [tally.best, tally.change] = [share, age];
    });
  }
  addDescriptions(known, terms, tallyOf);
  if (area !== undefined) addArea(known, area.toLowerCase(), tallyOf);
  const recency = (path: string): number => known.recency[known.numbers.get(path) ?? -1] ?? 0;
  return { files: byPath(known, tallies), recency, informative, commit: known.commit };
}

function similarCommits(
  { count, said, lengths, averageTerms }: PreparedHistory,
  terms: readonly number[],
): { readonly similar: SimilarCommit[]; readonly informative: Float64Array } {
  const frequency = new Uint32Array(terms.length);
  const weights = new Map<number, number>();
  for (const [index, term] of terms.entries()) {
    const ages = commitsWith(said, term);
    const many = ages.length;
    frequency[index] = many;
    const rarity = Math.log(1 + (count - many + 0.5) / (many + 0.5));
    for (const age of ages) weights.set(age, (weights.get(age) ?? 0) + rarity);
  }
  const similar = [...weights]
    .map(([age, weight]) => {
      const length = 1 - lengthNormalization + (lengthNormalization * lengths[age]!) / averageTerms;
      return { age, similarity: (weight * (k1 + 1)) / (1 + k1 * length) };
    })
    .filter(({ similarity }) => similarity > 0)
    .toSorted((a, b) => b.similarity - a.similarity || a.age - b.age)
    .slice(0, max.similar);
  const informative = Float64Array.from(
    frequency,
    (many) => 0.3 + (0.7 * Math.log(1 + count / (many + 1))) / Math.log(1 + count),
  );
  return { similar, informative };
}

function addDescriptions(
  known: PreparedHistory,
  terms: readonly number[],
  tallyOf: (path: number) => FileTally,
): void {
  const { saidInSubject, touched, words, averageWords } = known;
  for (const [index, term] of terms.entries())
    for (const age of commitsWith(saidInSubject, term)) {
      const share = describedShare(known, age);
      if (share === 0) continue;
      eachOf(touched, age, (path) => {
        const tally = tallyOf(path);
        tally.described ??= new Float64Array(terms.length);
        // A file that every change touches is described by all words, and so by none.
        tally.described[index]! += share / (0.4 + (0.6 * words[path]!) / averageWords);
      });
    }
}

function addArea(
  { areas, touched, spread }: PreparedHistory,
  area: string,
  tallyOf: (path: number) => FileTally,
): void {
  let left = max.area;
  areas.forEach((one, age) => {
    if (one !== area || left-- <= 0) return;
    eachOf(touched, age, (path) => {
      tallyOf(path).area += Math.exp(-age / decay.area) / spread[age]!;
    });
  });
}

function byPath(
  { paths }: PreparedHistory,
  tallies: ReadonlyMap<number, FileTally>,
): Map<string, PastChanges> {
  return new Map(
    [...tallies].map(([number, { similar, area, described, change }]) => [
      paths[number]!,
      { similar, area: Math.sqrt(area), described, change },
    ]),
  );
}
