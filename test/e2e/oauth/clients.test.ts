import { allowInsecureRequests, validateJwtAccessToken } from 'oauth4webapi';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../../src/foundation/db/database.ts';
import { hasPostgres } from '../../support/database/databases.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import {
  chooseOrganization,
  decide,
  hasBrowser,
  type Person,
  signIn,
  signInAndAllow,
  useBrowser,
} from '../../support/http/chromium.ts';
import { type OAuthCallback, openCallback } from '../../support/identity/oauth-clients/callback.ts';
import type { Authorize, OAuthClient } from '../../support/identity/oauth-clients/client.ts';
import {
  authorizeByCode,
  connectWithToken,
  discover,
  oauth4webapiClient,
  openidClient,
  register,
  type StrictAuthorization,
  type TokenPair,
} from '../../support/identity/oauth-clients/library-clients.ts';
import { inspectorClient, mcpRemoteClient } from '../../support/identity/oauth-clients/program-clients.ts';
import { legacySdkClient, modernSdkClient } from '../../support/identity/oauth-clients/sdk-clients.ts';
import { type RunningQuickstart, startQuickstart } from '../../support/program/program.ts';
import { createPerson, openHome, type ProgramHome } from '../../support/program/program-home.ts';

const clients: readonly (readonly [string, OAuthClient])[] = [
  ['the v1 SDK client (2025-11-25)', legacySdkClient],
  ['the v2 client (2026-07-28)', modernSdkClient],
  ['mcp-remote', mcpRemoteClient],
  ['mcp-inspector --cli, legacy era', inspectorClient('legacy')],
  ['mcp-inspector --cli, modern era', inspectorClient('modern')],
  ['oauth4webapi', oauth4webapiClient],
  ['openid-client', openidClient],
];

const prompt = 'How does the lease clerk renew a lease?';
const ada = {
  email: 'ada@example.com',
  password: 'correct horse battery staple',
  organizations: ['acme', 'globex'],
};

const allowAcme =
  (person: Person): Authorize =>
  async (url) => {
    const page = await person.newPage();
    await page.goto(String(url));
    await signInAndAllow(page, { ...ada, organization: 'acme' });
  };

/** In the long run also over Postgres, which other suites use with one client in every run. */
const dialects: readonly Dialect[] = ['sqlite', 'postgres'];

for (const dialect of dialects) {
  const missing = !hasBrowser() || (dialect === 'postgres' && !hasPostgres());

  describe.skipIf(missing)(`from a bare 401, through the pages in a browser (${dialect})`, () => {
    const browser = useBrowser(() => service.result.baseUrl);
    let home: ProgramHome;
    let service: RunningQuickstart;
    let mcpUrl: string;

    beforeAll(async () => {
      home = await openHome(dialect);
      const repository = createRepository({
        'src/lease-clerk.ts':
          '/** Renews a lease before it runs out. */\nexport function renewLease(id: string) {\n  return id;\n}\n',
      });
      service = await startQuickstart([repository.folder, '--org', 'acme'], home);
      mcpUrl = `${service.result.baseUrl}/mcp`;
      await createPerson(home, ada);
    });

    afterAll(async () => {
      await service?.stop();
      await home?.[Symbol.asyncDispose]();
    });

    it.each(clients)(
      '%s registers, is authorized for an organization, asks the advisor, refreshes and revokes',
      async (_name, client) => {
        const person = await browser.newPerson();
        const session = await client.connect(mcpUrl, allowAcme(person));
        expect(await session.listTools()).toContain('svc_advisor');
        expect(await session.ask(prompt)).toContain('src/lease-clerk.ts');

        const { before, after } = await session.refresh();
        expect([before, after]).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)]);
        expect(after).not.toBe(before);
        expect(await session.listTools()).toContain('svc_advisor');

        await session.revoke();
        await expect(session.listTools()).rejects.toThrow();
        await session.close();
      },
    );

    it.each(clients)('%s also accepts an address that names the organization', async (_name, client) => {
      const person = await browser.newPerson();
      const session = await client.connect(`${mcpUrl}?orgSlug=acme`, allowAcme(person));
      expect(await session.listTools()).toContain('svc_advisor');
      await session.close();
    });

    async function strictClient(callback: OAuthCallback): Promise<StrictAuthorization> {
      const { as, resource } = await discover(mcpUrl);
      const client = await register(as, callback.redirectUri);
      return { as, client, redirectUri: callback.redirectUri, resource: resource.resource };
    }

    it('its access token is a JWT of RFC 9068 for the service and for /mcp, by an independent validator', async () => {
      await using callback = await openCallback();
      const authorization = await strictClient(callback);
      const person = await browser.newPerson();
      const tokens = await authorizeByCode(authorization, callback, allowAcme(person));
      const headers = { authorization: `Bearer ${tokens.access_token}` };
      const validate = (audience: string): Promise<unknown> =>
        validateJwtAccessToken(authorization.as, new Request(mcpUrl, { headers }), audience, {
          [allowInsecureRequests]: true,
        });
      for (const audience of [service.result.baseUrl, mcpUrl])
        expect(await validate(audience)).toMatchObject({ client_id: authorization.client.client_id });
      await expect(validate('https://other.example')).rejects.toThrow(/aud/u);
    });

    it('two tabs of one browser: each authorization is for the organization chosen in its tab', async () => {
      await using callback = await openCallback();
      const authorization = await strictClient(callback);
      const person = await browser.newPerson();
      const [first, second] = [await person.newPage(), await person.newPage()];
      await first.goto(`${service.result.baseUrl}/.auth/sign-in`);
      await signIn(first, ada);
      await first.waitForURL(/\/\.auth\/account/u);

      let globex: TokenPair | undefined;
      const acme = await authorizeByCode(authorization, callback, async (url) => {
        await first.goto(url.href);
        await chooseOrganization(first, 'acme');
        globex = await authorizeByCode(authorization, callback, async (other) => {
          await second.goto(other.href);
          await signInAndAllow(second, { ...ada, organization: 'globex' });
        });
        await decide(first, 'allow');
      });
      expect([await organizationOf(acme), await organizationOf(globex)]).toEqual(['acme', 'globex']);
    });

    it('a tab continues its authorization after another tab signed in first', async () => {
      await using callback = await openCallback();
      const authorization = await strictClient(callback);
      const person = await browser.newPerson();
      const [slow, fast] = [await person.newPage(), await person.newPage()];
      const tokens = await authorizeByCode(authorization, callback, async (url) => {
        await slow.goto(url.href);
        await authorizeByCode(authorization, callback, async (other) => {
          await fast.goto(other.href);
          await signInAndAllow(fast, { ...ada, organization: 'globex' });
        });
        await signIn(slow, ada);
        await slow.getByRole('link', { name: 'Open the page again' }).click();
        await signInAndAllow(slow, { ...ada, organization: 'acme' });
      });
      expect(await organizationOf(tokens)).toBe('acme');
      person.expectError(/status of 403/u);
    });

    async function organizationOf(tokens?: TokenPair): Promise<string | undefined> {
      const client = await connectWithToken(mcpUrl, tokens?.access_token ?? '');
      const { content } = await client.callTool({ name: 'index_status', arguments: {} });
      await client.close();
      const [{ text }] = content as [{ text: string }];
      return /organization (\S+),/.exec(text)?.[1];
    }
  });
}
