import { findGithost } from '../../../features/githosts/githost-store.ts';
import { listRepositories, requireRepository } from '../../../features/repositories/repository-store.ts';
import { summarizeRepositories } from '../../../features/repositories/summarize-repositories.ts';
import type { AppPage } from '../app/app-page.ts';
import { repositoryChangePages } from './change-pages.ts';
import { detailView } from './detail-view.ts';
import { listView, repositoryStates } from './list-view.ts';

const own = { method: 'GET', role: 'member', section: 'Repositories' } as const;

/** The list of repositories, one repository, and the changes of both. */
export const repositoryPages: readonly AppPage[] = [
  {
    ...own,
    path: '/repositories',
    async handle(visit, { repositories }) {
      const { queries } = repositories.database;
      const state = repositoryStates.find((known) => known === visit.query('state'));
      const filter = { name: visit.query('name')?.slice(0, 200), state };
      const [page, summary] = await Promise.all([
        listRepositories(queries, visit.scope, { ...filter, cursor: visit.query('cursor') }),
        summarizeRepositories(queries, visit.scope),
      ]);
      return visit.show(listView(visit, { page, summary, filter }));
    },
  },
  ...repositoryChangePages,
  {
    ...own,
    path: '/repositories/:id',
    async handle(visit, { repositories, githosts }) {
      const { scope } = visit;
      const repository = await requireRepository(repositories.database.queries, scope, visit.param('id'));
      const { githostConnectionId } = repository;
      const githost =
        githostConnectionId === undefined
          ? undefined
          : await findGithost(githosts.database.queries, scope, githostConnectionId);
      return visit.show(detailView(visit, { repository, githost: githost?.name }));
    },
  },
];
