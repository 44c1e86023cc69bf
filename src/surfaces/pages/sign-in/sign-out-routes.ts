import type { FastifyInstance } from 'fastify';
import { endSession } from '../../../features/identity/sign-in/session-store.ts';
import { ownPath } from '../kit/requests/own-path.ts';
import { fieldsOf } from '../kit/requests/page-scope.ts';
import { seeOther } from '../kit/requests/send-page.ts';
import { sessionTokenOf } from '../kit/requests/visitor.ts';
import { pagePaths } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';

export const signOutPurpose = 'sign-out';

const rule = { purpose: () => signOutPurpose, page: () => pagePaths.account };

/** Registers the sign-out. It ends the session and not only the cookie, so that a copied cookie stops working. */
export function signOutRoutes(server: FastifyInstance, { cookies, identity }: PageContext): void {
  server.post(
    pagePaths.signOut,
    { schema: { hide: true }, config: { form: rule } },
    async (request, reply) => {
      const token = sessionTokenOf(request, cookies);
      if (token !== undefined) await endSession(identity.database.queries, token);
      reply.clearCookie(cookies.session.name, { ...cookies.session.options, maxAge: 0 });
      return seeOther(reply, ownPath(fieldsOf(request)['returnTo'], pagePaths.signIn));
    },
  );
}
