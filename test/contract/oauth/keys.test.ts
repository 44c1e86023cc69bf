import { decodeProtectedHeader } from 'jose';
import { expect, it } from 'vitest';
import { rotateSigningKeys } from '../../../src/features/oauth/keys/rotate-signing-keys.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createSealer } from '../../../src/foundation/secrets/sealer.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { openTestAuthorizationServer, testAuthSecret } from '../../support/identity/authorization-server.ts';
import { openTestOauth, type TestOauth } from '../../support/identity/oauth-http.ts';

const hour = 3_600_000;
const day = 24 * hour;

describeEachDatabase('signing keys', (open) => {
  const sealer = createSealer(testAuthSecret, 'orgctx/oauth/v1');
  const rotate = (database: TestDatabase) =>
    rotateSigningKeys({ database, sealer, clock: systemClock, accessTokenTtlMs: hour });
  const kids = async (database: TestDatabase): Promise<readonly string[]> => {
    const rows = await database.queries.selectFrom('oauth_signing_keys').select('id').execute();
    return rows.map(({ id }) => id);
  };
  const kidOf = (token: string): unknown => decodeProtectedHeader(token).kid;
  const connected = async (service: TestOauth): Promise<string> =>
    (await service.connect(await service.register())).body.access_token;
  const opens = async (service: TestOauth, token: string): Promise<boolean> =>
    (await service.use(token)).mcp === 200;

  const age = async (database: TestDatabase, id: string | undefined, ms: number): Promise<void> => {
    await database.queries
      .updateTable('oauth_signing_keys')
      .set({ signs_from: Date.now() - ms })
      .where('id', '=', id ?? '')
      .execute();
  };
  /** Waits until fetch drops its kept-alive connections: the next service listens at the same address. */
  const end = async (service: TestOauth): Promise<void> => {
    await service.close();
    for (let kept = 0; kept < 5; kept += 1)
      await expect(fetch(service.baseUrl)).rejects.toThrow('fetch failed');
  };
  const published = async ({ baseUrl }: TestOauth): Promise<readonly string[]> => {
    const answer = await fetch(`${baseUrl}/.auth/jwks`);
    const { keys } = (await answer.json()) as { keys: readonly { readonly kid: string }[] };
    return keys.map(({ kid }) => kid).toSorted();
  };

  it('rotate after 90 days while tokens of the previous one stay valid', async () => {
    const database = await open();
    const before = await openTestOauth(database);
    const { baseUrl } = before;
    const port = Number(new URL(baseUrl).port);
    const other = await openTestAuthorizationServer(database, { baseUrl });
    const early = await connected(before);
    const [former] = await kids(database);
    await rotate(database);
    expect(await kids(database)).toEqual([former]);
    await end(before);

    // An hour before the current key expires, the next one is published, but does not sign yet.
    await age(database, former, 90 * day - hour);
    await Promise.all([rotate(database), rotate(database)]);
    const next = (await kids(database)).filter((id) => id !== former);
    await rotate(database);
    expect((await kids(database)).filter((id) => id !== former)).toEqual(next);
    const meanwhile = await openTestOauth(database, { port });
    expect(await published(meanwhile)).toEqual([former ?? '', ...next].toSorted());
    expect(kidOf(await connected(meanwhile))).toBe(former);
    await end(meanwhile);

    for (const id of next) await age(database, id, 0);
    const after = await openTestOauth(database, { port });
    const later = await connected(after);
    expect(next).toContain(kidOf(later));
    await rotate(database);
    expect(await kids(database)).toContain(former);
    expect([await opens(after, early), await opens(after, later)]).toEqual([true, true]);
    // A process that has not reloaded the keys learns the new key when it receives a token of it.
    expect(await other.verifyAccessToken(later)).toMatchObject({ principal: { email: 'ann@example.com' } });

    for (const id of next) await age(database, id, 3 * hour);
    await rotate(database);
    expect(await kids(database)).not.toContain(former);
    await Promise.all([after.close(), other.close()]);
  });

  it('encrypted with another AUTH_SECRET are reported, and a new one signs', async () => {
    const database = await open();
    const before = await openTestOauth(database);
    const token = await connected(before);
    await before.close();
    const after = await openTestOauth(database, { authSecret: 'n'.repeat(40) });
    expect(after.logged.some((line) => line.includes('this AUTH_SECRET'))).toBe(true);
    expect(await opens(after, token)).toBe(false);
    expect(await opens(after, await connected(after))).toBe(true);
    await after.close();
  });

  it('of a process that started later are found by the earlier ones', async () => {
    const database = await open();
    const baseUrl = 'https://ctx.example';
    const one = await openTestAuthorizationServer(database, { baseUrl });
    const two = await openTestAuthorizationServer(database, { baseUrl });
    expect(await kids(database)).toHaveLength(1);
    await Promise.all([one.close(), two.close()]);
  });

  it('are stored in no row in plain text', async () => {
    const database = await open();
    const service = await openTestOauth(database);
    const rows = await database.queries.selectFrom('oauth_signing_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toMatch(/"d"|kty/);
    await service.close();
  });
});
