import type { SearchRequest, SearchResult } from '../../port.ts';
import { placesOf } from '../query/part.ts';
import { type FoundPart, joinParts } from '../query/search-segments.ts';
import type { SearchTask } from './task.ts';

/** Shards are four: more threads than that would have nothing to do. */
export const MOST_PARTS = 4;

export function partsOf(task: SearchTask, of: number): readonly SearchTask[] {
  return placesOf(of).map((part) => ({ ...task, part }));
}

/** `undefined` when the parts saw different generations of an index. A part that never came back found nothing. */
export function joinFound(
  parts: readonly (FoundPart | undefined)[],
  request: SearchRequest,
  milliseconds: number,
): SearchResult | undefined {
  const found = parts.filter((part) => part !== undefined);
  if (new Set(found.map(({ seen }) => seen)).size > 1) return undefined;
  const result = joinParts(found, request, milliseconds);
  if (found.length === parts.length || result.incomplete === 'damaged') return result;
  return { ...result, incomplete: 'deadline' };
}
