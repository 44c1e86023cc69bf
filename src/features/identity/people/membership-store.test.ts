import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { type Admitted, admitUser } from './admit-user.ts';
import { putMembership, removeMembership } from './membership-store.ts';
import { disableUser } from './user-store.ts';

const lastOwner = expect.objectContaining({ status: 409, code: 'conflict' });

const clock = (): number => 1_800_000_000_000;

describeEachDatabase('memberships', (open) => {
  let database: Database;
  let ada: Admitted;
  const admit = (email: string, role: 'owner' | 'member'): Promise<Admitted> =>
    admitUser({ database, clock }, { email, orgSlug: 'acme', role });
  const remove = ({ organization, user }: Admitted): Promise<boolean> =>
    database.transaction((tx) => removeMembership(tx, { organizationId: organization.id, userId: user.id }));
  const owners = async (): Promise<number> =>
    (await database.queries.selectFrom('memberships').where('role', '=', 'owner').selectAll().execute())
      .length;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('users').execute();
    ada = await admit('ada@example.com', 'owner');
  });

  it('refuses to remove or demote the last owner', async () => {
    await admit('bob@example.com', 'member');
    await expect(remove(ada)).rejects.toEqual(lastOwner);
    const member = { organizationId: ada.organization.id, userId: ada.user.id, role: 'admin' as const };
    await expect(database.transaction((tx) => putMembership(tx, member, 0))).rejects.toEqual(lastOwner);
    expect(await owners()).toBe(1);
  });

  it('removes an owner if there is another one', async () => {
    await admit('bob@example.com', 'owner');
    expect(await remove(ada)).toBe(true);
    expect(await remove(ada)).toBe(false);
  });

  it('does not count a disabled owner as another one', async () => {
    const bob = await admit('bob@example.com', 'owner');
    await disableUser(database.queries, bob.user.id, 1);
    await expect(remove(ada)).rejects.toEqual(lastOwner);
    expect(await remove(bob)).toBe(true);
  });

  it('keeps one of two owners who leave concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const [first, second] = [
        await admit('ada@example.com', 'owner'),
        await admit('bob@example.com', 'owner'),
      ];
      const outcomes = await Promise.allSettled([remove(first), remove(second)]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
      expect(await owners()).toBe(1);
    }
  });
});
