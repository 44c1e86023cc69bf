import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { actorOfSession } from '../../../src/features/identity/audit/audit.ts';
import { removeMember } from '../../../src/features/identity/people/remove-member.ts';
import type { AuthorizationServer } from '../../../src/features/oauth/authorization-server.ts';
import { revokeGrantsOf } from '../../../src/features/oauth/grants/grant-store.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { newId, type OrganizationId, type UserId } from '../../../src/foundation/kernel/ids.ts';
import { describeEachDatabase, itWhen } from '../../support/database/databases.ts';
import type { HttpBrowser } from '../../support/http/http-browser.ts';
import { openTestOauth, type TestClient, type TestOauth } from '../../support/identity/oauth-http.ts';
import { waitingForLock } from '../../support/identity/people.ts';

/** A page that allows whatever it receives, so that only the checks of the server apply. */
const carelessPage = (oauth: AuthorizationServer): FastifyPluginAsync => {
  return async (server) => {
    server.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_request: FastifyRequest, body: string) => JSON.parse(body) as unknown,
    );
    server.post('/.auth/interaction/:uid/careless', { schema: { hide: true } }, async (request, reply) => {
      const decision = request.body as Parameters<AuthorizationServer['allow']>[2];
      return { to: await oauth.allow(request.raw, reply.raw, decision) };
    });
    server.post('/.auth/interaction/:uid/again', { schema: { hide: true } }, async (request, reply) => {
      const { userId } = request.body as Parameters<AuthorizationServer['allow']>[2];
      return { to: await oauth.answered(request.raw, reply.raw, userId) };
    });
  };
};

describeEachDatabase('the decision to allow an authorization', (open, dialect) => {
  let service: TestOauth;
  let client: TestClient;

  beforeAll(async () => {
    service = await openTestOauth(await open(), { routes: carelessPage });
    client = await service.register();
  });
  afterAll(() => service.close());

  const begin = async (browser: HttpBrowser): Promise<string> => {
    const answer = await browser.send(service.authorizationUrl(client).url);
    return new URL(answer.headers.get('location') ?? '', service.baseUrl).href;
  };
  const allow = async (
    browser: HttpBrowser,
    at: string,
    organizationId: OrganizationId,
    userId: UserId = service.people.ann.userId,
  ): Promise<Response> =>
    browser.send(`${at}/careless`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ userId, organizationId }),
    });
  const grants = async (): Promise<number> =>
    (await service.database.queries.selectFrom('oauth_grants').select('id').execute()).length;

  it('is refused for an organization without the membership of the person, foreign or unknown, and the authorization stays pending', async () => {
    const browser = service.browser();
    const at = await begin(browser);
    const before = await grants();
    for (const organizationId of [service.organizations.globex, newId<OrganizationId>()]) {
      const answer = await allow(browser, at, organizationId);
      expect([answer.status, await answer.json()]).toEqual([
        403,
        expect.objectContaining({ code: 'forbidden', detail: expect.stringContaining('not a member') }),
      ]);
    }
    expect(await grants()).toBe(before);
    expect((await allow(browser, at, service.organizations.acme)).status).toBe(200);
  });

  it('creates one grant, however often and from however many tabs it is sent', async () => {
    const browser = service.browser();
    const at = await begin(browser);
    const before = await grants();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => allow(browser, at, service.organizations.acme)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await grants()).toBe(before + 1);
  });

  it('returns the same redirect again to the person who decided, and to nobody before', async () => {
    const browser = service.browser();
    const at = await begin(browser);
    const again = async ({ userId }: { userId: UserId }): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify({ userId }) };
      return (await browser.send(`${at}/again`, init)).json();
    };
    const { ann, bob } = service.people;
    expect(await again(ann)).toEqual({});
    const { to } = (await (await allow(browser, at, service.organizations.acme)).json()) as { to: string };
    expect([await again(ann), await again(bob)]).toEqual([{ to }, {}]);
  });

  it('requires the cookie of its own authorization page', async () => {
    const browser = service.browser();
    const [one, two] = [await begin(browser), await begin(browser)];
    expect((await allow(service.browser(), one, service.organizations.acme)).status).toBe(404);
    const cookie = (await browser.send(service.authorizationUrl(client).url)).headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ');
    const elsewhere = await fetch(`${two}/careless`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify({ userId: service.people.ann.userId, organizationId: service.organizations.acme }),
    });
    expect(elsewhere.status).toBe(404);
    const forged = await fetch(`${two}/careless`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: `orgctx_interaction=${two.split('/').at(-1)}` },
      body: JSON.stringify({ userId: service.people.ann.userId, organizationId: service.organizations.acme }),
    });
    expect(forged.status).toBe(404);
  });

  // SQLite runs one write transaction at a time, so nothing runs concurrently.
  itWhen(dialect === 'postgres')('leaves no grant to a person whose removal it had to wait for', async () => {
    const browser = service.browser();
    const at = await begin(browser);
    const { acme: organizationId } = service.organizations;
    const { userId } = service.people.bob;
    const reached = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const revokeGrants = async (...of: Parameters<typeof revokeGrantsOf>) => {
      const revoked = await revokeGrantsOf(...of);
      reached.resolve();
      await held.promise;
      return revoked;
    };
    const deps = { database: service.database, clock: systemClock, revokeGrants };
    const actor = actorOfSession(service.people.ann);
    const removing = removeMember(deps, { organizationId, orgSlug: 'acme' }, actor, userId);
    await reached.promise;
    const answer = allow(browser, at, organizationId, userId);
    await waitingForLock(service.database);
    held.resolve();
    await removing;
    expect((await answer).status).toBe(403);
    const left = service.database.queries.selectFrom('oauth_grants').where('user_id', '=', userId);
    expect(await left.where('revoked_at', 'is', null).selectAll().execute()).toEqual([]);
  });
});
