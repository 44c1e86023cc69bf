import { type CodeSearchPage, searchCode } from '../../../features/search/search-code.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { AppPage, Visit } from '../app/app-page.ts';
import type { PageContext } from '../pages-deps.ts';
import { searchView } from './search-view.ts';

/** Files of a page, and matching lines of each. */
const limits = { files: 20, lines: 3 } as const;

/** The search of the code, with the query language of REST and MCP. */
export const searchPages: readonly AppPage[] = [
  {
    method: 'GET',
    path: '/search',
    role: 'member',
    section: 'Search',
    async handle(visit, { answers }) {
      const query = visit.query('q')?.trim() ?? '';
      if (query === '') return visit.show(searchView(visit, { query }));
      try {
        return visit.show(searchView(visit, { query, page: await search(visit, answers, query) }));
      } catch (error) {
        if (!(error instanceof InvalidInput)) throw error;
        return visit.show(searchView(visit, { query, error: error.message }));
      }
    },
  },
];

function search(visit: Visit, answers: PageContext['answers'], q: string): Promise<CodeSearchPage> {
  const cursor = visit.query('cursor');
  const input = {
    q,
    limit: limits.files,
    matches: limits.lines,
    ...(cursor !== undefined && { cursor }),
  };
  return searchCode(answers, visit.scope, input, visit.signal);
}
