import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/databases.ts';
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

  it('makes the user, the organization and an owner of it', async () => {
    const admitted = await admit({ orgName: 'Acme Inc.' });
    expect(admitted).toMatchObject({
      user: { email: 'ada@example.com', disabled: false },
      organization: { slug: 'acme', name: 'Acme Inc.' },
      role: 'owner',
    });
  });

  it('changes nothing when asked again, and keeps a role that is not named', async () => {
    await admit();
    const bob = await admit({ email: 'bob@example.com', role: 'member' });
    const { existing, ...again } = await admit({ email: 'BOB@example.com' });
    expect({ ...again, existing: undefined }).toEqual(bob);
    expect(existing).toEqual({ since: clock(), hasPassword: false, otherOrganizations: 0 });
    expect([await count('users'), await count('organizations'), await count('memberships')]).toEqual([
      2, 1, 2,
    ]);
  });

  it('makes one of each when two ask at once', async () => {
    const [one, other] = await Promise.all([admit(), admit()]);
    expect({ ...one, existing: undefined }).toEqual({ ...other, existing: undefined });
    expect([one.existing, other.existing].filter((existing) => existing !== undefined)).toHaveLength(1);
    expect([await count('users'), await count('organizations'), await count('memberships')]).toEqual([
      1, 1, 1,
    ]);
  });

  it('tells an account that was there before, as it was then', async () => {
    expect((await admit({ password: 'correct horse battery' })).existing).toBeUndefined();
    await admit({ orgSlug: 'globex' });
    const { existing } = await admit({ orgSlug: 'evil', password: 'another password' });
    expect(existing).toEqual({ since: clock(), hasPassword: true, otherOrganizations: 2 });
    const passwordless = await admit({ email: 'bob@example.com' });
    expect(passwordless.existing).toBeUndefined();
    const given = await admit({ email: 'bob@example.com', password: 'correct horse battery' });
    expect(given.existing).toMatchObject({ hasPassword: false, otherOrganizations: 0 });
  });

  it('sets the password, as a hash', async () => {
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
  ])('refuses %j and leaves nothing behind', async (request) => {
    await expect(admit(request)).rejects.toEqual(expect.objectContaining({ status: 400 }));
    expect([await count('users'), await count('organizations'), await count('memberships')]).toEqual([
      0, 0, 0,
    ]);
  });

  it('sends a disabled user to be enabled first', async () => {
    const { user } = await admit();
    await disableUser(database.queries, user.id, 1);
    await expect(admit()).rejects.toThrow(/orgctx admin user enable --email ada@example.com/);
  });
});
