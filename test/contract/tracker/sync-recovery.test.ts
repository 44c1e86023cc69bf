import { describe, expect, it } from 'vitest';
import { forgetCommits } from '../../../src/features/connectors/entities/restore-files.ts';
import { connectors } from '../../../src/features/connectors/registry.ts';
import { rebuildConnection } from '../../../src/features/connectors/setup/sync-connection.ts';
import { syncPriority } from '../../../src/features/connectors/sync/tasks.ts';
import { trackerTasks } from '../../../src/features/connectors/tracker/tasks.ts';
import { enqueueAll } from '../../../src/foundation/jobs/enqueue.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createRemote } from '../../support/mirror/mirror-remote.ts';
import { targetFor } from '../../support/mirror/mirroring.ts';
import type { SyncedTracker } from '../../support/tracker/synced-tracker.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, connected, mirrored } = useSyncService();

const engFile = 'tracker/issues/ENG/ENG-1.md';
const documentFile = 'tracker/documents/cccccccccccc.md';
const forbidden = { status: 403, body: 'Forbidden' };

function refuse(body: RegExp): void {
  opened().tracker.failures.push({
    calls: /graphql/,
    body,
    times: Number.POSITIVE_INFINITY,
    reply: forbidden,
  });
}

async function rebuild({ id }: SyncedTracker): Promise<void> {
  const { database, scope } = opened().service;
  await rebuildConnection({ database, connectors, clock: systemClock }, scope, { kind: 'host' }, id);
}

const familiesOf = async (synced: SyncedTracker) =>
  (await synced.errors()).map(({ code, message }) => `${code} ${/give out (\S+?),/.exec(message)?.[1]}`);

describe('a pause that the tracker asks for', () => {
  it('leaves jobs that restore files behind edits', async () => {
    const { tracker, service, example } = opened();
    const { queries } = service.database;
    const synced = await mirrored();
    await synced.receive();
    const change = (id: string) => ({ connectionId: synced.id, kind: 'issue', id });
    const restored = [change(example.opsIssue.id)];
    await enqueueAll(queries, trackerTasks.incremental, [change(example.issue.id)]);
    await enqueueAll(queries, trackerTasks.incremental, restored, {
      priorityOf: () => syncPriority.restore,
    });
    const refusal = { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] };
    const headers = { 'retry-after': '100' };
    tracker.failures.push({ calls: /graphql/, times: 1, reply: { status: 429, headers, body: refusal } });
    await synced.run();
    const waiting = await queries.selectFrom('jobs').select(['key', 'priority']).execute();
    const priorityOf = (id: string) => waiting.find(({ key }) => key?.endsWith(id))?.priority;
    expect([priorityOf(example.issue.id), priorityOf(example.opsIssue.id)]).toEqual([
      syncPriority.edit,
      syncPriority.restore,
    ]);
  });
});

describe('a rebuild while the tracker refuses comments', () => {
  it('leaves the files that have some as they are, until they are given out again', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    const before = await synced.files();
    refuse(/page: comments\(/);
    tracker.webhooks.dropped = true;
    tracker.workspace.update(example.opsIssue, { title: 'Has no comments' });
    await rebuild(synced);
    await synced.run();
    // The changes that it lists begin a little earlier than the rebuild.
    await synced.sync();
    const rebuilt = await synced.files();
    expect(rebuilt[engFile]).toBe(before[engFile]);
    expect(rebuilt[documentFile]).toBe(before[documentFile]);
    expect(JSON.stringify(rebuilt)).toContain('Has no comments');
    expect(await familiesOf(synced)).toEqual(['family_skipped comment']);
    tracker.failures.length = 0;
    tracker.workspace.update(example.issue, { title: 'Renamed meanwhile' });
    for (let interval = 0; interval < 2; interval += 1) await synced.sync();
    expect(await synced.errors()).toEqual([]);
    expect(await synced.files()).toEqual(await (await mirrored()).files());
  });
});

