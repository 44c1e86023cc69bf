import { beforeEach, expect, it } from 'vitest';
import { describeEachDatabase, type TestDatabase } from '../../../test/support/database/databases.ts';
import { hostEnvironment } from '../../../test/support/database/host-environment.ts';
import { openTestKeyring } from '../../../test/support/http/http-server.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { connectTracker } from '../../../test/support/webhooks/connected-tracker.ts';
import { repositoryClone } from '../../features/repositories/tasks.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { newId, type OrganizationId, type RepositoryId } from '../../foundation/kernel/ids.ts';

describeEachDatabase('the audit log of commands on the host', (open) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await open();
  });

  async function run(...words: readonly string[]): Promise<void> {
    const { code, stderr } = await runCli(words, { env: hostEnvironment(database) });
    expect({ code, stderr }, words.join(' ')).toMatchObject({ code: 0 });
  }

  async function audited() {
    const rows = await database.queries.selectFrom('audit_events').selectAll().orderBy('id').execute();
    return rows.map(({ actor, action, organization_id: organization, target, details }) => ({
      actor,
      action,
      organization,
      target,
      details: JSON.parse(details) as unknown,
    }));
  }

  async function deadJob(organizationId: OrganizationId): Promise<string> {
    const payload = { organizationId, repositoryId: newId<RepositoryId>() };
    const id = await database.transaction((tx) => enqueue(tx, repositoryClone, payload));
    await database.queries.updateTable('jobs').set({ state: 'dead' }).where('id', '=', id).execute();
    return id;
  }

  it('names the retried and the discarded jobs, for the organization that they belong to', async () => {
    const [acme, globex] = [newId<OrganizationId>(), newId<OrganizationId>()];
    const [first, second] = [await deadJob(acme), await deadJob(globex)];
    await run('jobs', 'retry', first);
    await run('jobs', 'retry', '--all');
    await run('jobs', 'discard', first);
    await deadJob(globex);
    await run('jobs', 'discard', '--all', '--yes');
    const event = { actor: 'host', target: null };
    const task = 'repository-clone';
    const events = await audited();
    expect(events).toEqual([
      { ...event, action: 'jobs.retried', organization: acme, details: { task, jobs: [first] } },
      { ...event, action: 'jobs.retried', organization: globex, details: { task, jobs: [second] } },
      { ...event, action: 'jobs.discarded', organization: acme, details: { task, jobs: [first] } },
      {
        ...event,
        action: 'jobs.discarded',
        organization: globex,
        details: { task, jobs: [expect.any(String)] },
      },
    ]);
  });

  it('names the replayed deliveries, for the organization of their connection', async () => {
    const keyring = await openTestKeyring(database);
    const connection = await connectTracker(database, keyring, { secret: 'good' });
    const id = newId();
    await database.queries
      .insertInto('deliveries')
      .values({
        id,
        source: 'tracker',
        connection_id: connection,
        delivery_key: 'k',
        outcome: 'accepted',
        reason: null,
        event: 'Issue',
        entities: '[]',
        body_hash: 'h',
        body_bytes: 1,
        received_at: Date.now(),
        replayed_at: null,
      })
      .execute();
    const { organization_id: organization } = await database.queries
      .selectFrom('connections')
      .select('organization_id')
      .executeTakeFirstOrThrow();
    await database.queries.deleteFrom('audit_events').execute();
    await run('deliveries', 'replay', id);
    await run('deliveries', 'replay', '--since', '1h', '--connection', connection);
    const event = { actor: 'host', action: 'deliveries.replayed', organization, target: connection };
    const replayed = { ...event, details: { deliveries: [id] } };
    expect(await audited()).toEqual([replayed, replayed]);
  });

  it('records a rotation of the secrets', async () => {
    await run('secrets', 'rotate');
    const details = { rotated: 0, remaining: 0, keyId: expect.any(String) };
    expect(await audited()).toEqual([
      { actor: 'host', action: 'secrets.rotated', organization: null, target: null, details },
    ]);
  });
});
