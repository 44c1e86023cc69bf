import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { openTestPeople, type Person, type TestPeople } from '../../../../test/support/identity/people.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { type ApiKeyId, newId } from '../../../foundation/kernel/ids.ts';
import { actorOf } from './audit.ts';
import { listAudit, recordAudit } from './audit-store.ts';

describeEachDatabase('the audit log', (open) => {
  let database: Database;
  let people: TestPeople;
  let ada: Person;
  let gil: Person;

  beforeEach(async () => {
    database = await open();
    people = openTestPeople(database);
    ada = await people.join('ada@example.com', 'owner');
    gil = await people.join('gil@example.com', 'owner', { orgSlug: 'globex' });
    await database.queries.deleteFrom('audit_events').execute();
  });

  const record = (action: string, { actor, scope }: Pick<Person, 'actor' | 'scope'> = ada) => {
    people.advance(1);
    const { organizationId } = scope;
    const from = { ...actor, address: '192.0.2.1' };
    const entry = { organizationId, actor: from, action, target: 't', details: { role: 'admin' } };
    return recordAudit(database.queries, entry, people.now());
  };
  const actions = async ({ scope }: Person = ada) =>
    (await listAudit(database.queries, scope)).items.map(({ action }) => action);

  it('lists actor, action, target and address, newest first', async () => {
    await record('a.done');
    await record('b.done');
    const [last, first] = (await listAudit(database.queries, ada.scope)).items;
    expect(last).toEqual({
      id: expect.any(String),
      at: people.now(),
      actor: { kind: 'user', userId: ada.userId, email: ada.email, credential: 'session' },
      action: 'b.done',
      target: 't',
      details: { role: 'admin' },
      address: '192.0.2.1',
    });
    expect(first?.action).toBe('a.done');
  });

  it('shows an organization only its own entries', async () => {
    await record('acme.done');
    await record('globex.done', gil);
    const entry = { organizationId: null, actor: { kind: 'system' }, action: 'nobody.done' } as const;
    await recordAudit(database.queries, entry, people.now());
    expect(await actions()).toEqual(['acme.done']);
    expect(await actions(gil)).toEqual(['globex.done']);
  });

  it('is listed in pages, each entry once, while entries are added', async () => {
    for (const action of ['a.1', 'a.2', 'a.3']) await record(action);
    const first = await listAudit(database.queries, ada.scope, { limit: 2 });
    await record('a.4');
    const second = await listAudit(database.queries, ada.scope, { cursor: first.nextCursor ?? '' });
    expect([...first.items, ...second.items].map(({ action }) => action)).toEqual(['a.3', 'a.2', 'a.1']);
    expect(second.nextCursor).toBeNull();
    const bad = listAudit(database.queries, ada.scope, { cursor: 'x' });
    await expect(bad).rejects.toEqual(expect.objectContaining({ status: 400 }));
  });

  it('does not contain entries of a transaction that was rolled back', async () => {
    const undone = database.transaction(async (tx) => {
      const entry = { organizationId: ada.scope.organizationId, actor: ada.actor, action: 'a.undone' };
      await recordAudit(tx, entry, people.now());
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    expect(await actions()).toEqual([]);
  });

  it('keeps the entries of deleted users', async () => {
    await record('a.done', gil);
    await database.queries.deleteFrom('users').where('id', '=', gil.userId).execute();
    const { items } = await listAudit(database.queries, gil.scope);
    expect(items).toMatchObject([{ actor: { email: gil.email }, action: 'a.done' }]);
  });

  it('names the credential without its secret', () => {
    const principal = { userId: ada.userId, email: ada.email, scopes: new Set<never>() };
    const organizationId = undefined;
    const apiKeyId = newId<ApiKeyId>();
    const credentials = [
      { kind: 'api-key', apiKeyId, organizationId },
      { kind: 'oauth', grantId: 'g', organizationId, firstParty: false },
    ] as const;
    const texts = credentials.map((credential) => actorOf({ principal: { ...principal, credential } }));
    expect(texts).toMatchObject([{ credential: `api-key ${apiKeyId}` }, { credential: 'grant g' }]);
  });
});
