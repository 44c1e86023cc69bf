import { beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import {
  openTestPeople,
  type Person,
  type TestPeople,
  testHash,
} from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { newId } from '../../../foundation/kernel/ids.ts';
import { revokeGrantsOf } from '../../oauth/grants/grant-store.ts';
import { createApiKey } from '../api-keys/create-api-key.ts';
import { createOneTimeLink, inspectOneTimeLink } from './one-time-link.ts';
import { findSession } from './session-store.ts';
import { signIn } from './sign-in.ts';
import { useBootstrapLink, useSignInLink } from './use-link.ts';

const password = 'correct horse battery';
const halfAnHour = 30 * 60_000;
const invalid = expect.objectContaining({
  status: 403,
  message: expect.stringMatching(/has been used or has expired/),
});

describeEachDatabase('a one-time link', (open) => {
  let database: Database;
  let people: TestPeople;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
  });

  const deps = () => ({ ...people.deps, revokeGrants: revokeGrantsOf });
  const state = async (token: string) =>
    (await inspectOneTimeLink(database.queries, token, people.deps.clock)).state;
  const fulfilled = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
    outcomes.filter(({ status }) => status === 'fulfilled').length;

  describe('that signs in', () => {
    let ada: Person;
    let token: string;

    beforeEach(async () => {
      ada = await people.join('ada@example.com', 'owner', { password });
      const request = { purpose: 'sign-in', userId: ada.userId } as const;
      token = (await createOneTimeLink(database.queries, request, people.deps.clock)).token;
      await people.audit();
    });

    const use = (newPassword?: string, endKeys?: boolean) =>
      useSignInLink(deps(), { token, password: newPassword, endKeys });

    it('creates a session once, keeps the password and is recorded', async () => {
      const session = await use();
      const found = await findSession(database.queries, session.token, people.deps.clock);
      expect(found).toMatchObject({ userId: ada.userId });
      expect(await people.passwordHash(ada.email)).toBe(testHash(password));
      expect(await people.audit()).toEqual(['session.begun by ada@example.com']);
      await expect(use()).rejects.toEqual(invalid);
      expect(people.hashing.count()).toBe(0);
    });

    it('sets a new password, which ends every earlier session', async () => {
      const before = await signIn(people.deps, { email: ada.email, password, address: '192.0.2.1' });
      const session = await use('another password');
      expect(await findSession(database.queries, before.token, people.deps.clock)).toBeUndefined();
      expect(await findSession(database.queries, session.token, people.deps.clock)).toBeDefined();
      const old = signIn(people.deps, { email: ada.email, password, address: '192.0.2.1' });
      await expect(old).rejects.toEqual(expect.objectContaining({ status: 403 }));
    });

    describe('ends the access of a possible intruder', () => {
      beforeEach(async () => {
        const { clock } = people.deps;
        await createApiKey(database.queries, { userId: ada.userId, name: 'laptop' }, clock);
        const row = {
          id: newId(),
          user_id: ada.userId,
          organization_id: ada.scope.organizationId,
          client_id: 'client',
          client_name: 'Editor',
          scopes: 'mcp',
          last_used_at: null,
          expires_at: clock() + 86_400_000,
          revoked_at: null,
          created_at: clock(),
        };
        await database.queries.insertInto('oauth_grants').values(row).execute();
      });
      const live = async () => {
        const of = (table: 'oauth_grants' | 'api_keys') =>
          database.queries.selectFrom(table).select('id').where('revoked_at', 'is', null).execute();
        return { grants: (await of('oauth_grants')).length, apiKeys: (await of('api_keys')).length };
      };
      const ended = async () => {
        const rows = database.queries
          .selectFrom('audit_events')
          .select('details')
          .where('action', '=', 'session.begun')
          .orderBy('created_at', 'desc');
        const { details } = await rows.executeTakeFirstOrThrow();
        return (JSON.parse(details) as { ended: unknown }).ended;
      };

      it('with a new password: revokes the grants', async () => {
        await use('another password');
        expect(await live()).toEqual({ grants: 0, apiKeys: 1 });
        expect(await ended()).toEqual({ grants: 1, apiKeys: 0 });
      });

      it('and revokes API keys on request', async () => {
        await use('another password', true);
        expect(await live()).toEqual({ grants: 0, apiKeys: 0 });
        expect(await ended()).toEqual({ grants: 1, apiKeys: 1 });
      });

      it('but ends nothing if the password is kept or is the first one', async () => {
        await use();
        expect(await live()).toEqual({ grants: 1, apiKeys: 1 });
        await database.queries.updateTable('users').set({ password_hash: null }).execute();
        const request = { purpose: 'sign-in', userId: ada.userId } as const;
        const second = await createOneTimeLink(database.queries, request, people.deps.clock);
        const sessions = await people.sessions();
        await useSignInLink(deps(), { token: second.token, password: 'a first password' });
        expect(await live()).toEqual({ grants: 1, apiKeys: 1 });
        expect(await people.sessions()).toBe(sessions + 1);
      });

      it('and changes nothing if the transaction fails', async () => {
        const revokeGrants = async (...of: Parameters<typeof revokeGrantsOf>) => {
          await revokeGrantsOf(...of);
          throw new Error('interrupted');
        };
        const failing = useSignInLink(
          { ...people.deps, revokeGrants },
          { token, password: 'another password' },
        );
        await expect(failing).rejects.toThrow('interrupted');
        expect(await live()).toEqual({ grants: 1, apiKeys: 1 });
        expect(await people.passwordHash(ada.email)).toBe(testHash(password));
        expect(await state(token)).toBe('valid');
      });
    });

    it('is valid for one of several concurrent requests', async () => {
      expect(fulfilled(await Promise.allSettled([1, 2, 3, 4].map(() => use())))).toBe(1);
      expect(await people.sessions()).toBe(1);
    });

    it('is not valid after 30 minutes or for a disabled user', async () => {
      await people.disable(ada);
      await expect(use(password)).rejects.toEqual(invalid);
      await database.queries.updateTable('users').set({ disabled_at: null }).execute();
      people.advance(halfAnHour);
      await expect(use(password)).rejects.toEqual(invalid);
      expect(await people.sessions()).toBe(0);
    });

    it('is checked before anything is hashed', async () => {
      await use();
      await expect(use(password)).rejects.toEqual(invalid);
      const unknown = useSignInLink(deps(), { token: 'A'.repeat(43), password });
      await expect(unknown).rejects.toEqual(invalid);
      expect(people.hashing.count()).toBe(0);
    });

    it('cannot be used for the setup', async () => {
      const request = { token, email: 'eve@example.com', password, orgSlug: 'evil' };
      await expect(useBootstrapLink(people.deps, request)).rejects.toEqual(invalid);
      expect(people.hashing.count()).toBe(0);
      expect(await state(token)).toBe('valid');
    });

    it('is not consumed by a password that is too short', async () => {
      await expect(use('short')).rejects.toEqual(expect.objectContaining({ status: 400 }));
      expect(await state(token)).toBe('valid');
    });
  });

  describe('that sets up the service', () => {
    let token: string;

    const newLink = async () =>
      (await createOneTimeLink(database.queries, { purpose: 'bootstrap' }, people.deps.clock)).token;
    const use = (request: Partial<Parameters<typeof useBootstrapLink>[1]> = {}) =>
      useBootstrapLink(people.deps, {
        token,
        email: 'ada@example.com',
        password,
        orgSlug: 'local',
        orgName: 'Acme Inc.',
        ...request,
      });
    const count = async (table: 'users' | 'organizations' | 'memberships') =>
      (await database.queries.selectFrom(table).selectAll().execute()).length;

    beforeEach(async () => {
      token = await newLink();
    });

    it('makes the first user the owner of the first organization and is recorded', async () => {
      const session = await use();
      expect(await findSession(database.queries, session.token, people.deps.clock)).toMatchObject({
        email: 'ada@example.com',
      });
      expect(await people.passwordHash('ada@example.com')).toBe(testHash(password));
      expect(await people.audit()).toEqual([
        'member.added by ada@example.com',
        'organization.created by ada@example.com',
        'password.set by ada@example.com',
        'session.begun by ada@example.com',
        'user.created by ada@example.com',
      ]);
    });

    it('is valid once and invalidates the other links', async () => {
      const second = await newLink();
      await use();
      await expect(use({ email: 'eve@example.com' })).rejects.toEqual(invalid);
      await expect(use({ token: second, email: 'eve@example.com' })).rejects.toEqual(invalid);
      expect(await Promise.all([count('users'), count('organizations')])).toEqual([1, 1]);
    });

    it('creates one owner for two users who use different links concurrently', async () => {
      const second = await newLink();
      const race = [use(), use({ token: second, email: 'eve@example.com', orgSlug: 'evil' })];
      expect(fulfilled(await Promise.allSettled(race))).toBe(1);
      expect(await Promise.all([count('users'), count('organizations'), count('memberships')])).toEqual([
        1, 1, 1,
      ]);
    });

    it('is refused once a user exists', async () => {
      await people.join('root@example.com', 'owner');
      await expect(use()).rejects.toEqual(
        expect.objectContaining({ status: 409, message: expect.stringMatching(/has already been set up/) }),
      );
      expect(await count('users')).toBe(1);
    });

    it('is not valid after 30 minutes', async () => {
      people.advance(halfAnHour);
      await expect(use()).rejects.toEqual(invalid);
      expect(people.hashing.count()).toBe(0);
    });

    it.each([
      [{ email: 'nobody' }],
      [{ orgSlug: 'Not A Slug' }],
      [{ orgSlug: 'mcp' }],
      [{ orgName: 'a\u0000b' }],
    ])('is not consumed by %j, for which nothing is hashed', async (bad) => {
      await expect(use(bad)).rejects.toEqual(expect.objectContaining({ status: 400 }));
      expect(people.hashing.count()).toBe(0);
      expect(await state(token)).toBe('valid');
    });

    it('cannot be used as a sign-in link', async () => {
      await expect(useSignInLink(deps(), { token })).rejects.toEqual(invalid);
      expect(await state(token)).toBe('valid');
    });
  });
});