describe('a refusal', () => {
  it.each([
    ['project', /page: projects\(|entity: project\(/],
    ['comment', /page: comments\(/],
  ] as const)('of a %s that an edit needs is noted on its own family', async (family, body) => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    await synced.receive();
    refuse(body);
    tracker.workspace.update(example.document, { content: 'Edited meanwhile' });
    await synced.receive();
    expect(await familiesOf(synced)).toEqual([`family_skipped ${family}`]);
    expect((await synced.files())[documentFile]).toContain('Edited meanwhile');
  });

  it('of projects that a comparison needs for documents is noted on projects', async () => {
    const synced = await connected({ content: { projects: false, projectUpdates: false } });
    refuse(/page: projects\(|entity: project\(/);
    await synced.sync();
    expect(await synced.waiting()).toEqual([]);
    expect(await familiesOf(synced)).toContain('family_skipped project');
    expect(await familiesOf(synced)).not.toContain('family_skipped document');
    opened().tracker.failures.length = 0;
    for (let interval = 0; interval < 2; interval += 1) await synced.sync({ full: true });
    expect(await synced.errors()).toEqual([]);
    expect(await synced.paths()).toContain(documentFile);
  });
});

describe('a list whose pages have the cursor that they are asked for with', () => {
  it('ends with an error on the record; all other lists are mirrored', async () => {
    const { tracker } = opened();
    const synced = await connected();
    const pageInfo = { hasNextPage: true, endCursor: 'again' };
    tracker.failures.push({
      calls: /graphql/,
      body: /page: issues\(/,
      times: Number.POSITIVE_INFINITY,
      reply: { status: 200, body: { data: { page: { nodes: [], pageInfo } } } },
    });
    await synced.sync();
    expect(await synced.waiting()).toEqual([]);
    expect(await familiesOf(synced)).toEqual(['family_skipped issue']);
    expect((await synced.errors())[0]?.message).toContain('with the cursor that the page was asked for with');
    expect(await synced.paths()).toContain(documentFile);
  });
});

describe('what belongs to a container whose scope changed', () => {
  const scope = { teams: ['ENG'] };

  it.each([[true], [false]])(
    'follows its project without an own change, and is read again (projects mirrored: %s)',
    async (projects) => {
      const { tracker, example } = opened();
      const synced = await mirrored({ scope, content: { projects, projectUpdates: projects } });
      expect(await synced.paths()).toContain(documentFile);
      tracker.webhooks.dropped = true;
      tracker.workspace.update(example.project, { teamIds: [example.ops.id] });
      await synced.sync({ full: true });
      expect(await synced.paths()).not.toContain(documentFile);
      tracker.workspace.update(example.project, { teamIds: [example.eng.id] });
      await synced.sync({ full: true });
      expect(await synced.paths()).toContain(documentFile);
    },
  );

  it('follows a release to the teams of its pipeline', async () => {
    const { tracker, example } = opened();
    const { workspace } = tracker;
    const pipeline = workspace.add('ReleasePipeline', { teamIds: [example.eng.id] });
    const release = workspace.add('Release', { pipelineId: pipeline.id });
    const document = workspace.add('Document', { releaseId: release.id });
    const path = `tracker/documents/${String(document['slugId'])}.md`;
    const synced = await mirrored({ scope });
    expect(await synced.paths()).toContain(path);
    tracker.webhooks.dropped = true;
    workspace.update(pipeline, { teamIds: [example.ops.id] });
    await synced.sync({ full: true });
    expect(await synced.paths()).not.toContain(path);
  });

  it('follows what its document belongs to, however deep it lies', async () => {
    const { tracker, example, service } = opened();
    const { workspace } = tracker;
    const other = workspace.add('Project', { teamIds: [example.ops.id] });
    const inner = workspace.add('Document', { parentDocumentId: example.document.id });
    const innermost = workspace.add('Document', { parentDocumentId: inner.id });
    const synced = await mirrored({ scope: { teams: ['ENG', 'OPS'] } });
    tracker.webhooks.dropped = true;
    workspace.update(example.document, { projectId: other.id });
    await synced.sync({ full: true });
    const rows = await service.database.queries
      .selectFrom('entities')
      .select('facts')
      .where('connection_id', '=', synced.id)
      .where('id', 'in', [example.document.id, inner.id, innermost.id])
      .execute();
    const teams = rows.map(({ facts }) => (JSON.parse(facts ?? '{}') as { teams: string[] }).teams);
    expect(teams).toEqual([[example.ops.id], [example.ops.id], [example.ops.id]]);
    await synced.configure({ scope });
    await synced.sync();
    const paths = await synced.paths();
    expect(paths.filter((path) => path.startsWith('tracker/documents/'))).toEqual([]);
  });

  it('names the present team of its issue', async () => {
    const { tracker, example } = opened();
    const document = tracker.workspace.add('Document', { issueId: example.issue.id });
    const path = `tracker/documents/${String(document['slugId'])}.md`;
    const synced = await mirrored();
    expect((await synced.files())[path]).toContain('team: ENG');
    await synced.receive();
    tracker.workspace.move(example.issue, example.ops);
    await synced.receive();
    expect((await synced.files())[path]).toContain('team: OPS');
  });
});

describe('a step of a comparison that runs while the connection moves to another repository', () => {
  it('saves nothing of what it read', async () => {
    const { tracker, service } = opened();
    const { queries } = service.database;
    const synced = await mirrored();
    const checkpoints = () =>
      queries.selectFrom('sync_checkpoints').select('state').where('connection_id', '=', synced.id).execute();
    expect(await checkpoints()).toHaveLength(1);
    const elsewhere = await targetFor(service.database, service.scope, createRemote().folder);
    let isMoved = false;
    tracker.beforeAnswer = async (_call, body) => {
      if (isMoved || !body.includes('page: issues(')) return;
      isMoved = true;
      await queries
        .updateTable('connections')
        .set({ target_id: elsewhere.id, live_config: null })
        .where('id', '=', synced.id)
        .execute();
      await forgetCommits(queries, synced.id);
    };
    await synced.sync({ full: true });
    expect(isMoved).toBe(true);
    expect(await checkpoints()).toEqual([]);
    expect(
      await queries
        .selectFrom('mirror_changes')
        .select('path')
        .where('target_id', '=', elsewhere.id)
        .execute(),
    ).toEqual([]);
  });
});
