import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { verifyPassword } from '../sign-in/password.ts';
import { admitUser } from './admit-user.ts';
import { disableUser } from './user-store.ts';

const clock = (): number => 1_800_000_000_000;

describeEachDatabase('admitUser', (open) => {
  let database: Database;
  const admit = (request: Partial<Parameters<typeof admitUser>[1]> = {}) =>
    admitUser({ database, clock }, { email: 'ada@example.com', orgSlug: 'acme', ...request });
  const count = async (table: 'users' | 'organizations' | 'memberships'): Promise<number> =>
    (await database.queries.selectFrom(table).selectAll().execute()).length;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('users').execute();
    await database.queries.deleteFrom('organizations').execute();
  });

  it('creates the user, the organization and the membership as owner', async () => {
    const admitted = await admit({ orgName: 'Acme Inc.' });
    expect(admitted).toMatchObject({
      user: { email: 'ada@example.com', disabled: false },
      organization: { slug: 'acme', name: 'Acme Inc.' },
      role: 'owner',
    });
  });

  it('changes nothing when called again and keeps the role by default', async () => {
    await admit();
    const bob = await admit({ email: 'bob@example.com', role: 'member' });
    const { existing, ...again } = await admit({ email: 'BOB@example.com' });
    expect({ ...again, existing: undefined }).toEqual(bob);
    expect(existing).toEqual({ since: clock(), hasPassword: false, otherOrganizations: 0 });
    expect([await count('users'), await count('organizations'), await count('memberships')]).toEqual([
      2, 1, 2,
    ]);
  });

  it('creates one of each for two concurrent calls', async () => {
    const [one, other] = await Promise.all([admit(), admit()]);
    expect({ ...one, existing: undefined }).toEqual({ ...other, existing: undefined });
    expect([one.existing, other.existing].filter((existing) => existing !== undefined)).toHaveLength(1);
    expect([await count('users'), await count('organizations'), await count('memberships')]).toEqual([
      1, 1, 1,
    ]);
  });

  it('describes an account that existed before, as it was', async () => {
    expect((await admit({ password: 'correct horse battery' })).existing).toBeUndefined();
    await admit({ orgSlug: 'globex' });
    const { existing } = await admit({ orgSlug: 'evil', password: 'another password' });
    expect(existing).toEqual({ since: clock(), hasPassword: true, otherOrganizations: 2 });
    const passwordless = await admit({ email: 'bob@example.com' });
    expect(passwordless.existing).toBeUndefined();
    const given = await admit({ email: 'bob@example.com', password: 'correct horse battery' });
    expect(given.existing).toMatchObject({ hasPassword: false, otherOrganizations: 0 });
  });

  it('stores the password as a hash', async () => {
    await admit({ password: 'correct horse battery' });
    const { password_hash: hash } = await database.queries
      .selectFrom('users')
      .select('password_hash')
      .executeTakeFirstOrThrow();
    expect(verifyPassword('correct horse battery', hash ?? '')).toBe(true);
  });

  it.each([
    [{ orgSlug: 'Not A Slug' }],
    [{ email: 'nobody' }],
    [{ orgName: 'a\u0000b' }],
    [{ password: 'short' }],
  ])('refuses %j and stores nothing', async (request) => {
    await expect(admit(request)).rejects.toEqual(expect.objectContaining({ status: 400 }));
    expect([await count('users'), await count('organizations'), await count('memberships')]).toEqual([
      0, 0, 0,
    ]);
  });

  it('refuses a disabled user and names the command that enables them', async () => {
    const { user } = await admit();
    await disableUser(database.queries, user.id, 1);
    await expect(admit()).rejects.toThrow(/orgctx admin user enable --email ada@example.com/);
  });
});
