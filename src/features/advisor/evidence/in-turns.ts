import type { Confidence, RankedPassage, RankedPassages } from '../../../backends/codesearch/port.ts';

/**
 * Points behind the best passage of all repositories up to which one is shown before a second one of the same repository,
 * and from which nothing in a repository is near.
 */
const points = { near: 4, far: 6 } as const;

/** Orders the passages of all repositories: the best of each that is near, then their second ones, and so on. */
export function everyInTurns({ best, nearest, confidence }: RankedPassages): RankedPassages {
  const top = best[0]?.score ?? 0;
  const all = [...best, ...nearest.filter((one) => !best.some((other) => isSamePlace(one, other)))];
  const isNear = ({ score }: RankedPassage): boolean => score >= top - points.near;
  const groups = Map.groupBy(all.filter(isNear), ({ repository }) => repository);
  const others = all.filter((one) => !isNear(one)).toSorted((a, b) => b.score - a.score);
  return {
    best: [...roundRobin([...groups.values()]), ...others],
    nearest: nearest.filter(({ score }) => score >= top - points.far),
    confidence,
  };
}

/**
 * Orders the passages of repositories that were each ranked by themselves: the best of each, then their second ones, and
 * so on. The least sure one says how sure the set is.
 */
export function namedInTurns(each: readonly RankedPassages[]): RankedPassages {
  return {
    best: roundRobin(each.map(({ best }) => best)),
    nearest: each.flatMap(({ best }) => best.slice(0, 1)),
    confidence: leastSure(each.map(({ confidence }) => confidence)),
  };
}

function leastSure(words: readonly Confidence[]): Confidence {
  return (['weak', 'possible'] as const).find((word) => words.includes(word)) ?? words[0] ?? 'weak';
}

function roundRobin(groups: readonly (readonly RankedPassage[])[]): readonly RankedPassage[] {
  const turns = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: turns }, (_, turn) => groups.flatMap((group) => group[turn] ?? [])).flat();
}

function isSamePlace(one: RankedPassage, other: RankedPassage): boolean {
  return one.repository === other.repository && one.path === other.path && one.startLine === other.startLine;
}
