import { expect, it } from 'vitest';
import { toy } from '../../../../test/standins/toy-connector.ts';
import { describeEachDatabase } from '../../../../test/support/database/databases.ts';
import { openTestKeyring } from '../../../../test/support/http/http-server.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId, MirrorTargetId } from '../../../foundation/kernel/ids.ts';
import { ensureOrganization } from '../../identity/people/organization-store.ts';
import { toConnectionRecord } from '../connections/connection-record.ts';
import { createConnection } from '../connections/create-connection.ts';
import { showConnections } from '../connections/show-connections.ts';
import type { ConnectionPayload } from '../port.ts';
import { syncLane, syncPriority } from '../sync/tasks.ts';

const now = Date.parse('2026-11-21T12:00:00Z');
const clock = () => now;
const deployment = { connectors: [toy], providerSettings: {}, baseUrl: 'http://127.0.0.1:3000' };
const { payload } = toy.tasks.config;
const edit = defineTask<ConnectionPayload>({
  name: 'edit',
  payload,
  lane: syncLane,
  priority: syncPriority.edit,
});
const sweep = defineTask<ConnectionPayload>({
  name: 'sweep',
  payload,
  lane: syncLane,
  priority: syncPriority.backfill,
});

describeEachDatabase('the record of a connection', (open) => {
  it('has its own counts, errors and progress, newest errors first', async () => {
    const database = await open();
    const { queries } = database;
    const scope = {
      organizationId: (await ensureOrganization(queries, { slug: 'acme' }, clock)).id,
      orgSlug: 'acme',
    };
    const deps = { database, clock, ...deployment, keyring: await openTestKeyring(database) };
    const busy = await createConnection(deps, scope, { kind: 'toy', name: 'busy' });
    const idle = await createConnection(deps, scope, { kind: 'toy', name: 'idle' });
    const jobs = async (task: typeof edit, id: ConnectionId, more: object = { attempts: 0 }) => {
      const jobId = await enqueue(queries, task, { connectionId: id }, { runAt: now });
      await queries.updateTable('jobs').set(more).where('id', '=', jobId).execute();
    };
    await jobs(edit, busy);
    await jobs(edit, busy, { last_error: 'The provider did not answer.', run_at: now + 5_000 });
    await jobs(edit, busy, { state: 'dead', last_error: 'The record is broken.', run_at: now - 5_000 });
    await jobs(sweep, busy);
    await jobs(toy.tasks.config, busy, { state: 'dead', last_error: 'Older.', run_at: now - 9_000 });
    const error = {
      code: 'git_refused',
      message: 'The branch is protected.',
      permanent: true,
      at: now,
      failures: 1,
      retryAt: now + 60_000,
    };
    const targetId = '01980f3e-5f2c-7c3a-9d53-0c2b7b6a9f10' as MirrorTargetId;
    await queries
      .insertInto('mirror_targets')
      .values({
        id: targetId,
        organization_id: scope.organizationId,
        githost_connection_id: null,
        source: 'https://git.example/a/b.git',
        repository: 'git.example/a/b',
        branch: 'main',
        head: null,
        committed_at: null,
        error: JSON.stringify(error),
        created_at: now,
      })
      .execute();
    const binding = {
      githost_connection_id: idle,
      host_repository_id: '1',
      repository: 'a/b',
      branch: 'main',
      scope: '{}',
      target_id: targetId,
    };
    await queries.updateTable('connections').set(binding).where('id', '=', busy).execute();
    const work = { mode: 'sweep', families: 'abcdefgh'.split(''), total: 10, startedAt: now, readings: {} };
    const state = JSON.stringify({ places: [], readUpTo: {}, work });
    await queries
      .insertInto('sync_checkpoints')
      .values({ connection_id: busy, family: 'content', state })
      .execute();
    const entity = { parent_kind: null, parent_id: null, wanted_path: null, hash: null, updated_at: null };
    const rest = { facts: null, links: null, record: null, list: null, item: null, seen_at: now };
    await queries
      .insertInto('entities')
      .values([
        { connection_id: busy, kind: 'brick', id: '1', path: 'toy/1.md', ...entity, ...rest },
        { connection_id: busy, kind: 'note', id: '2', path: null, ...entity, ...rest },
        { connection_id: busy, kind: 'brick', id: '3', path: 'toy/3.md', ...entity, ...rest },
        { connection_id: busy, kind: 'brick', id: '4', path: 'toy/4.md', ...entity, ...rest },
      ])
      .execute();
    const file = { target_id: targetId, connection_id: busy, blob: 'a'.repeat(40) };
    await queries
      .insertInto('mirror_files')
      .values([
        { ...file, path: 'toy/1.md', state: 'present' },
        { ...file, path: 'toy/3.md', state: 'lost' },
        { ...file, path: 'toy/5.md', state: 'present' },
      ])
      .execute();
    await queries
      .insertInto('mirror_changes')
      .values({
        target_id: targetId,
        path: 'toy/1.md',
        revision: 'r',
        content: null,
        bytes: 0,
        connection_id: busy,
        origin: 'brick 1',
        backfill: 0,
        created_at: now,
      })
      .execute();

    const shown = async () => {
      const { items } = await showConnections(deps, scope, {});
      // Ids of the same millisecond have no order.
      return items.map(toConnectionRecord).toSorted((a, b) => a.name.localeCompare(b.name));
    };
    expect(await shown()).toMatchObject([
      {
        name: 'busy',
        progress: { phase: 'full', done: 2, total: 10 },
        counts: { mirrored: 1, pending: 4, failed: 1 },
        errors: [
          { code: 'job_retried', message: 'The provider did not answer.', at: '2026-11-21T12:00:05.000Z' },
          {
            code: 'git_refused',
            message: 'The branch is protected.',
            retryAt: '2026-11-21T12:01:00.000Z',
          },
          { code: 'job_failed', message: 'The record is broken.', retryAt: null },
          { code: 'job_failed', message: 'Older.' },
        ],
      },
      { name: 'idle', progress: null, counts: { mirrored: 0, pending: 0, failed: 0 }, errors: [] },
    ]);
    for (let n = 0; n < 25; n += 1)
      await jobs(edit, idle, { state: 'dead', last_error: `error ${n}`, run_at: n });
    const later = (await shown())[1];
    expect(later).toMatchObject({ counts: { failed: 25 } });
    expect(later?.errors.map(({ message }) => message)).toEqual(
      Array.from({ length: 20 }, (_, n) => `error ${24 - n}`),
    );
  });
});
