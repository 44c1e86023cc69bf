import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { checkRange } from '../../foundation/kernel/wire/invalid-field.ts';
import { pointerTo } from '../../foundation/kernel/wire/json-pointer.ts';
import { checkQuery } from './check-query.ts';
import { maxListed, type RankRequest, type SearchRequest } from './port.ts';

const maxFiles = 1000;
const maxRanked = 200;
const maxWeight = 10;
/** Maximum of each time limit. */
const maxMs = 60_000;
/** Maximum number of context lines before and after a match. */
const maxContext = 10;

/** Returns the time limits of a search, in milliseconds. By default it waits for as long as it may run. */
export function searchLimits({ deadlineMs, processorMs, waitMs = deadlineMs }: SearchRequest): {
  readonly deadlineMs: number;
  readonly processorMs: number | undefined;
  readonly waitMs: number;
} {
  return { deadlineMs, processorMs, waitMs };
}

/** Validates a search request before it is queued. @throws InvalidInput */
export function checkSearchRequest(request: SearchRequest): void {
  checkRange('limit', request.limit, 1, request.everyLine === true ? maxListed.files : maxFiles);
  checkRange('offset', request.offset ?? 0, 0, Number.MAX_SAFE_INTEGER);
  checkRange('matchesPerFile', request.matchesPerFile, 0, maxFiles);
  checkRange('skipMatches', request.skipMatches ?? 0, 0, Number.MAX_SAFE_INTEGER);
  checkRange('contextLines', request.contextLines, 0, maxContext);
  checkRange('deadlineMs', request.deadlineMs, 1, maxMs);
  checkRange('processorMs', request.processorMs ?? 1, 1, maxMs);
  checkRange('waitMs', request.waitMs ?? 0, 0, maxMs);
  checkQuery(request.query);
}

/** Validates a ranking request before it is queued. @throws InvalidInput */
export function checkRankRequest(request: RankRequest): void {
  checkRange('limit', request.limit, 1, maxRanked);
  checkRange('waitMs', request.waitMs, 0, maxMs);
  for (const [name, weight] of Object.entries(request.weights ?? {})) {
    if (!(weight >= 0 && weight <= maxWeight)) {
      const message = `must be a number from 0 to ${maxWeight}`;
      const errors = [{ path: pointerTo(['weights', name]), message }];
      throw new InvalidInput(`\`weights.${name}\` ${message}.`, { errors });
    }
  }
}
