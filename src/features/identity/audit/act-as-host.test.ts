import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { openTestPeople, type Person, type TestPeople } from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { newId } from '../../../foundation/kernel/ids.ts';
import { admitCaller } from '../access/admit-caller.ts';
import { admitUser } from '../people/admit-user.ts';
import type { User } from '../people/user.ts';
import { findUser } from '../people/user-store.ts';
import { createSession, findSession } from '../sign-in/session-store.ts';
import {
  createApiKeyAsHost,
  createSignInLinkAsHost,
  disableUserAsHost,
  enableUserAsHost,
  revokeApiKeyAsHost,
} from './act-as-host.ts';

describeEachDatabase('the operator of the host', (open) => {
  let database: Database;
  let people: TestPeople;
  let ada: Person;
  let user: User;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    ada = await people.join('ada@example.com', 'owner');
    user = { id: ada.userId, email: ada.email, disabled: false };
    await people.audit();
  });

  const enter = async (apiKey: string) => {
    const deps = { queries: database.queries, clock: people.deps.clock };
    return admitCaller(deps, { authorization: `Bearer ${apiKey}`, orgSlug: 'acme', scope: 'api' });
  };
  const admit = (request: Partial<Parameters<typeof admitUser>[1]>) =>
    admitUser(people.deps, { email: 'bob@example.com', orgSlug: 'acme', ...request });
  const newSession = () =>
    database.transaction((tx) => createSession(tx, { userId: ada.userId }, people.deps.clock));

  it('records the created objects, and nothing if nothing changed', async () => {
    await admit({ role: 'member', orgSlug: 'initech' });
    expect(await people.audit()).toEqual([
      'member.added by host',
      'organization.created by host',
      'user.created by host',
    ]);
    await admit({ orgSlug: 'initech' });
    expect(await people.audit()).toEqual([]);
    await admit({ orgSlug: 'initech', role: 'owner' });
    expect(await people.audit()).toEqual(['member.changed by host']);
    await admit({ orgSlug: 'initech', password: 'correct horse battery' });
    expect(await people.audit()).toEqual(['password.set by host']);
  });

  it('ends the sessions of a user whose password they set', async () => {
    const { token } = await newSession();
    await admit({ email: ada.email, password: 'correct horse battery' });
    expect(await findSession(database.queries, token, people.deps.clock)).toBeUndefined();
  });

  it('creates links and keys and revokes keys; the audit log records it without the secrets', async () => {
    const link = await createSignInLinkAsHost(people.deps, user);
    const { apiKey, id } = await createApiKeyAsHost(people.deps, user, { name: 'laptop' });
    expect((await enter(apiKey)).role).toBe('owner');
    await revokeApiKeyAsHost(people.deps, id);
    await expect(enter(apiKey)).rejects.toEqual(expect.objectContaining({ status: 401 }));
    const rows = await database.queries.selectFrom('audit_events').selectAll().execute();
    for (const secret of [link.token, apiKey]) expect(JSON.stringify(rows)).not.toContain(secret);
    expect(await people.audit()).toEqual([
      'api-key.created by host',
      'api-key.revoked by host',
      'sign-in-link.created by host',
    ]);
  });

  it('gets an error for an unknown key', async () => {
    await expect(revokeApiKeyAsHost(people.deps, newId())).rejects.toEqual(
      expect.objectContaining({ status: 404 }),
    );
    expect(await people.audit()).toEqual([]);
  });

  it('disables a user; after enabling, keys are valid again and sessions are not', async () => {
    const { apiKey } = await createApiKeyAsHost(people.deps, user, { name: 'laptop' });
    const { token } = await newSession();
    await disableUserAsHost(people.deps, user);
    expect((await findUser(database.queries, ada.email))?.disabled).toBe(true);
    await expect(enter(apiKey)).rejects.toEqual(expect.objectContaining({ status: 401 }));
    await enableUserAsHost(people.deps, user);
    expect((await enter(apiKey)).role).toBe('owner');
    expect(await findSession(database.queries, token, people.deps.clock)).toBeUndefined();
    expect(await people.audit()).toEqual([
      'api-key.created by host',
      'user.disabled by host',
      'user.enabled by host',
    ]);
  });
});
