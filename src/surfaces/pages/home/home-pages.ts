import { listConnections } from '../../../features/connectors/connections/connection-store.ts';
import { listGrants } from '../../../features/oauth/grants/grant-store.ts';
import { listRepositories } from '../../../features/repositories/repository-store.ts';
import { summarizeRepositories } from '../../../features/repositories/summarize-repositories.ts';
import type { AppPage } from '../app/app-page.ts';
import { homeView } from './home-view.ts';

/** Maximum numbers of failed repositories and of connections that the page lists. */
const maxFailed = 5;
const maxConnections = 50;

/** The home page: what is connected, what is fresh, and what needs somebody. */
export const homePages: readonly AppPage[] = [
  {
    method: 'GET',
    path: '',
    role: 'member',
    section: 'Home',
    async handle(visit, { identity, repositories, connections }) {
      const { scope, access, now } = visit;
      const { queries } = repositories.database;
      const [summary, failed, bound, grants] = await Promise.all([
        summarizeRepositories(queries, scope),
        listRepositories(queries, scope, { limit: maxFailed, state: 'failed' }),
        listConnections(connections.database.queries, scope, { limit: maxConnections }),
        listGrants(identity.database.queries, access.principal.userId, { limit: 1 }, now),
      ]);
      return visit.show(
        homeView(visit, {
          summary,
          failed: failed.items,
          connections: bound.items,
          hasClient: grants.items.length > 0,
        }),
      );
    },
  },
];
