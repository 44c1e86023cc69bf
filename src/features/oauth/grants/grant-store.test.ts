import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import { newId, type OrganizationId, type UserId } from '../../../foundation/kernel/ids.ts';
import { admitUser } from '../../identity/people/admit-user.ts';
import { removeMembership } from '../../identity/people/membership-store.ts';
import { listGrants, revokeGrantsOf } from './grant-store.ts';
import { revokeGrant } from './revoke-grant.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const clock = () => now;

describeEachDatabase('grants', (open) => {
  let database: TestDatabase;
  let ann: UserId;
  let bob: UserId;
  let acme: OrganizationId;
  let globex: OrganizationId;

  const admit = async (name: string, orgSlug: string) => {
    const { user, organization } = await admitUser(
      { database, clock },
      { email: `${name}@example.com`, orgSlug, role: 'member' },
    );
    return { userId: user.id, organizationId: organization.id };
  };

  beforeEach(async () => {
    database = await open();
    ({ userId: ann, organizationId: acme } = await admit('ann', 'acme'));
    ({ organizationId: globex } = await admit('ann', 'globex'));
    ({ userId: bob } = await admit('bob', 'acme'));
  });

  const grant = async (
    changes: {
      user_id?: UserId;
      organization_id?: OrganizationId | null;
      expires_at?: number;
      created_at?: number;
    } = {},
  ): Promise<string> => {
    const id: string = newId<OrganizationId>(changes.created_at ?? now);
    await database.queries
      .insertInto('oauth_grants')
      .values({
        id,
        user_id: ann,
        organization_id: acme,
        client_id: 'client-1',
        client_name: 'Editor',
        scopes: 'mcp offline_access',
        last_used_at: null,
        expires_at: now + 1,
        revoked_at: null,
        created_at: now,
        ...changes,
      })
      .execute();
    await database.queries
      .insertInto('oauth_objects')
      .values({
        key: `RefreshToken:${id}`,
        model: 'RefreshToken',
        payload: 'sealed',
        grant_id: id,
        claimed_by: null,
        user_code: null,
        consumed_at: null,
        expires_at: now + 1,
        created_at: now,
      })
      .execute();
    return id;
  };
  const byAnn = (id: string) => {
    const actor = { kind: 'user', userId: ann, email: 'ann@example.com', credential: 'session' } as const;
    return { id, userId: ann, actor };
  };
  const idsOf = async (userId: UserId) =>
    (await listGrants(database.queries, userId, {}, now)).items.map(({ id }) => id);
  const objects = async () =>
    (await database.queries.selectFrom('oauth_objects').select('grant_id').execute()).map(
      (row) => row.grant_id,
    );

  it('are listed only for their user, with client and organization', async () => {
    const id = await grant();
    await grant({ user_id: bob });
    const page = await listGrants(database.queries, ann, {}, now);
    expect(page).toEqual({
      items: [
        {
          id,
          client: { id: 'client-1', name: 'Editor' },
          organization: { slug: 'acme', name: 'acme' },
          scopes: ['mcp', 'offline_access'],
          createdAt: now,
          lastUsedAt: undefined,
          expiresAt: now + 1,
        },
      ],
      nextCursor: null,
    });
  });

  it('are listed without an organization if it was deleted', async () => {
    await grant({ organization_id: null });
    expect((await listGrants(database.queries, ann, {}, now)).items[0]?.organization).toBeUndefined();
  });

  it('do not name an organization from which their user was removed', async () => {
    await grant();
    await database.transaction((tx) => removeMembership(tx, { organizationId: acme, userId: ann }));
    expect((await listGrants(database.queries, ann, {}, now)).items).toEqual([
      expect.objectContaining({ organization: undefined }),
    ]);
  });

  it('are listed and revoked only within the organization that the caller is bound to', async () => {
    const inAcme = await grant();
    const inGlobex = await grant({ organization_id: globex });
    await grant({ organization_id: null });
    const page = await listGrants(database.queries, ann, { organizationId: acme }, now);
    expect(page.items.map(({ id }) => id)).toEqual([inAcme]);
    const deps = { database, clock: () => now };
    await expect(revokeGrant(deps, { ...byAnn(inGlobex), organizationId: acme })).rejects.toMatchObject({
      code: 'not_found',
    });
    await revokeGrant(deps, { ...byAnn(inAcme), organizationId: acme });
    expect(await idsOf(ann)).not.toContain(inAcme);
    expect(await idsOf(ann)).toContain(inGlobex);
  });

  it('are not listed after they have expired', async () => {
    await grant({ expires_at: now });
    expect(await idsOf(ann)).toEqual([]);
  });

  it('are listed in pages, oldest first', async () => {
    const ids = [await grant({ created_at: now - 2 }), await grant({ created_at: now - 1 }), await grant()];
    const first = await listGrants(database.queries, ann, { limit: 2 }, now);
    const cursor = first.nextCursor ?? '';
    const second = await listGrants(database.queries, ann, { limit: 2, cursor }, now);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.nextCursor).toBeNull();
  });

  it('are revoked with all their tokens without affecting others', async () => {
    const [ended, kept] = [await grant({ created_at: now - 1 }), await grant()];
    await revokeGrant({ database, clock }, byAnn(ended));
    expect({ listed: await idsOf(ann), tokens: await objects() }).toEqual({ listed: [kept], tokens: [kept] });
    const row = await database.queries
      .selectFrom('oauth_grants')
      .select('revoked_at')
      .where('id', '=', ended)
      .executeTakeFirst();
    expect(row?.revoked_at).toBe(now);
    const events = await database.queries
      .selectFrom('audit_events')
      .where('action', '=', 'grant.revoked')
      .select(['organization_id', 'user_id', 'target', 'details'])
      .execute();
    const details = '{"client":"Editor"}';
    expect(events).toEqual([{ organization_id: acme, user_id: ann, target: ended, details }]);
  });

  it('return the same error if they are unknown, of another user or already revoked', async () => {
    const [ended, foreign] = [await grant(), await grant({ user_id: bob })];
    await revokeGrant({ database, clock }, byAnn(ended));
    const answers = await Promise.all(
      [ended, foreign, newId<OrganizationId>(), 'nonsense', ''].map((id) =>
        revokeGrant({ database, clock }, byAnn(id)).catch((error: unknown) => error),
      ),
    );
    expect(answers.every((answer) => answer instanceof NotFound)).toBe(true);
    expect(new Set(answers.map(String)).size).toBe(1);
    expect(await idsOf(bob)).toEqual([foreign]);
  });

  it('of a user are revoked in one organization or in all', async () => {
    const [here, there] = [await grant({ created_at: now - 1 }), await grant({ organization_id: globex })];
    const foreign = await grant({ user_id: bob });
    const inGlobex = { userId: ann, organizationId: globex };
    const ended = await database.transaction((tx) => revokeGrantsOf(tx, inGlobex, now));
    expect(ended).toEqual([
      { id: there, organizationId: globex, clientId: 'client-1', clientName: 'Editor' },
    ]);
    expect(await idsOf(ann)).toEqual([here]);
    expect(await database.transaction((tx) => revokeGrantsOf(tx, { userId: ann }, now))).toHaveLength(1);
    expect({ ann: await idsOf(ann), bob: await idsOf(bob) }).toEqual({ ann: [], bob: [foreign] });
  });
});
