import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../../test/support/database/databases.ts';
import { waitingForLock } from '../../../test/support/identity/people.ts';
import { silentLog } from '../../../test/support/silent-log.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { openDatabase } from '../../foundation/db/open-database.ts';
import type { Tables } from '../../foundation/db/tables.ts';
import type { OrganizationId, UserId } from '../../foundation/kernel/ids.ts';
import { createSealer } from '../../foundation/secrets/sealer.ts';
import { admitUser } from '../identity/people/admit-user.ts';
import { purgeSignIns } from '../identity/sign-in/purge-sign-ins.ts';
import { prolongGrant } from './grants/grant-store.ts';
import { makeSigningKey } from './keys/signing-keys.ts';
import { type PurgeAuthorizationsDeps, purgeAuthorizations } from './purge-authorizations.ts';
import { keepClient } from './registration/client-lifetime.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const day = 24 * 3_600_000;
const clock = () => now;
const { signal } = new AbortController();
const sealer = createSealer('a'.repeat(32), 'orgctx/oauth/v1');
const accessTokenTtlMs = 3_600_000;

async function purgeAll(deps: PurgeAuthorizationsDeps, stop: AbortSignal): Promise<void> {
  await purgeSignIns(deps, stop);
  await purgeAuthorizations(deps, stop);
}

const tables = [
  'oauth_objects',
  'oauth_grants',
  'sessions',
  'attempts',
  'one_time_links',
  'invitations',
] as const;

