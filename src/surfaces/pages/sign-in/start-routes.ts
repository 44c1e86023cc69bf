import type { FastifyInstance } from 'fastify';
import { userOrganizations } from '../../../features/identity/people/membership-store.ts';
import { appPath } from '../app/app-path.ts';
import { visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther } from '../kit/requests/send-page.ts';
import { pagePaths, signInPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';

/**
 * Registers the start page. It leads to the organization of the person, or to the account page, which lists their
 * organizations, if they have several or none.
 */
export function startRoutes(server: FastifyInstance, { identity }: PageContext): void {
  server.get(pagePaths.start, { schema: { hide: true } }, async (request, reply) => {
    const { session } = visitorOf(request);
    if (session === undefined) return seeOther(reply, signInPath(pagePaths.start));
    const [first, ...others] = await userOrganizations(identity.database.queries, session.userId);
    return seeOther(
      reply,
      first === undefined || others.length > 0 ? pagePaths.account : appPath(first.slug),
    );
  });
}
