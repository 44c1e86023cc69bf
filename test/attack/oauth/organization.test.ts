import { importJWK, type JWK, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeMembership } from '../../../src/features/identity/people/membership-store.ts';
import { disableUser, enableUser } from '../../../src/features/identity/people/user-store.ts';
import { readSigningKeys } from '../../../src/features/oauth/keys/signing-keys.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import type { BrowserPage, HttpBrowser } from '../../support/http/http-browser.ts';
import { testAuthSecret } from '../../support/identity/authorization-server.ts';
import {
  openTestOauth,
  password,
  type TestClient,
  type TestOauth,
} from '../../support/identity/oauth-http.ts';

const both = { scope: 'mcp api' };

/** A grant belongs to one organization: the one that its person chose on the page of that authorization. */
describeEachDatabase('the organization of a grant', (open) => {
  let service: TestOauth;
  let client: TestClient;
  /** The browser of Bob, who is a member of both organizations, and the access token that he bound to acme. */
  let browser: HttpBrowser;
  let token: string;

  beforeAll(async () => {
    service = await openTestOauth(await open());
    client = await service.register();
    browser = service.browser();
    const choice = { who: 'bob', organization: 'acme', parameters: both, browser } as const;
    token = (await service.connect(client, choice)).body.access_token;
  });
  afterAll(() => service.close());

  const ask = async (by: HttpBrowser = browser) => {
    const { url, verifier } = service.authorizationUrl(client, both);
    const page = await by.open(url);
    expect(page.html).toContain('name="decision"');
    return { page, verifier };
  };
  const organizationOf = async (accessToken: string): Promise<unknown> => {
    const authorization = `Bearer ${accessToken}`;
    const answer = await fetch(`${service.baseUrl}/api/v1/me`, { headers: { authorization } });
    return ((await answer.json()) as { organization?: { slug: string } }).organization?.slug;
  };
  const tokenOf = async (page: BrowserPage, verifier: string): Promise<string> => {
    const answer = page.left ?? new URL('about:blank');
    const code = answer.searchParams.get('code') ?? '';
    return (await service.redeem(client, { code, verifier, answer })).body.access_token;
  };
  const grants = async (): Promise<number> =>
    (await service.database.queries.selectFrom('oauth_grants').select('id').execute()).length;
  const call = async (path: string, bearer = token): Promise<{ status: number; body: string }> => {
    const isMcp = path.startsWith('/mcp');
    const answer = await fetch(service.baseUrl + path, {
      method: isMcp ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: 'application/json, text/event-stream',
        ...(isMcp && { 'content-type': 'application/json', 'mcp-protocol-version': '2025-11-25' }),
      },
      ...(isMcp && { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) }),
    });
    return { status: answer.status, body: await answer.text() };
  };
  /** Returns an answer without what identifies its request. */
  const plain = ({ status, body }: { status: number; body: string }): string =>
    `${status} ${body.replace(/"(requestId|instance)":"[^"]*"/g, '')}`;

  it('is the one chosen in its own tab, in whatever order two tabs are answered', async () => {
    const [first, second] = [await ask(), await ask()];
    const secondAnswer = await browser.submit(second.page, { organization: 'globex', decision: 'allow' });
    const firstAnswer = await browser.submit(first.page, { organization: 'acme', decision: 'allow' });
    expect(await organizationOf(await tokenOf(firstAnswer, first.verifier))).toBe('acme');
    expect(await organizationOf(await tokenOf(secondAnswer, second.verifier))).toBe('globex');
  });

  it('is not the one that was only selected in another tab', async () => {
    const [first, second] = [await ask(), await ask()];
    const chosen = await browser.submit(first.page, { organization: 'acme' });
    await browser.submit(second.page, { organization: 'globex' });
    const answer = await browser.submit(chosen, { organization: 'acme', decision: 'allow' });
    expect(await organizationOf(await tokenOf(answer, first.verifier))).toBe('acme');
  });

  it('is not the one of the previous authorization', async () => {
    const { page } = await ask();
    await browser.submit(page, { organization: 'globex', decision: 'allow' });
    const next = await ask();
    expect(next.page.html).not.toMatch(/value="(acme|globex)" checked/);
    const silent = await browser.submit(next.page, { organization: undefined, decision: 'allow' });
    expect(silent.left).toBeUndefined();
  });

  it.each([
    ['a name that does not exist', 'nowhere'],
    ['another case', 'ACME'],
    ['a blank around it', ' acme'],
    ['the id of an organization', 'ID'],
    ['a list', 'acme,globex'],
    ['a path', '../globex'],
    ['nothing', ''],
  ])('is never taken from %s', async (_, organization) => {
    const before = await grants();
    const { page } = await ask();
    const named = organization === 'ID' ? service.organizations.acme : organization;
    const answer = await browser.submit(page, { organization: named, decision: 'allow' });
    expect([answer.status, answer.left, await grants()]).toEqual([400, undefined, before]);
  });

  it('is never one in which its person has no membership', async () => {
    const ann = service.browser();
    await service.codeFor(client, { browser: ann });
    const before = await grants();
    const { page } = await ask(ann);
    const answers = [];
    for (const organization of ['globex', 'nowhere']) {
      const { status, left, html } = await ann.submit(page, { organization, decision: 'allow' });
      answers.push({ status, left, explained: html.includes('Choose one of your organizations.') });
    }
    const refusal = { status: 400, left: undefined, explained: true };
    expect([answers, await grants()]).toEqual([[refusal, refusal], before]);
  });

  const bobMembership = () => ({
    userId: service.people.bob.userId,
    organizationId: service.organizations.globex,
  });
  /** Events that may happen while the page of Bob is open, each with a function that undoes it. */
  const between: Readonly<Record<string, readonly [() => Promise<unknown>, () => Promise<unknown>]>> = {
    'he was removed from it': [
      () => service.database.transaction((tx) => removeMembership(tx, bobMembership())),
      () =>
        service.database.queries
          .insertInto('memberships')
          .values({
            user_id: bobMembership().userId,
            organization_id: bobMembership().organizationId,
            role: 'member',
            created_at: systemClock(),
          })
          .execute(),
    ],
    'he was disabled': [
      () => disableUser(service.database.queries, bobMembership().userId, systemClock()),
      () => enableUser(service.database.queries, bobMembership().userId),
    ],
  };

  it.each(Object.keys(between))('is not the one of a page that was open while %s', async (what) => {
    const [happen, restore] = between[what] ?? [];
    const { page } = await ask();
    const chosen = await browser.submit(page, { organization: 'globex' });
    const before = await grants();
    await happen?.();
    const answer = await browser.submit(chosen, { organization: 'globex', decision: 'allow' });
    const after = await grants();
    await restore?.();
    expect([answer.left, after]).toEqual([undefined, before]);
  });

  it('is checked again when a code is redeemed', async () => {
    const { page, verifier } = await ask();
    const answer = await browser.submit(page, { organization: 'globex', decision: 'allow' });
    const [happen, restore] = between['he was removed from it'] ?? [];
    await happen?.();
    const given = await tokenOf(answer, verifier);
    await restore?.();
    expect(given).toBeUndefined();
  });

  it.each([
    ['/mcp', 200],
    ['/mcp?orgSlug=acme', 200],
    ['/mcp?orgSlug=globex', 403],
    ['/mcp?orgSlug=nowhere', 403],
    ['/mcp?orgSlug=ACME', 403],
    ['/mcp?orgSlug=%61cme', 200],
    ['/mcp?orgSlug=acme%20', 403],
    ['/mcp?orgSlug=acme%00', 403],
    ['/mcp?orgSlug=acme%2F..%2Fglobex', 403],
    ['/mcp?orgSlug=acme&orgSlug=acme', 400],
    ['/mcp?orgSlug=acme&orgSlug=globex', 400],
    ['/mcp?orgSlug=globex&orgSlug=acme', 400],
    ['/acme/api/v1/repositories', 200],
    ['/%61cme/api/v1/repositories', 200],
    ['/globex/api/v1/repositories', 403],
    ['/nowhere/api/v1/repositories', 403],
    ['/ACME/api/v1/repositories', 403],
    ['/acme%00/api/v1/repositories', 403],
    ['/acme/api/v1/repositories?orgSlug=globex', 200],
    ['/globex/api/v1/repositories?orgSlug=acme', 403],
    ['/acme/../globex/api/v1/repositories', 403],
    ['/acme/%2e%2e/globex/api/v1/repositories', 403],
    ['/api/v1/me', 200],
    ['/api/v1/me?orgSlug=acme', 200],
    ['/api/v1/me?orgSlug=globex', 403],
    ['/api/v1/me?orgSlug=nowhere', 403],
    ['/api/v1/me?orgSlug=acme&orgSlug=globex', 400],
  ])('answers %s with a token of acme with %i', async (path, status) => {
    const answer = await call(path);
    expect(answer.status).toBe(status);
    expect(answer.body).not.toContain(service.organizations.globex);
  });

  it.each(['/mcp?orgSlug=ORG', '/ORG/api/v1/repositories', '/ORG/api/v1/members', '/api/v1/me?orgSlug=ORG'])(
    'gets the same answer for foreign and unknown at %s, whether or not its person is a member there',
    async (path) => {
      const answers = new Set<string>();
      const anns = (await service.connect(client, { parameters: both })).body.access_token;
      for (const slug of ['globex', 'nowhere', 'not a slug', '__proto__']) {
        for (const bearer of [token, anns]) {
          answers.add(plain(await call(path.replace('ORG', encodeURIComponent(slug)), bearer)));
        }
      }
      expect([...answers]).toEqual([expect.stringMatching(/^403 /)]);
    },
  );

  it('is required: a token without a grant has no access, and the error names the next step', async () => {
    const sealer = createSealer(testAuthSecret, 'orgctx/oauth/v1');
    const [key] = (await readSigningKeys({ queries: service.database.queries, sealer })).keys;
    const { baseUrl } = service;
    const legacy = await new SignJWT({ client_id: client.client_id, scope: 'mcp api' })
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key?.id ?? '' })
      .setIssuer(baseUrl)
      .setAudience([baseUrl, `${baseUrl}/mcp`])
      .setSubject(service.people.bob.userId)
      .setIssuedAt()
      .setExpirationTime('10m')
      .sign(await importJWK(key?.privateJwk as JWK, 'ES256'));
    for (const path of ['/mcp', '/mcp?orgSlug=acme', '/acme/api/v1/repositories', '/api/v1/me']) {
      const { status, body } = await call(path, legacy);
      expect([path, status, JSON.parse(body)]).toEqual([
        path,
        403,
        expect.objectContaining({
          code: 'grant_unbound',
          detail: expect.stringMatching(/connect it again.*organization/),
        }),
      ]);
    }
  });

  it('is required: a grant whose organization is gone has no access from the next call on', async () => {
    const { body } = await service.connect(client, { parameters: both });
    const { queries } = service.database;
    await queries.updateTable('oauth_grants').set({ organization_id: null }).execute();
    expect(await service.use(body.access_token)).toEqual({ rest: 403, mcp: 403 });
    expect((await service.refresh(client, body.refresh_token)).body.error_description).toContain(
      'connect it again',
    );
  });

  it('is taken only from the page, never from the request of the client', async () => {
    const slugs = { orgSlug: 'globex', organization: 'globex', org: service.organizations.globex };
    const { url, verifier } = service.authorizationUrl(client, {
      ...both,
      ...slugs,
      resource: `${service.baseUrl}/mcp?orgSlug=globex`,
    });
    const page = await browser.open(url);
    expect(page.html).not.toMatch(/value="globex" checked/);
    const answer = await browser.submit(page, { organization: 'acme', decision: 'allow' });
    expect(await organizationOf(await tokenOf(answer, verifier))).toBe('acme');
  });

  it('can be chosen only by the person who is signed in, not by a previous one', async () => {
    const shared = service.browser();
    const { url } = service.authorizationUrl(client, both);
    const page = await shared.open(url);
    const anns = await shared.submit(page, { email: service.people.ann.email, password });
    await service.database.queries.deleteFrom('sessions').execute();
    const before = await grants();
    const answer = await shared.submit(anns, { organization: 'acme', decision: 'allow' });
    expect([answer.left, await grants()]).toEqual([undefined, before]);
  });
});