describeEachDatabase('purging', (open, dialect) => {
  let database: TestDatabase;
  let userId: UserId;
  let organizationId: OrganizationId;

  beforeEach(async () => {
    database = await open();
    const person = { email: 'ann@example.com', orgSlug: 'acme', role: 'owner' } as const;
    const { user, organization } = await admitUser({ database, clock }, person);
    [userId, organizationId] = [user.id, organization.id];
  });

  const putObject = async (queries: Queries, key: string, expires_at: number | null): Promise<void> => {
    const empty = { grant_id: null, claimed_by: null, user_code: null, consumed_at: null };
    await queries
      .insertInto('oauth_objects')
      .values({ ...empty, key, model: 'Client', payload: 'sealed', expires_at, created_at: 0 })
      .execute();
  };
  const putGrant = async (
    id: string,
    expires_at: number,
    revoked_at: number | null = null,
  ): Promise<void> => {
    const named = { user_id: userId, organization_id: organizationId, client_id: 'c', client_name: 'C' };
    await database.queries
      .insertInto('oauth_grants')
      .values({ id, ...named, scopes: 'mcp', last_used_at: null, expires_at, revoked_at, created_at: 0 })
      .execute();
  };
  const putSession = async (hash: string, expires_at: number): Promise<void> => {
    const row = {
      hash,
      user_id: userId,
      address: null,
      user_agent: null,
      last_seen_at: 0,
      expires_at,
      created_at: 0,
    };
    await database.queries.insertInto('sessions').values(row).execute();
  };
  const putLink = async (hash: string, expires_at: number): Promise<void> => {
    const row = {
      hash,
      purpose: 'sign-in',
      user_id: userId,
      expires_at,
      used_at: null,
      created_at: 0,
    } as const;
    await database.queries.insertInto('one_time_links').values(row).execute();
  };
  const putInvitation = async (id: string, expires_at: number): Promise<void> => {
    const to = {
      organization_id: organizationId,
      email: 'bob@example.com',
      role: 'member',
      invited_by: null,
    } as const;
    const left = { accepted_at: null, revoked_at: null, created_at: 0 };
    await database.queries
      .insertInto('invitations')
      .values({ id, hash: id, ...to, ...left, expires_at })
      .execute();
  };
  const putAttempts = async (key: string, resets_at: number): Promise<void> => {
    await database.queries.insertInto('attempts').values({ key, count: 1, resets_at }).execute();
  };
  const left = async (table: keyof Tables, column: string): Promise<string[]> => {
    const rows = await database.queries.selectFrom(table).selectAll().execute();
    const texts = rows.map((row) => String((row as unknown as Record<string, unknown>)[column]));
    return texts.toSorted((a, b) => a.localeCompare(b));
  };

  /** Purges all tables and returns the number of deleted rows. */
  const purge = async (at = now): Promise<number> => {
    const count = async () => {
      const rows = await Promise.all(
        tables.map((table) => database.queries.selectFrom(table).selectAll().execute()),
      );
      return rows.flat().length;
    };
    const before = await count();
    await purgeAll({ database, clock: () => at, sealer, accessTokenTtlMs }, signal);
    return before - (await count());
  };

  it('deletes expired rows only', async () => {
    await putObject(database.queries, 'Client:over', now);
    await putObject(database.queries, 'Client:waits', now + 1);
    await putObject(database.queries, 'Client:stays', null);
    await putSession('over', now);
    await putSession('open', now + 1);
    await putAttempts('over', now);
    await putAttempts('counts', now + 1);

    expect(await purge()).toBe(3);
    expect(await left('oauth_objects', 'key')).toEqual(['Client:stays', 'Client:waits']);
    expect(await left('sessions', 'hash')).toEqual(['open']);
    expect(await left('attempts', 'key')).toEqual(['counts']);
  });

  it('keeps links, invitations and grants for 30 days after their end', async () => {
    const [long, recently] = [now - 30 * day, now - 30 * day + 1];
    await putLink('long over', long);
    await putLink('recently', recently);
    await putInvitation('long over', long);
    await putInvitation('recently', recently);
    await putGrant('expired long ago', long);
    await putGrant('revoked long ago', now + day, long);
    await putGrant('recently', recently);
    await putGrant('revoked recently', now + day, recently);
    await putGrant('live', now + day);

    expect(await purge()).toBe(4);
    expect(await left('one_time_links', 'hash')).toEqual(['recently']);
    expect(await left('invitations', 'id')).toEqual(['recently']);
    expect(await left('oauth_grants', 'id')).toEqual(['live', 'recently', 'revoked recently']);
  });

  it('deletes a client without a grant and keeps others for 30 days after their grant', async () => {
    const row = async (key: string, at: number) => putObject(database.queries, key, at);
    await row('Client:unused', now);
    await row('Client:in use', now);
    await keepClient(database.queries, 'Client:in use', now + day);
    await keepClient(database.queries, 'Client:of a document', now + day);
    await purge();
    expect(await left('oauth_objects', 'key')).toEqual(['Client:in use']);

    expect(await purge(now + 31 * day - 1)).toBe(0);
    expect(await purge(now + 31 * day)).toBe(1);
  });

  it('never shortens the lifetime of a client', async () => {
    await putObject(database.queries, 'Client:in use', now);
    await keepClient(database.queries, 'Client:in use', now + 60 * day);
    await keepClient(database.queries, 'Client:in use', now + day);
    expect(await left('oauth_objects', 'expires_at')).toEqual([String(now + 90 * day)]);
  });

  it('deletes several batches with concurrent workers and is idempotent', async () => {
    await database.transaction(async (tx) => {
      for (let n = 0; n < 1_234; n += 1) await putObject(tx, `Client:${n}`, now - n);
    });
    await Promise.all([purge(), purge(), purge()]);
    await purge();
    expect(await left('oauth_objects', 'key')).toEqual([]);
    expect(await purge()).toBe(0);
  });

  const extend: Readonly<Record<string, (tx: Queries) => Promise<unknown>>> = {
    'a client': (tx) => keepClient(tx, 'Client:over', now + day),
    'a session': (tx) =>
      tx
        .updateTable('sessions')
        .set({ expires_at: now + day })
        .execute(),
    'a count of attempts': (tx) =>
      tx
        .updateTable('attempts')
        .set({ resets_at: now + day })
        .execute(),
    'a grant': (tx) => prolongGrant(tx, 'over', now + day),
  };
  it.each(Object.keys(extend))(
    'keeps %s that is extended while the purge waits for the row lock',
    async (what) => {
      const put: Readonly<Record<string, () => Promise<void>>> = {
        'a client': () => putObject(database.queries, 'Client:over', now),
        'a session': () => putSession('over', now),
        'a count of attempts': () => putAttempts('over', now),
        'a grant': () => putGrant('over', now - 30 * day),
      };
      await put[what]?.();
      const otherDatabase = await openDatabase(database.options, silentLog);
      const held = Promise.withResolvers<void>();
      const wrote = Promise.withResolvers<void>();
      const extending = database.transaction(async (tx) => {
        await extend[what]?.(tx);
        wrote.resolve();
        await held.promise;
      });
      await wrote.promise;
      const purging = purgeAll({ database: otherDatabase, clock, sealer, accessTokenTtlMs }, signal);
      // SQLite serializes writers, so there the purge has not started to read.
      if (dialect === 'postgres') await waitingForLock(database);
      held.resolve();
      await Promise.all([extending, purging]);
      await otherDatabase.close();
      expect((await Promise.all(tables.map((table) => left(table, 'created_at')))).flat()).toHaveLength(1);
    },
  );

  it('stops when the signal is aborted', async () => {
    await putSession('over', now);
    const deps = { database, clock, sealer, accessTokenTtlMs };
    await expect(purgeAll(deps, AbortSignal.abort())).rejects.toThrow();
    expect(await left('sessions', 'hash')).toEqual(['over']);
  });

  it('creates the next signing key once, an hour before the current one has signed for 90 days', async () => {
    const due = now - 90 * day + 3_600_000;
    await makeSigningKey({ queries: database.queries, sealer, clock }, due);
    await purge(now - 1);
    expect(await left('oauth_signing_keys', 'signs_from')).toEqual([String(due)]);
    await purge();
    await purge();
    expect(await left('oauth_signing_keys', 'signs_from')).toEqual([String(due), String(now + 3_600_000)]);
  });
});
