import { beforeEach, describe, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import {
  host,
  openTestPeople,
  type Person,
  type TestPeople,
} from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { newId, type UserId } from '../../../foundation/kernel/ids.ts';
import { revokeGrantsOf } from '../../oauth/grants/grant-store.ts';
import type { Role } from '../access/principal.ts';
import { listApiKeys } from '../api-keys/api-key-store.ts';
import { createApiKey } from '../api-keys/create-api-key.ts';
import { changeRole } from './change-role.ts';
import { listMembers } from './member-store.ts';
import { userOrganizations } from './membership-store.ts';
import { removeMember } from './remove-member.ts';

const status = (code: number) => expect.objectContaining({ status: code });

describeEachDatabase('the members of an organization', (open) => {
  let database: Database;
  let people: TestPeople;
  let owner: Person;
  let admin: Person;
  let member: Person;
  let outsider: Person;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    owner = await people.join('owner@example.com', 'owner');
    admin = await people.join('admin@example.com', 'admin');
    member = await people.join('member@example.com', 'member');
    outsider = await people.join('outsider@example.com', 'owner', { orgSlug: 'globex' });
    await people.audit();
  });

  const remove = (by: Person, { userId }: { userId: UserId }) =>
    removeMember({ ...people.deps, revokeGrants: revokeGrantsOf }, owner.scope, by.actor, userId);
  const change = (by: Person, { userId }: { userId: UserId }, role: Role) =>
    changeRole(people.deps, owner.scope, by.actor, { userId, role });
  const role = (person: Person) => people.role(person, owner.scope);

  it('are listed with their roles in pages', async () => {
    const first = await listMembers(database.queries, owner.scope, { limit: 2 });
    const second = await listMembers(database.queries, owner.scope, { cursor: first.nextCursor ?? '' });
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, null]);
    const emails = [...first.items, ...second.items].map(({ email, role: had }) => `${email} ${had}`);
    expect(emails.toSorted()).toEqual([
      'admin@example.com admin',
      'member@example.com member',
      'owner@example.com owner',
    ]);
  });

  describe('change roles', () => {
    it('through an admin, up to the role admin, and it is recorded', async () => {
      expect(await change(admin, member, 'admin')).toMatchObject({ email: member.email, role: 'admin' });
      expect(await people.audit()).toEqual(['member.changed by admin@example.com']);
      await change(admin, member, 'admin');
      expect(await people.audit()).toEqual([]);
    });

    it('to or from owner only through an owner', async () => {
      await expect(change(admin, member, 'owner')).rejects.toEqual(status(403));
      await expect(change(admin, admin, 'owner')).rejects.toEqual(status(403));
      await expect(change(admin, owner, 'member')).rejects.toEqual(status(403));
      await change(owner, admin, 'owner');
      expect(await role(admin)).toBe('owner');
    });

    it('not through a member, not even for themselves', async () => {
      await expect(change(member, member, 'admin')).rejects.toEqual(status(403));
      await expect(change(member, admin, 'member')).rejects.toEqual(status(403));
      await expect(change(outsider, member, 'admin')).rejects.toEqual(status(403));
      expect([await role(member), await role(admin)]).toEqual(['member', 'admin']);
    });

    it('but the last owner cannot be demoted, even by the host', async () => {
      await expect(change(owner, owner, 'admin')).rejects.toEqual(status(409));
      const byHost = changeRole(people.deps, owner.scope, host, { userId: owner.userId, role: 'member' });
      await expect(byHost).rejects.toEqual(status(409));
    });

    it('and one of two owners who step down concurrently stays', async () => {
      await change(owner, admin, 'owner');
      const both = [owner, admin].map((person) => change(person, person, 'member'));
      expect((await Promise.allSettled(both)).map((one) => one.status).toSorted()).toEqual([
        'fulfilled',
        'rejected',
      ]);
    });

    it('with the same error for members of other organizations and unknown users', async () => {
      const answers = await Promise.all(
        [outsider, { userId: newId<UserId>() }].map((who) =>
          change(owner, who, 'admin').catch((error: unknown) => error),
        ),
      );
      expect(answers).toEqual([status(404), answers[0]]);
    });
  });

  describe('are removed', () => {
    it('by an admin, and it is recorded', async () => {
      await remove(admin, member);
      expect(await role(member)).toBeUndefined();
      expect(await userOrganizations(database.queries, member.userId)).toEqual([]);
      expect(await people.audit()).toEqual(['member.removed by admin@example.com']);
      await expect(remove(admin, member)).rejects.toEqual(status(404));
    });

    it('by themselves', async () => {
      await remove(member, member);
      expect(await role(member)).toBeUndefined();
    });

    it('not by a member, and owners only by an owner', async () => {
      await expect(remove(member, admin)).rejects.toEqual(status(403));
      await expect(remove(admin, owner)).rejects.toEqual(status(403));
      await expect(remove(outsider, member)).rejects.toEqual(status(403));
      expect(await Promise.all([owner, admin, member].map(role))).toEqual(['owner', 'admin', 'member']);
    });

    it('except the last owner, also if two leave concurrently', async () => {
      await expect(remove(owner, owner)).rejects.toEqual(status(409));
      await change(owner, admin, 'owner');
      const both = [owner, admin].map((person) => remove(person, person));
      expect((await Promise.allSettled(both)).map((one) => one.status).toSorted()).toEqual([
        'fulfilled',
        'rejected',
      ]);
    });

    it('with their grants and keys of that organization, which stay revoked after a later invitation', async () => {
      await people.join(member.email, 'member', { orgSlug: 'globex' });
      const keys = new Map<string, string>();
      for (const [name, organizationId] of [
        ['anywhere', undefined],
        ['acme', owner.scope.organizationId],
        ['globex', outsider.scope.organizationId],
      ] as const) {
        const request = { userId: member.userId, name, organizationId };
        const { id } = await createApiKey(database.queries, request, people.deps.clock);
        keys.set(name, id);
      }
      const [revoked, otherOrganization, adminsGrant] = await Promise.all([
        grant(member, owner),
        grant(member, outsider),
        grant(admin, owner),
      ]);
      await remove(admin, member);
      await people.join(member.email, 'member');
      const rows = await database.queries.selectFrom('oauth_grants').select(['id', 'revoked_at']).execute();
      const active = rows.filter(({ revoked_at }) => revoked_at === null).map(({ id }) => id);
      expect(active.toSorted()).toEqual([otherOrganization, adminsGrant].toSorted());
      expect(rows.find(({ id }) => id === revoked)?.revoked_at).toBe(people.now());
      const left = (await listApiKeys(database.queries, { userId: member.userId })).items;
      expect(new Set(left.map(({ id }) => id))).toEqual(new Set([keys.get('anywhere'), keys.get('globex')]));
      const objects = await database.queries.selectFrom('oauth_objects').select('grant_id').execute();
      expect(new Set(objects.map(({ grant_id }) => grant_id))).toEqual(
        new Set([otherOrganization, adminsGrant]),
      );
    });

    it('without changes to their grants if the removal is refused', async () => {
      const ownGrant = await grant(owner, owner);
      await expect(remove(owner, owner)).rejects.toEqual(status(409));
      const rows = await database.queries.selectFrom('oauth_grants').selectAll().execute();
      expect(rows).toEqual([expect.objectContaining({ id: ownGrant, revoked_at: null })]);
    });
  });

  /** Inserts a grant with a token, like those of the authorization server. */
  async function grant({ userId }: Person, { scope }: Person): Promise<string> {
    const id = newId();
    const later = people.now() + 1_000_000;
    const client = { client_id: 'c', client_name: 'Client', scopes: 'mcp' };
    const times = { last_used_at: null, expires_at: later, revoked_at: null, created_at: people.now() };
    const row = { id, user_id: userId, organization_id: scope.organizationId, ...client, ...times };
    await database.queries.insertInto('oauth_grants').values(row).execute();
    const object = {
      key: id,
      model: 'RefreshToken',
      payload: '',
      grant_id: id,
      user_code: null,
      claimed_by: null,
    };
    await database.queries
      .insertInto('oauth_objects')
      .values({ ...object, consumed_at: null, expires_at: later, created_at: people.now() })
      .execute();
    return id;
  }
});
