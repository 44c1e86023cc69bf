import type { FastifyInstance } from 'fastify';
import { actorOfSession } from '../../../features/identity/audit/audit.ts';
import { userOrganizations } from '../../../features/identity/people/membership-store.ts';
import { listGrants } from '../../../features/oauth/grants/grant-store.ts';
import { revokeGrant } from '../../../features/oauth/grants/revoke-grant.ts';
import { listRepositories } from '../../../features/repositories/repository-store.ts';
import type { UserId } from '../../../foundation/kernel/ids.ts';
import { pageLimits } from '../../../foundation/kernel/wire/page.ts';
import type { FormRule } from '../kit/requests/form-guard.ts';
import { fieldsOf, visitorOf } from '../kit/requests/page-scope.ts';
import { seeOther, sendPage } from '../kit/requests/send-page.ts';
import { textParameter } from '../kit/requests/text-parameter.ts';
import { pagePaths, signInPath } from '../page-paths.ts';
import type { PageContext } from '../pages-deps.ts';
import { isSignedIn, signedInPerson } from '../signed-in-person.ts';
import type { AccountOrganization } from './account-organization.ts';
import { accountPage } from './account-page.ts';
import { passwordState } from './password-state.ts';

const { account: path, endGrant: endGrantPath } = pagePaths;

const endGrantPurpose = 'end a grant';
const endGrantRule: FormRule = { purpose: () => endGrantPurpose, page: () => path };

/** Maximum numbers of organizations and of repositories of each that the page shows. */
const maxOrganizations = 20;
const maxRepositories = 20;

export function accountRoutes(server: FastifyInstance, context: PageContext): void {
  const { config, identity, tokens } = context;
  const { queries } = identity.database;

  server.get(path, { schema: { hide: true } }, async (request, reply) => {
    const visitor = visitorOf(request);
    if (!isSignedIn(visitor)) return seeOther(reply, signInPath(path));
    const { userId } = visitor.session;
    const cursor = textParameter(request.query, 'grants');
    const grants = await listGrants(queries, userId, { limit: pageLimits.default, cursor }, identity.clock());
    const view = {
      person: signedInPerson(context, visitor),
      password: await passwordState(context, visitor),
      passwordSaved: textParameter(request.query, 'saved') === 'password',
      organizations: await organizationsOf(userId),
      grants: grants.items,
      nextPage: grants.nextCursor === null ? undefined : `${path}?grants=${grants.nextCursor}`,
      endGrant: { action: endGrantPath, csrf: tokens.issue(visitor, endGrantPurpose) },
      baseUrl: config.baseUrl,
    };
    return sendPage(reply, accountPage(view));
  });

  server.post(
    endGrantPath,
    { schema: { hide: true }, config: { form: endGrantRule } },
    async (request, reply) => {
      const { session } = visitorOf(request);
      if (session === undefined) return seeOther(reply, signInPath(path));
      const id = fieldsOf(request)['grant'] ?? '';
      const actor = actorOfSession({ ...session, address: request.ip });
      await revokeGrant(identity, { id, userId: session.userId, actor });
      return seeOther(reply, path);
    },
  );

  async function organizationsOf(userId: UserId): Promise<readonly AccountOrganization[]> {
    const organizations = (await userOrganizations(queries, userId)).slice(0, maxOrganizations);
    return Promise.all(
      organizations.map(async ({ organizationId, slug, name, role }) => {
        const scope = { organizationId, orgSlug: slug };
        const page = await listRepositories(queries, scope, { limit: maxRepositories });
        return { slug, name, role, repositories: page.items, hasMore: page.nextCursor !== null };
      }),
    );
  }
}
