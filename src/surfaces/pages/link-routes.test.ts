import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../../test/support/databases.ts';
import type { TestHttp } from '../../../test/support/http-server.ts';
import { pageVisitor } from '../../../test/support/page-visitor.ts';
import { openPerson, openTestPages, password } from '../../../test/support/pages.ts';
import { createApiKey } from '../../features/identity/api-keys/create-api-key.ts';
import { findUser } from '../../features/identity/people/user-store.ts';
import { createOneTimeLink } from '../../features/identity/sign-in/one-time-link.ts';
import { systemClock } from '../../foundation/kernel/clock.ts';

const email = 'ada@example.com';
const other = 'another battery staple';

describe('the page of a sign-in link', () => {
  let database: TestDatabase;
  let http: TestHttp;
  let path: string;

  beforeEach(async () => {
    database = await openTestDatabase('sqlite');
    http = await openTestPages(database);
    await openPerson(database, email, [{ orgSlug: 'acme', role: 'owner' }]);
    const userId = (await findUser(database.queries, email))?.id;
    if (userId === undefined) throw new Error('nobody is there');
    await createApiKey(database.queries, { userId, name: 'of ada' }, systemClock);
    const { token } = await createOneTimeLink(database.queries, { purpose: 'sign-in', userId }, systemClock);
    path = `/.auth/link/${token}`;
  });
  afterEach(async () => {
    await http.server.close();
    await database.close();
  });

  const submit = async (fields: Readonly<Record<string, string>>) => {
    const browser = pageVisitor(http.server);
    return browser.submit(await browser.get(path), fields);
  };
  const keys = async () =>
    (
      await database.queries
        .selectFrom('api_keys')
        .select('id')
        .where('name', '=', 'of ada')
        .where('revoked_at', 'is', null)
        .execute()
    ).length;

  it('says what a new password ends, and leaves it to the person to end their keys', async () => {
    const { body } = await pageVisitor(http.server).get(path);
    expect(body).toContain('signs you out everywhere else and disconnects every client');
    expect(body).toMatch(/<input type="checkbox" id="endKeys" name="endKeys" value="true"\/>/);
  });

  it('keeps the keys where the box is left alone', async () => {
    expect((await submit({ password: other })).statusCode).toBe(303);
    expect(await keys()).toBe(1);
  });

  it('ends them where it is ticked', async () => {
    expect((await submit({ password: other, endKeys: 'true' })).statusCode).toBe(303);
    expect(await keys()).toBe(0);
  });

  it('keeps the tick, and ends nothing, while the new password may not be one', async () => {
    const answer = await submit({ password: 'short', endKeys: 'true' });
    expect([answer.statusCode, answer.body]).toEqual([
      400,
      expect.stringMatching(/name="endKeys"[^>]* checked/),
    ]);
    expect(await keys()).toBe(1);
    const again = pageVisitor(http.server);
    const session = await again.submit(await again.get('/.auth/sign-in'), { email, password });
    expect(session.statusCode).toBe(303);
  });
});
