import { expect, it } from 'vitest';
import { testSetup } from '../../../../test/support/connectors/test-setup.ts';
import { describeEachDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import { testGithosts } from '../../../../test/support/git/test-githosts.ts';
import { openTestKeyring } from '../../../../test/support/http/http-server.ts';
import type { Database } from '../../../foundation/db/database.ts';
import { Conflict, InvalidInput, NotFound } from '../../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { readSecret } from '../../../foundation/secrets/secret-store.ts';
import { ensureOrganization } from '../../identity/people/organization-store.ts';
import { removeConnection } from '../setup/remove-connection.ts';
import { type ConnectionState, connectionStates, stateLabels } from './connection.ts';
import { enterState, listConnections, requireConnection } from './connection-store.ts';
import type { ConnectionsDeps } from './connections-deps.ts';
import { createConnection } from './create-connection.ts';
import { saveApp } from './save-app.ts';
import { showConnection } from './show-connections.ts';

const clock = () => Date.parse('2026-11-21T12:00:00Z');
const baseUrl = 'http://127.0.0.1:3000';

async function scopeOf({ queries }: Database, slug: string): Promise<OrgScope> {
  const { id } = await ensureOrganization(queries, { slug }, clock);
  return { organizationId: id, orgSlug: slug };
}

describeEachDatabase('connections', (open) => {
  async function start(): Promise<{
    deps: ConnectionsDeps;
    database: TestDatabase;
    acme: OrgScope;
    globex: OrgScope;
  }> {
    const database = await open();
    const keyring = await openTestKeyring(database);
    const githosts = testGithosts(database, keyring, { clock });
    const deps = testSetup(database, keyring, { githosts, providerSettings: {}, baseUrl });
    return {
      deps,
      database,
      acme: await scopeOf(database, 'acme'),
      globex: await scopeOf(database, 'globex'),
    };
  }

  const secretsOf = ({ queries }: Database, id: string) =>
    queries.selectFrom('connection_secrets').selectAll().where('connection_id', '=', id).execute();

  it('belong to one organization and cannot be read or changed by another', async () => {
    const { deps, database, acme, globex } = await start();
    const id = await createConnection(deps, acme, { kind: 'tracker' });
    await saveApp(deps, acme, id, { clientId: 'a', clientSecret: 'hush' });
    await expect(requireConnection(database.queries, globex, id)).rejects.toThrow(NotFound);
    expect((await listConnections(database.queries, globex)).items).toEqual([]);
    await expect(showConnection(deps, globex, id)).rejects.toThrow(NotFound);
    await expect(saveApp(deps, globex, id, { clientId: 'b', clientSecret: 'theirs' })).rejects.toThrow(
      NotFound,
    );
    await expect(removeConnection(deps, globex, { kind: 'host' }, id)).rejects.toThrow(NotFound);
    const place = { connectionId: id, field: 'clientSecret' };
    expect(await readSecret(database.queries, deps.keyring, place)).toBe('hush');
    expect(await requireConnection(database.queries, acme, id)).toMatchObject({
      state: 'draft',
      clientId: 'a',
    });
  });

  it('enter no state that the table does not allow, and none of another organization', async () => {
    const { deps, database, acme, globex } = await start();
    const id = await createConnection(deps, acme, { kind: 'tracker' });
    const enter = ({ organizationId }: OrgScope, state: ConnectionState) =>
      database.transaction((tx) => enterState(tx, { id, organizationId }, state, { live_commit: 'c' }));
    await expect(enter(acme, 'connected')).rejects.toThrow('cannot become connected');
    await expect(enter(globex, 'authorized')).rejects.toThrow('cannot become authorized');
    expect(await requireConnection(database.queries, acme, id)).toMatchObject({ state: 'draft' });
    await enter(acme, 'authorized');
    expect(await requireConnection(database.queries, acme, id)).toMatchObject({ state: 'authorized' });
  });

  it('have a unique name per kind, also when created concurrently', async () => {
    const { deps, database, acme, globex } = await start();
    const attempts = Array.from({ length: 5 }, () =>
      createConnection(deps, acme, { kind: 'tracker', name: 'main' }),
    );
    const results = await Promise.allSettled(attempts);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Error] : [],
    );
    expect(refused).toHaveLength(4);
    for (const error of refused) expect(error).toBeInstanceOf(Conflict);
    await createConnection(deps, acme, { kind: 'oncall', name: 'main' });
    await createConnection(deps, globex, { kind: 'tracker', name: 'main' });
    const kinds = (await listConnections(database.queries, acme)).items.map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['oncall', 'tracker']);
  });

  it('are limited to 50 per kind in an organization, also when created concurrently', async () => {
    const { deps, database, acme, globex } = await start();
    const make = (scope: OrgScope, kind: 'tracker' | 'oncall', count: number) =>
      Promise.allSettled(
        Array.from({ length: count }, (_, n) => createConnection(deps, scope, { kind, name: `number ${n}` })),
      );
    const results = await make(acme, 'tracker', 54);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason as Error] : [],
    );
    expect(refused.map((error) => [error.constructor, error.message])).toEqual(
      refused.map(() => [Conflict, expect.stringContaining('at most 50 tracker connections')]),
    );
    expect(refused).toHaveLength(4);
    const others = [...(await make(acme, 'oncall', 1)), ...(await make(globex, 'tracker', 1))];
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const kept = (await listConnections(database.queries, acme, { limit: 200 })).items;
    const trackers = kept.filter(({ kind }) => kind === 'tracker');
    expect(trackers).toHaveLength(50);
    for (const { id } of trackers.slice(0, 1)) await removeConnection(deps, acme, { kind: 'host' }, id);
    await createConnection(deps, acme, { kind: 'tracker', name: 'one more' });
  });

  it('leave no secret behind when one is saved during the deletion', async () => {
    const { deps, database, acme } = await start();
    for (let round = 0; round < 10; round += 1) {
      const id = await createConnection(deps, acme, { kind: 'tracker', name: `round ${round}` });
      const saves = Array.from({ length: 3 }, () =>
        saveApp(deps, acme, id, {
          clientId: 'a',
          clientSecret: 'hush',
          webhookSecret: 'hush of the webhook',
        }),
      );
      const results = await Promise.allSettled([
        ...saves,
        removeConnection(deps, acme, { kind: 'host' }, id),
      ]);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(NotFound);
      }
      expect(await secretsOf(database, id)).toEqual([]);
      await expect(requireConnection(database.queries, acme, id)).rejects.toThrow(NotFound);
    }
  });

  it('save the app completely or not at all', async () => {
    const { deps, database, acme } = await start();
    const id = await createConnection(deps, acme, { kind: 'tracker' });
    const tooLong = { clientId: 'a', clientSecret: 'hush', webhookSecret: 'x'.repeat(70_000) };
    await expect(saveApp(deps, acme, id, tooLong)).rejects.toThrow(RangeError);
    expect(await secretsOf(database, id)).toEqual([]);
    expect((await requireConnection(database.queries, acme, id)).clientId).toBeUndefined();
  });

  it('of oncall refuse a webhook secret of an app', async () => {
    const { deps, database, acme } = await start();
    const id = await createConnection(deps, acme, { kind: 'oncall' });
    const app = { clientId: 'a', clientSecret: 'hush', webhookSecret: 'hush of the webhook' };
    await expect(saveApp(deps, acme, id, app)).rejects.toThrow(InvalidInput);
    expect(await secretsOf(database, id)).toEqual([]);
  });

  it('show the stored account and error', async () => {
    const { deps, database, acme } = await start();
    const id = await createConnection(deps, acme, { kind: 'tracker' });
    const error = { code: 'sync_failed', message: 'Try again.' };
    await database.queries
      .updateTable('connections')
      .set({
        state: 'degraded',
        account_id: 'ws',
        account: '{"name":"Acme"}',
        error: JSON.stringify(error),
        last_sync_at: 5,
      })
      .where('id', '=', id)
      .execute();
    expect(await showConnection(deps, acme, id)).toMatchObject({
      state: 'degraded',
      account: { id: 'ws', name: 'Acme' },
      error,
      lastSyncAt: 5,
    });
  });

  it('are not found by an invalid id', async () => {
    const { database, acme } = await start();
    for (const id of ['', 'x', "' or 1=1", '\0', 'x'.repeat(10_000)]) {
      await expect(requireConnection(database.queries, acme, id)).rejects.toThrow(NotFound);
    }
  });
});

it('every state has a display text, and that of connected is exactly Connected', () => {
  const labels = connectionStates.map((state) => stateLabels[state]);
  expect(new Set(labels).size).toBe(connectionStates.length);
  expect(stateLabels.connected).toBe('Connected');
  for (const label of labels) expect(label).toMatch(/^[A-Z][a-z ,]+$/);
});
