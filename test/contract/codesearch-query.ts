import type { Query, SearchRequest } from '../../src/backends/codesearch/port.ts';
import type { OrganizationId } from '../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../src/foundation/kernel/org-scope.ts';

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
  return { query, limit: 100, matchesPerFile: 10, contextLines: 0, deadlineMs: 5000, ...more };
}
