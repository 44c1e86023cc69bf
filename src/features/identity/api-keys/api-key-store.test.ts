import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import type { Database } from '../../../foundation/db/database.ts';
import type { User } from '../people/user.ts';
import { disableUser, ensureUser, hasUsers } from '../people/user-store.ts';
import { hasLiveApiKey, revokeApiKey } from './api-key-store.ts';
import { createApiKey } from './create-api-key.ts';

const now = 1_800_000_000_000;
const clock = (): number => now;

describeEachDatabase('the state that the first start reads', (open) => {
  let database: Database;
  let ada: User;

  beforeAll(async () => {
    database = await open();
  });
  beforeEach(async () => {
    await database.queries.deleteFrom('users').execute();
    ada = await ensureUser(database.queries, 'ada@example.com', clock);
  });
  const live = (at = now): Promise<boolean> => hasLiveApiKey(database.queries, ada.id, at);

  it('tells whether any user exists', async () => {
    expect(await hasUsers(database.queries)).toBe(true);
    await database.queries.deleteFrom('users').execute();
    expect(await hasUsers(database.queries)).toBe(false);
  });

  it('tells whether a user has a valid key', async () => {
    expect(await live()).toBe(false);
    const request = { userId: ada.id, name: 'laptop', expiresIn: 1000 };
    const { id } = await createApiKey(database.queries, request, clock);
    expect([await live(), await live(now + 999), await live(now + 1000)]).toEqual([true, true, false]);
    expect(await revokeApiKey(database.queries, id, now)).toBe(true);
    expect(await live()).toBe(false);
  });

  it('ignores the keys of other users', async () => {
    const bob = await ensureUser(database.queries, 'bob@example.com', clock);
    await createApiKey(database.queries, { userId: bob.id, name: 'laptop' }, clock);
    expect(await live()).toBe(false);
    await disableUser(database.queries, bob.id, now);
    expect(await live()).toBe(false);
  });
});
