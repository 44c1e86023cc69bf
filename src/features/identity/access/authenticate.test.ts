import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import { revokeApiKey } from '../api-keys/api-key-store.ts';
import { createApiKey } from '../api-keys/create-api-key.ts';
import type { User } from '../people/user.ts';
import { disableUser, enableUser, ensureUser } from '../people/user-store.ts';
import { authenticate, requireScope, type VerifyAccessToken } from './authenticate.ts';
import type { Principal } from './principal.ts';

const invalidToken = expect.objectContaining({ status: 401, code: 'invalid_token' });

describeEachDatabase('authenticate', (open) => {
  let database: Database;
  let now: number;
  let ada: User;
  const clock = (): number => now;
  const ask = async (token: string): Promise<Principal> => {
    const deps = { queries: database.queries, clock };
    return (await authenticate(deps, `Bearer ${token}`, undefined)).principal;
  };
  const lastUse = async (): Promise<unknown> =>
    (await database.queries.selectFrom('api_keys').select('last_used_at').executeTakeFirst())?.last_used_at;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('users').execute();
    now = 1_800_000_000_000;
    ada = await ensureUser(database.queries, 'ada@example.com', clock);
  });

  it('returns the user of an API key', async () => {
    const { id, apiKey } = await createApiKey(database.queries, { userId: ada.id, name: 'laptop' }, clock);
    expect(await ask(apiKey)).toEqual({
      userId: ada.id,
      email: 'ada@example.com',
      credential: { kind: 'api-key', apiKeyId: id },
      scopes: new Set(['mcp', 'api']),
    });
  });

  it('stores only the hash of a key and a prefix that gives no access', async () => {
    const created = await createApiKey(database.queries, { userId: ada.id, name: 'laptop' }, clock);
    expect(created.apiKey).toMatch(/^ock_[A-Za-z0-9_-]{43}$/);
    expect(created.apiKey.startsWith(created.prefix)).toBe(true);
    const rows = await database.queries.selectFrom('api_keys').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(created.apiKey);
    await expect(ask(created.prefix)).rejects.toEqual(invalidToken);
  });

  it('refuses a revoked key with the next request', async () => {
    const { id, apiKey } = await createApiKey(database.queries, { userId: ada.id, name: 'laptop' }, clock);
    await ask(apiKey);
    expect(await revokeApiKey(database.queries, id, now)).toBe(true);
    await expect(ask(apiKey)).rejects.toEqual(invalidToken);
  });

  it('refuses a key from the moment it expires', async () => {
    const request = { userId: ada.id, name: 'ci', expiresIn: 60_000 };
    const { apiKey } = await createApiKey(database.queries, request, clock);
    now += 59_999;
    await ask(apiKey);
    now += 1;
    await expect(ask(apiKey)).rejects.toEqual(invalidToken);
  });

  it('refuses the keys of a disabled user until they are enabled again', async () => {
    const { apiKey } = await createApiKey(database.queries, { userId: ada.id, name: 'laptop' }, clock);
    await disableUser(database.queries, ada.id, now);
    await expect(ask(apiKey)).rejects.toEqual(invalidToken);
    await enableUser(database.queries, ada.id);
    expect((await ask(apiKey)).userId).toBe(ada.id);
  });

  it('returns the same error for a key that is unknown, revoked, expired or of a disabled user', async () => {
    const key = (name: string, expiresIn?: number) =>
      createApiKey(database.queries, { userId: ada.id, name, expiresIn }, clock);
    const [revoked, expired] = [await key('revoked'), await key('expired', 1)];
    await revokeApiKey(database.queries, revoked.id, now);
    now += 10;
    const bob = await ensureUser(database.queries, 'bob@example.com', clock);
    const disabled = await createApiKey(database.queries, { userId: bob.id, name: 'old' }, clock);
    await disableUser(database.queries, bob.id, now);
    const tokens = [revoked.apiKey, expired.apiKey, disabled.apiKey, `ock_${'A'.repeat(43)}`, 'ock_', 'eyJ'];
    const messages = await Promise.all(
      tokens.map((token) => ask(token).then(String, (error: unknown) => String(error))),
    );
    expect(new Set(messages).size).toBe(1);
    expect(messages[0]).toContain('not valid');
  });

  it('passes every token that is not an API key to the access token verifier', async () => {
    const principal: Principal = {
      userId: ada.id,
      email: ada.email,
      credential: { kind: 'oauth', grantId: 'g', organizationId: 'o' as OrganizationId, firstParty: false },
      scopes: new Set(['mcp']),
    };
    const verified: string[] = [];
    const verifyAccessToken: VerifyAccessToken = (token) => {
      verified.push(token);
      return Promise.resolve(token === 'good' ? { principal, membership: undefined } : undefined);
    };
    const deps = { queries: database.queries, clock, verifyAccessToken };
    expect((await authenticate(deps, 'Bearer good', 'acme')).principal).toBe(principal);
    await expect(authenticate(deps, 'Bearer bad', 'acme')).rejects.toEqual(invalidToken);
    await expect(authenticate(deps, 'Bearer ock_unknown', 'acme')).rejects.toEqual(invalidToken);
    expect(verified).toEqual(['good', 'bad']);
  });

  it('records the last use of a key at most once a minute', async () => {
    const { apiKey } = await createApiKey(database.queries, { userId: ada.id, name: 'laptop' }, clock);
    const first = now;
    await ask(apiKey);
    await vi.waitFor(async () => expect(await lastUse()).toBe(first), 120_000);
    now += 59_000;
    await ask(apiKey);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await lastUse()).toBe(first);
    now += 1_000;
    await ask(apiKey);
    await vi.waitFor(async () => expect(await lastUse()).toBe(now), 120_000);
  });

  it('authenticates even if the last use cannot be recorded', async () => {
    const other = await open();
    const bob = await ensureUser(other.queries, 'bob@example.com', clock);
    const { apiKey } = await createApiKey(other.queries, { userId: bob.id, name: 'laptop' }, clock);
    const { principal } = await authenticate(
      { queries: other.queries, clock },
      `Bearer ${apiKey}`,
      undefined,
    );
    await other.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(principal.userId).toBe(bob.id);
  });
});

describe('requireScope', () => {
  it('names the missing scope for the challenge', () => {
    const principal = { scopes: new Set(['mcp']) } as unknown as Principal;
    expect(() => requireScope(principal, 'mcp')).not.toThrow();
    expect(() => requireScope(principal, 'api')).toThrow(
      expect.objectContaining({ status: 403, code: 'insufficient_scope', requiredScopes: ['api'] }),
    );
  });
});
