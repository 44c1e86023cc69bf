import * as oauth from 'oauth4webapi';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RoundRobinProxy, startRoundRobinProxy } from '../../standins/round-robin-proxy.ts';
import { hasPostgres } from '../../support/database/databases.ts';
import { hasBrowser, signInAndAllow, useBrowser } from '../../support/http/chromium.ts';
import { freePort } from '../../support/http/free-port.ts';
import { type OAuthCallback, openCallback } from '../../support/identity/oauth-clients/callback.ts';
import {
  authorizeByCode,
  connectWithToken,
  discover,
  register,
  type StrictAuthorization,
  type TokenPair,
  tokenPair,
} from '../../support/identity/oauth-clients/library-clients.ts';
import { type RunningProgram, start } from '../../support/program/program.ts';
import { createPerson, openHome, type ProgramHome } from '../../support/program/program-home.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const insecure = { [oauth.allowInsecureRequests]: true } as const;
const ada = { email: 'ada@example.com', password: 'correct horse battery staple', organizations: ['acme'] };

/** Grace period in seconds: long enough for eight refreshes on a busy machine, short enough to wait for. */
const grace = 8;

for (const [dialect, processes] of [
  ['sqlite', 1],
  ['postgres', 2],
] as const) {
  const missing = !hasBrowser() || (dialect === 'postgres' && !hasPostgres());

  describe.skipIf(missing)(`a refresh token, over ${processes} serve on ${dialect}`, () => {
    const browser = useBrowser(() => proxy.origin);
    const running: RunningProgram[] = [];
    let home: ProgramHome;
    let proxy: RoundRobinProxy;
    let callback: OAuthCallback;
    let authorization: StrictAuthorization;
    let tokens: TokenPair;

    beforeAll(async () => {
      const targets: string[] = [];
      proxy = await startRoundRobinProxy(targets);
      home = await openHome(dialect, { AUTH_BASE_URL: proxy.origin, REFRESH_GRACE: String(grace) });
      await createPerson(home, ada);
      for (let count = 0; count < processes; count += 1) {
        const port = await freePort();
        const dataDir = dialect === 'sqlite' ? home.dataDir : temporaryFolder();
        const args = ['serve', '--no-worker', '--port', String(port), '--data-dir', dataDir];
        const serve = start(args, home);
        running.push(serve);
        await serve.line((text) => text.includes('"listening"'));
        targets.push(`http://127.0.0.1:${port}`);
      }
      callback = await openCallback();
    });

    afterAll(async () => {
      const exitCodes = await Promise.all(running.map((serve) => serve.stop()));
      await callback?.[Symbol.asyncDispose]();
      await proxy?.[Symbol.asyncDispose]();
      await home?.[Symbol.asyncDispose]();
      expect(exitCodes, 'exit codes of the processes').toEqual(running.map(() => 0));
    });

    beforeEach(async () => {
      const { as, resource } = await discover(`${proxy.origin}/mcp`);
      const client = await register(as, callback.redirectUri);
      authorization = { as, client, redirectUri: callback.redirectUri, resource: resource.resource };
      const person = await browser.newPerson();
      tokens = await authorizeByCode(authorization, callback, async (url) => {
        const page = await person.newPage();
        await page.goto(url.href);
        await signInAndAllow(page, { ...ada, organization: 'acme' });
      });
    });

    async function refresh(token: string, client = authorization.client): Promise<TokenPair> {
      const { as } = authorization;
      const answer = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, insecure);
      return tokenPair(await oauth.processRefreshTokenResponse(as, client, answer));
    }

    async function expectAccess({ access_token }: TokenPair): Promise<void> {
      const client = await connectWithToken(`${proxy.origin}/mcp`, access_token);
      expect((await client.listTools()).tools).not.toEqual([]);
      await client.close();
    }

    /** Expects that every token that the client received is revoked. */
    async function expectRevoked(family: readonly TokenPair[]): Promise<void> {
      for (const pair of family) {
        await expect(refresh(pair.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
        await expect(expectAccess(pair)).rejects.toThrow(/401|Unauthorized|invalid_token/iu);
      }
    }

    it('works in eight concurrent refreshes by its client, and so does the next refresh of each', async () => {
      const all = await Promise.all(Array.from({ length: 8 }, () => refresh(tokens.refresh_token)));
      expect(new Set(all.map((pair) => pair.refresh_token)).size).toBe(8);
      for (const pair of all) await expectAccess(pair);
      const next = await Promise.all(all.map((pair) => refresh(pair.refresh_token)));
      for (const pair of next) await expectAccess(pair);
    });

    it('revokes the whole family when it is used again after the grace period', async () => {
      const successor = await refresh(tokens.refresh_token);
      const latest = await refresh(successor.refresh_token);
      await new Promise((passed) => setTimeout(passed, (grace + 1) * 1_000));
      await expectAccess(latest);
      await expect(refresh(tokens.refresh_token)).rejects.toMatchObject({ error: 'invalid_grant' });
      await expectRevoked([latest, successor, tokens]);
    });

    it('revokes the whole family immediately when another client uses it', async () => {
      const successor = await refresh(tokens.refresh_token);
      const otherClient = await register(authorization.as, callback.redirectUri);
      const theft = refresh(successor.refresh_token, otherClient);
      await expect(theft).rejects.toMatchObject({ error: 'invalid_grant' });
      await expectRevoked([successor, tokens]);
    });

    it('is accepted again from its client during the grace period', async () => {
      await refresh(tokens.refresh_token);
      const again = await refresh(tokens.refresh_token);
      await expectAccess(await refresh(again.refresh_token));
    });
  });
}
