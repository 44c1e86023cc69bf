import { checkRange } from '../../foundation/kernel/invalid-field.ts';
import { checkQuery } from './check-query.ts';
import type { RankRequest, SearchRequest } from './port.ts';

const MOST_FILES = 1000;
const MOST_RANKED = 200;
const MOST_CONTEXT = 10;

/** A bad request is refused before it waits for anything. @throws InvalidInput */
export function checkSearchRequest(request: SearchRequest): void {
  checkRange('limit', request.limit, 1, MOST_FILES);
  checkRange('offset', request.offset ?? 0, 0, Number.MAX_SAFE_INTEGER);
  checkRange('matchesPerFile', request.matchesPerFile, 0, MOST_FILES);
  checkRange('contextLines', request.contextLines, 0, MOST_CONTEXT);
  checkRange('deadlineMs', request.deadlineMs, 1, 60_000);
  checkQuery(request.query);
}

/** @throws InvalidInput */
export function checkRankRequest(request: RankRequest): void {
  checkRange('limit', request.limit, 1, MOST_RANKED);
}
