import { GitError } from '../../process/git-error.ts';
import { pathArguments } from '../path-arguments.ts';
import { type ChangedPaths, noPaths, readChangedPaths } from './changed-paths.ts';
import type { CommitList } from './commit-list.ts';
import { logChanges, type PastChange } from './past-change.ts';
import { withinTime } from './within-time.ts';

interface SearchRequest {
  /** Full id of the commit whose history is searched. */
  readonly to: string;
  /**
   * Beginnings of words that subject or body must have, in any case; a long one also inside of a name such as
   * `keepAlive`. Letters, digits, `_`, `-`, `/` and `.`.
   */
  readonly words: readonly string[];
  readonly max: number;
  /** Times according to the committer, in seconds since 1970, inclusive. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

const isWord = /^[\p{L}\p{N}_/.-]{2,80}$/u;
const maxWords = 40;
const maxPaths = 40;
/** Length from which the beginning of a word is also looked for inside of names. */
const innerLength = 5;
/** The commits with the most words are kept, of so many times the asked number. */
const spare = { kept: 4, read: 8 } as const;

/**
 * Reads the commits whose messages have most of some words, those with the most and the rarest of them first, in one
 * pass over the history: a frequent word hides no rare one. Merges are left out. Ends after `timeoutMs` with what was
 * read until then.
 * @throws GitError, also for what is no word; the reason of `signal`
 */
export async function searchMessages(
  gitDir: string,
  { to, words, max, since = 0, until = Number.POSITIVE_INFINITY }: SearchRequest,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<CommitList> {
  const isSearchable =
    words.length > 0 && words.length <= maxWords && words.every((word) => isWord.test(word));
  if (!isSearchable) throw new GitError('failed', 'Words must be given.');
  const found = collectBest(words, max);
  let paths: ReadonlyMap<string, ChangedPaths> = new Map();
  const whole = await withinTime(timeoutMs, signal, async (bounded) => {
    const options = ['--no-merges', '--no-patch', '-i', '-E', `--grep=${patternOf(words)}`];
    const request = { to, options, paths: pathArguments([]) };
    for await (const { changes: _, ...change } of logChanges(gitDir, request, 0, bounded))
      if (change.time >= since && change.time <= until) found.add(change);
    const ids = found.best().map(({ id }) => id);
    paths = await readChangedPaths(gitDir, ids, maxPaths, bounded);
  });
  const commits = found.best().map((change) => ({ ...change, ...(paths.get(change.id) ?? noPaths) }));
  return { commits, more: false, whole };
}

function patternOf(words: readonly string[]): string {
  const alternatives = words.map((word) => {
    const text = literal(word);
    return word.length < innerLength ? `(^|[^[:alnum:]])${text}` : text;
  });
  return alternatives.join('|');
}

/** Returns a pattern of a word, both of Git and of JavaScript. Of the characters of words only the dot means another one. */
function literal(word: string): string {
  return word.replaceAll('.', '[.]');
}

/** Returns a function that returns which words a message has, as numbers of `words`. */
function wordFinder(words: readonly string[]): (message: string) => readonly number[] {
  const patterns = words.map((word) => {
    const atStart = new RegExp(`(?<![\\p{L}\\p{N}])${literal(word)}`, 'iu');
    const inner = literal(`${word.slice(0, 1).toUpperCase()}${word.slice(1).toLowerCase()}`);
    const inside = word.length < innerLength ? undefined : new RegExp(`(?<=\\p{Ll})${inner}`, 'u');
    return (message: string): boolean => atStart.test(message) || inside?.test(message) === true;
  });
  return (message) => patterns.flatMap((has, at) => (has(message) ? [at] : []));
}

interface Collector {
  add(change: PastChange): void;
  /** Returns the best commits that were added until now. */
  best(): readonly PastChange[];
}

/** Collects commits, and keeps those whose words weigh most by how few commits have them. */
function collectBest(words: readonly string[], max: number): Collector {
  const wordsIn = wordFinder(words);
  const counts = words.map(() => 0);
  let kept: { readonly change: PastChange; readonly has: readonly number[]; readonly at: number }[] = [];
  let all = 0;
  const prune = (size: number): void => {
    const weights = counts.map((count) => Math.log(1 + (all + 1) / (count + 0.5)));
    const weighed = kept.map((one) => ({
      one,
      weight: one.has.reduce((sum, at) => sum + (weights[at] ?? 0), 0),
    }));
    kept = weighed
      .toSorted((a, b) => b.weight - a.weight || a.one.at - b.one.at)
      .slice(0, size)
      .map(({ one }) => one);
  };
  return {
    add: (change) => {
      const has = wordsIn(change.message);
      if (has.length === 0) return;
      for (const at of has) counts[at] = (counts[at] ?? 0) + 1;
      kept.push({ change, has, at: all });
      all += 1;
      if (kept.length > spare.read * max) prune(spare.kept * max);
    },
    best: () => {
      prune(max * spare.kept);
      return kept.slice(0, max).map(({ change }) => change);
    },
  };
}
