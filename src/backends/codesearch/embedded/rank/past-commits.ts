import type { History } from '../format/history-file.ts';

/** What past commits say about the files of one repository. */
export interface PastCommits {
  /** By path: how much the commits that speak of the question touched it, and the one that says most. */
  readonly similar: ReadonlyMap<string, SimilarChange>;
  /** By path: 1 for what the newest commit touched, half of it for each three months before. */
  readonly recency: ReadonlyMap<string, number>;
}

export interface SimilarChange {
  readonly score: number;
  readonly id: string;
  readonly subject: string;
}

interface SimilarCommit {
  readonly index: number;
  readonly similarity: number;
}

/** Commits that count, of those that speak of the question. */
const MOST_SIMILAR = 50;
const HALF_LIFE_SECONDS = 90 * 24 * 3600;
/** Of BM25, for the length of a message. */
const B = 0.5;

/**
 * Similar commits as BugLocator takes similar bug reports (Zhou, Zhang and Lo 2012): what a commit says, held against the
 * question, counts for each file that it touched, the less the more files there are. `asked`: hashes of terms.
 */
export function pastCommits({ commits }: History, asked: Iterable<number>): PastCommits {
  const similar = new Map<string, SimilarChange & { best: number }>();
  for (const { index, similarity } of similarCommits(commits, [...asked])) {
    const { id, subject, paths } = commits[index]!;
    const share = similarity / Math.sqrt(paths.length);
    for (const path of paths) {
      const known = similar.get(path);
      const best = known !== undefined && known.best >= share ? known : { id, subject, best: share };
      similar.set(path, { ...best, score: (known?.score ?? 0) + share });
    }
  }
  return { similar, recency: recencyOf(commits) };
}

function similarCommits(commits: History['commits'], terms: readonly number[]): SimilarCommit[] {
  const asked = new Map(terms.map((term, index) => [term, index]));
  const frequency = new Uint32Array(terms.length);
  const found = commits.map((commit) => {
    const held = [...commit.terms].flatMap((term) => asked.get(term) ?? []);
    for (const term of held) frequency[term]! += 1;
    return held;
  });
  const words = commits.reduce((sum, commit) => sum + commit.terms.length, 0);
  const average = Math.max(1, words / Math.max(1, commits.length));
  return found
    .map((held, index) => {
      const length = 1 - B + (B * commits[index]!.terms.length) / average;
      const weight = held.reduce((sum, term) => sum + rarity(frequency[term]!, commits.length), 0);
      return { index, similarity: weight / length };
    })
    .filter(({ similarity }) => similarity > 0)
    .toSorted((a, b) => b.similarity - a.similarity || a.index - b.index)
    .slice(0, MOST_SIMILAR);
}

function rarity(frequency: number, commits: number): number {
  return Math.log(1 + (commits - frequency + 0.5) / (frequency + 0.5));
}

function recencyOf(commits: History['commits']): Map<string, number> {
  const newest = commits.reduce((time, commit) => Math.max(time, commit.time), 0);
  const recency = new Map<string, number>();
  for (const { time, paths } of commits) {
    const value = 2 ** (-(newest - time) / HALF_LIFE_SECONDS);
    for (const path of paths) recency.set(path, Math.max(recency.get(path) ?? 0, value));
  }
  return recency;
}
