import type { Task } from '../../../src/backends/codesearch/embedded/thread/task.ts';
import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';

const organizationId = 'org' as OrganizationId;

/** A search for `needle` in the organization `org`. */
export const needleSearch: Task = {
  kind: 'search',
  organizationId,
  request: {
    query: { kind: 'literal', text: 'needle', caseSensitive: true, field: 'content' },
    limit: 10,
    matchesPerFile: 1,
    contextLines: 0,
    deadlineMs: 10_000,
  },
};

/** A ranking of the same organization by the same word. */
export const needleRanking: Task = {
  kind: 'rank',
  organizationId,
  request: { terms: ['needle'], identifiers: [], paths: [], question: '', limit: 10, waitMs: 30_000 },
};
