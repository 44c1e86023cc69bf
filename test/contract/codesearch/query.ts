import { expect } from 'vitest';
import type {
  CodeSearch,
  Query,
  RankRequest,
  RankResult,
  SearchRequest,
} from '../../../src/backends/codesearch/port.ts';
import { Unavailable } from '../../../src/foundation/kernel/errors.ts';
import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';

export const ours: OrgScope = { organizationId: 'org-ours' as OrganizationId, orgSlug: 'ours' };
export const theirs: OrgScope = { organizationId: 'org-theirs' as OrganizationId, orgSlug: 'theirs' };
export const patient = new AbortController().signal;

export function literal(text: string, field: 'content' | 'path' | 'any' = 'content'): Query {
  return { kind: 'literal', text, caseSensitive: true, field };
}

export function regex(source: string, caseSensitive = true): Query {
  return { kind: 'regex', source, caseSensitive, field: 'content' };
}

export function ask(query: Query, more: Partial<SearchRequest> = {}): SearchRequest {
  return { query, limit: 100, matchesPerFile: 10, contextLines: 0, deadlineMs: 30_000, ...more };
}

/** Repeats a ranking that a busy machine did not finish or refused, as the advisor does. */
export async function rankInTime(
  search: CodeSearch,
  scope: OrgScope,
  request: RankRequest,
): Promise<RankResult> {
  let result: RankResult | undefined;
  await expect
    .poll(
      async () => {
        result = await search.rank(scope, request, patient).catch(whenOverloaded);
        return result !== undefined && result.partial !== true;
      },
      { timeout: 30_000 },
    )
    .toBe(true);
  if (result === undefined) throw new Error('The ranking was refused.');
  return result;
}

function whenOverloaded(error: unknown): undefined {
  if (!(error instanceof Unavailable) || error.code !== 'overloaded') throw error;
}
