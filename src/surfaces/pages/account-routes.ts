import type { FastifyInstance } from 'fastify';
import { userOrganizations } from '../../features/identity/membership-store.ts';
import { accountPage } from './account-page.ts';
import { visitorOf } from './kit/page-scope.ts';
import { seeOther, sendPage } from './kit/send-page.ts';
import type { PageContext } from './pages-deps.ts';
import { signInPath } from './sign-in-routes.ts';
import { isSignedIn, signedInPerson } from './signed-in-person.ts';

const path = '/.auth/account';

export function accountRoutes(server: FastifyInstance, context: PageContext): void {
  const { config, identity } = context;
  server.get('/', { schema: { hide: true } }, (_request, reply) => seeOther(reply, path));

  server.get(path, { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request);
    if (!isSignedIn(visitor)) return seeOther(reply, signInPath(path));
    const organizations = await userOrganizations(identity.database.queries, visitor.session.userId);
    const person = signedInPerson(context, visitor);
    return sendPage(reply, accountPage({ person, organizations, baseUrl: config.baseUrl }));
  });
}
