import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { removeMembership } from '../../../src/features/identity/people/membership-store.ts';
import { disableUser, enableUser } from '../../../src/features/identity/people/user-store.ts';
import { listGrants } from '../../../src/features/oauth/grants/grant-store.ts';
import type { Clock } from '../../../src/foundation/kernel/clock.ts';
import { describeEachDatabase } from '../../support/database/databases.ts';
import {
  openTestOauth,
  type TestClient,
  type TestOauth,
  type TokenAnswer,
} from '../../support/identity/oauth-http.ts';

describeEachDatabase('tokens', (open) => {
  let ahead = 0;
  const clock: Clock = () => Date.now() + ahead;
  let service: TestOauth;
  let client: TestClient;

  beforeAll(async () => {
    service = await openTestOauth(await open(), { clock });
    client = await service.register();
  });
  afterAll(() => service.close());
  beforeEach(() => {
    ahead = 0;
  });

  const invalidGrant = { status: 400, body: expect.objectContaining({ error: 'invalid_grant' }) };
  const works = async ({ body }: TokenAnswer): Promise<boolean> =>
    (await service.use(body.access_token)).mcp === 200;
  const grantOf = ({ body }: TokenAnswer): string => String(decodeJwt(body.access_token)['gid']);
  /** Returns the audit events of grants, with the address of the caller. */
  const audited = async (): Promise<readonly unknown[]> =>
    service.database.queries
      .selectFrom('audit_events')
      .select(['action', 'actor', 'target', 'address'])
      .where('action', 'in', ['grant.created', 'grant.revoked'])
      .execute();

  describe('for a code', () => {
    it('are issued once: a second use revokes everything that the code issued', async () => {
      const code = await service.codeFor(client);
      const first = await service.redeem(client, code);
      expect(await works(first)).toBe(true);
      expect(await service.redeem(client, code)).toMatchObject(invalidGrant);
      expect(await works(first)).toBe(false);
      expect(await service.refresh(client, first.body.refresh_token)).toMatchObject(invalidGrant);
      expect(await audited()).toContainEqual({
        action: 'grant.revoked',
        actor: 'system',
        target: grantOf(first),
        address: null,
      });
    });

    it('are issued to one of eight concurrent requests', async () => {
      const code = await service.codeFor(client);
      const answers = await Promise.all(Array.from({ length: 8 }, () => service.redeem(client, code)));
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200,
        ...Array(7).fill(400),
      ]);
    });

    it('are refused without the right verifier, redirect URI and client', async () => {
      const other = await service.register();
      const code = await service.codeFor(client);
      const wrong = { ...code, verifier: 'x'.repeat(43) };
      expect(await service.redeem(client, wrong)).toMatchObject(invalidGrant);
      expect(await service.redeem(other, code)).toMatchObject(invalidGrant);
      const elsewhere = { ...client, redirectUri: `${client.redirectUri}/x` };
      expect(await service.redeem(elsewhere, code)).toMatchObject(invalidGrant);
      expect((await service.redeem(client, code)).status).toBe(200);
    });

    it('are refused after a minute', async () => {
      const code = await service.codeFor(client);
      ahead = 61_000;
      expect(await service.redeem(client, code)).toMatchObject(invalidGrant);
    });
  });

  describe('that were never fetched, or only once', () => {
    const minute = 60_000;
    const listed = async (): Promise<readonly string[]> => {
      const { userId } = service.people.gil;
      const { items } = await listGrants(service.database.queries, userId, {}, clock());
      return items.map((grant) => grant.client.id);
    };

    it('no longer list their client after the maximum lifetime of a device code', async () => {
      const [idle, connected] = [await service.register(), await service.register()];
      await service.codeFor(idle, { who: 'gil', organization: 'globex' });
      await service.connect(connected, { who: 'gil', organization: 'globex' });
      expect(await listed()).toEqual([idle.client_id, connected.client_id]);
      ahead = 20 * minute;
      expect(await listed()).toEqual([connected.client_id]);
    });

    it('stay valid for their lifetime without a refresh token', async () => {
      const unrefreshed = await service.register({ grant_types: ['authorization_code'] });
      const tokens = await service.connect(unrefreshed);
      ahead = 59 * minute;
      expect(await works(tokens)).toBe(true);
    });
  });

  describe('when refreshed', () => {
    it('rotate, and the new ones are valid', async () => {
      const first = await service.connect(client);
      const second = await service.refresh(client, first.body.refresh_token);
      expect(second).toMatchObject({ status: 200, body: { scope: 'mcp', token_type: 'Bearer' } });
      expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
      expect(await works(second)).toBe(true);
      expect(grantOf(second)).toBe(grantOf(first));
    });

    it('by eight concurrent requests are all valid, and so are those of the next refresh of each', async () => {
      const { body } = await service.connect(client);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => service.refresh(client, body.refresh_token)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(new Set(answers.map((each) => each.body.refresh_token)).size).toBe(8);
      const next = await Promise.all(answers.map((each) => service.refresh(client, each.body.refresh_token)));
      expect(next.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(await Promise.all(next.map(works))).toEqual(Array(8).fill(true));
    });

    it('with a refresh token that was used longer ago than the grace period revoke the whole family', async () => {
      const first = await service.connect(client);
      const second = await service.refresh(client, first.body.refresh_token);
      ahead = 59_000;
      expect((await service.refresh(client, first.body.refresh_token)).status).toBe(200);
      ahead = 60_000;
      expect(await service.refresh(client, first.body.refresh_token)).toMatchObject(invalidGrant);
      expect(await service.refresh(client, second.body.refresh_token)).toMatchObject(invalidGrant);
      expect(await works(second)).toBe(false);
    });

    it('by another client revoke the grant at once', async () => {
      const thief = await service.register({ token_endpoint_auth_method: 'client_secret_post' });
      const mine = await service.connect(client);
      expect(await service.refresh(thief, mine.body.refresh_token)).toMatchObject(invalidGrant);
      expect(await works(mine)).toBe(false);
      expect(await service.refresh(client, mine.body.refresh_token)).toMatchObject(invalidGrant);
    });

    it('are extended by each use, and expire without use', async () => {
      const day = 86_400_000;
      const first = await service.connect(client);
      ahead = 80 * day;
      const second = await service.refresh(client, first.body.refresh_token);
      expect(second.status).toBe(200);
      ahead = 160 * day;
      const third = await service.refresh(client, second.body.refresh_token);
      expect(third.status).toBe(200);
      ahead = 251 * day;
      expect(await service.refresh(client, third.body.refresh_token)).toMatchObject(invalidGrant);
    });

    it('keep to the scopes and resources that were granted', async () => {
      const parameters = { scope: 'mcp', resource: `${service.baseUrl}/mcp` };
      const { body } = await service.connect(client, { parameters });
      const refresh = (more: Record<string, string>) => service.refresh(client, body.refresh_token, more);
      expect(await refresh({ scope: 'mcp api' })).toMatchObject({
        status: 400,
        body: { error: 'invalid_scope' },
      });
      expect(await refresh({ resource: service.baseUrl })).toMatchObject({
        status: 400,
        body: { error: 'invalid_target' },
      });
      expect(await refresh({ resource: 'https://elsewhere.example' })).toMatchObject({
        status: 400,
        body: { error: 'invalid_target' },
      });
      expect((await refresh({ scope: 'mcp', resource: `${service.baseUrl}/mcp` })).status).toBe(200);
    });

    it('are not issued to a client that did not register for them', async () => {
      const short = await service.register({ grant_types: ['authorization_code'] });
      const connected = await service.connect(short);
      const { status, body } = connected;
      expect({ status, refresh: body.refresh_token }).toEqual({ status: 200, refresh: undefined });
      const { expires_at } = await service.database.queries
        .selectFrom('oauth_grants')
        .select('expires_at')
        .where('id', '=', grantOf(connected))
        .executeTakeFirstOrThrow();
      expect(expires_at).toBeLessThan(Date.now() + 2 * 3_600_000);
    });
  });

  describe('of people who', () => {
    const both = { scope: 'mcp api' };

    it('left the organization are refused from the next call on, with the advice to connect again', async () => {
      const connected = await service.connect(client, {
        who: 'bob',
        organization: 'globex',
        parameters: both,
      });
      const use = () => service.use(connected.body.access_token, 'globex');
      expect(await use()).toEqual({ rest: 200, mcp: 200 });
      const member = { userId: service.people.bob.userId, organizationId: service.organizations.globex };
      await service.database.transaction((tx) => removeMembership(tx, member));
      expect(await use()).toEqual({ rest: 403, mcp: 403 });
      const refused = await service.refresh(client, connected.body.refresh_token);
      expect(refused).toMatchObject(invalidGrant);
      expect(refused.body.error_description).toContain('connect it again');
    });

    it('are disabled are refused from the next call on', async () => {
      const { userId } = service.people.gil;
      const connected = await service.connect(client, { who: 'gil', organization: 'globex' });
      await disableUser(service.database.queries, userId, Date.now());
      expect((await service.use(connected.body.access_token, 'globex')).mcp).toBe(401);
      expect(await service.refresh(client, connected.body.refresh_token)).toMatchObject(invalidGrant);
      await enableUser(service.database.queries, userId);
    });

    it('lost their organization have an unbound grant, which is refused with the next step', async () => {
      const connected = await service.connect(client, { parameters: both });
      const unbind = (organization_id: string | null) =>
        service.database.queries
          .updateTable('oauth_grants')
          .set({ organization_id })
          .where('id', '=', grantOf(connected))
          .execute();
      await unbind(null);
      expect(await service.use(connected.body.access_token)).toEqual({ rest: 403, mcp: 403 });
      const answer = await fetch(`${service.baseUrl}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${connected.body.access_token}` },
      });
      expect(await answer.json()).toMatchObject({
        code: 'grant_unbound',
        detail: expect.stringContaining('connect it again'),
      });
      expect(await service.refresh(client, connected.body.refresh_token)).toMatchObject(invalidGrant);
      await unbind(service.organizations.globex);
      expect(await service.use(connected.body.access_token, 'globex')).toEqual({ rest: 401, mcp: 401 });
    });
  });

  it('are stored in no table in plain text, nor is any other secret', async () => {
    const confidential = await service.register({ token_endpoint_auth_method: 'client_secret_post' });
    const unused = await service.codeFor(confidential);
    const { body } = await service.connect(confidential);
    const started = await fetch(`${service.baseUrl}/.auth/device-authorization`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'orgctx-cli' }),
    });
    const device = (await started.json()) as Readonly<Record<string, string>>;
    const rows = await Promise.all(
      (['oauth_objects', 'oauth_grants', 'oauth_signing_keys', 'audit_events'] as const).map((table) =>
        service.database.queries.selectFrom(table).selectAll().execute(),
      ),
    );
    const dump = JSON.stringify(rows);
    const secrets = [unused.code, unused.verifier, body.access_token, body.refresh_token];
    for (const secret of [
      ...secrets,
      confidential.client_secret,
      device['device_code'],
      device['user_code'],
    ]) {
      expect(secret).toEqual(expect.any(String));
      for (const form of [secret, secret?.replace('-', '')]) expect(dump).not.toContain(form);
    }
  });

  describe('when revoked (RFC 7009)', () => {
    const revoke = async (form: Record<string, string>): Promise<number> => {
      const answer = await fetch(`${service.baseUrl}/.auth/revoke`, {
        method: 'POST',
        body: new URLSearchParams(form),
      });
      return answer.status;
    };

    it('by a refresh token end the grant, including its access tokens', async () => {
      const connected = await service.connect(client);
      const token = connected.body.refresh_token;
      expect(await revoke({ client_id: client.client_id, token })).toBe(200);
      expect(await works(connected)).toBe(false);
      expect(await service.refresh(client, token)).toMatchObject(invalidGrant);
      const event = { actor: 'user', target: grantOf(connected), address: '127.0.0.1' };
      expect(await audited()).toEqual(
        expect.arrayContaining([
          { action: 'grant.created', ...event },
          { action: 'grant.revoked', ...event },
        ]),
      );
    });

    it('by another client, or unknown, stay unchanged', async () => {
      const other = await service.register();
      const connected = await service.connect(client);
      const { client_id } = other;
      expect(await revoke({ client_id, token: connected.body.refresh_token })).toBe(200);
      expect(await revoke({ client_id, token: 'unknown' })).toBe(200);
      expect(await works(connected)).toBe(true);
    });
  });
});
