import type { SearchRequest, SearchResult } from '../../port.ts';
import { MOST_SHARED_WINDOWS } from '../query/find-hits.ts';
import { type FoundPart, joinParts } from '../query/search-segments.ts';
import type { SearchTask } from './task.ts';

/** Shards are four: more threads than that would have nothing to do. */
export const MOST_PARTS = 4;

/** A later page is mostly files that were found before it, which every part would have to shape. */
export function maySplit({ request }: SearchTask): boolean {
  return (request.offset ?? 0) === 0;
}

export function partsOf(task: SearchTask, of: number): readonly SearchTask[] {
  const hitsOfWindow = new Int32Array(new SharedArrayBuffer(4 * MOST_SHARED_WINDOWS));
  return Array.from({ length: of }, (_, index) => ({ ...task, part: { index, of, hitsOfWindow } }));
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
