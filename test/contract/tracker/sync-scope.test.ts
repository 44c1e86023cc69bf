import { describe, expect, it } from 'vitest';
import { trackerTasks } from '../../../src/features/connectors/tracker/tasks.ts';
import { LeaseLost } from '../../../src/foundation/jobs/lease/lease-lost.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import type { Workspace } from '../../standins/tracker/model.ts';
import { readSyncError } from '../../support/connectors/sync-error.ts';
import { jobContext } from '../../support/jobs/job-context.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, mirrored } = useSyncService();

const engFile = 'tracker/issues/ENG/ENG-1.md';
const opsFile = 'tracker/issues/OPS/OPS-1.md';
/** The issues of customers' requests are read by their ids. */
const isByIds = (variables: unknown) => JSON.stringify(variables).startsWith('{"filter":{"id"');
const issuesIn = (paths: readonly string[]) => paths.filter((path) => path.startsWith('tracker/issues/'));

describe('a merged configuration', () => {
  it('that names fewer teams removes their files, without reading the others again', async () => {
    const synced = await mirrored();
    const before = opened().tracker.graphql.queries.length;
    await synced.configure({ scope: { teams: ['OPS'] } });
    await synced.sync();
    const paths = await synced.paths();
    expect(issuesIn(paths)).toEqual([opsFile]);
    expect(paths.filter((path) => /projects|cycles|documents|initiatives/.test(path))).toEqual([]);
    expect((await synced.files())['tracker/teams.yaml']).not.toContain('ENG');
    // Only customers are read, because their requests follow the scope.
    const queries = opened().tracker.graphql.queries.slice(before);
    expect(queries.filter(({ text }) => !/page: customer/.test(text)).length).toBeLessThanOrEqual(1);
  });

  it('that is taken back while it removes files leaves none of them out', async () => {
    const { tracker, example } = opened();
    // The list of recent changes does not contain it.
    tracker.workspace.add('Issue', { teamId: example.eng.id, updatedAt: '2026-01-01T00:00:00.000Z' });
    const synced = await mirrored();
    const before = await synced.paths();
    await synced.configure({ scope: { teams: ['OPS'] } });
    const content = synced.handlers.find(({ task }) => task === trackerTasks.content);
    const payload = { connectionId: synced.id, full: false };
    let steps = 0;
    const assertHeld = async () => {
      steps += 1;
      // The plan is not saved: the worker was killed after the removal.
      if (steps === 3) throw new LeaseLost();
    };
    const interrupted = content?.run([{ id: newId(), payload }], jobContext({ assertHeld }));
    await expect(interrupted).rejects.toThrow(LeaseLost);
    expect(await synced.paths()).not.toContain(engFile);
    await synced.configure({});
    await synced.sync();
    expect(await synced.paths()).toEqual(before);
  });

  it('that names another team reads only what that team adds', async () => {
    const { tracker, example } = opened();
    for (let n = 0; n < 60; n += 1) tracker.workspace.add('Issue', { teamId: example.eng.id });
    const synced = await mirrored({ scope: { teams: ['ENG'] } });
    await synced.files();
    await synced.receive();
    const before = tracker.graphql.queries.length;
    await synced.configure({ scope: { teams: ['ENG', 'OPS'] } });
    await synced.sync();
    expect(issuesIn(await synced.paths())).toHaveLength(62);
    const lists = tracker.graphql.queries
      .slice(before)
      .filter(({ text, variables }) => text.includes('page: issues(') && !isByIds(variables));
    expect(lists.map(({ variables }) => JSON.stringify(variables))).toEqual([
      expect.stringContaining(example.ops.id),
    ]);
    expect(JSON.stringify(lists)).not.toContain(example.eng.id);
    expect(synced.remote.git('diff', '--name-only', 'main~1', 'main').trim().split('\n')).toEqual([
      opsFile,
      'tracker/teams.yaml',
    ]);
  });

  it('that names an unknown team mirrors the others, and says so on the connection', async () => {
    const { service, example, tracker } = opened();
    const errorOf = async () => await readSyncError(service.database.queries, synced.id);
    const synced = await mirrored({ scope: { teams: ['ENG', 'OSP'] } });
    expect(issuesIn(await synced.paths())).toEqual([engFile]);
    expect(await errorOf()).toMatchObject({
      code: 'scope_unknown',
      message: expect.stringContaining('no team OSP'),
    });
    tracker.workspace.update(example.issue, { title: 'An edit does not hide it' });
    await synced.receive();
    expect(await errorOf()).toMatchObject({ code: 'scope_unknown' });
    await synced.configure({ scope: { teams: ['ENG', 'OPS'] } });
    await synced.sync();
    expect(await errorOf()).toBeUndefined();
  });

  it('that turns families off removes their files, and comments from the others', async () => {
    const synced = await mirrored();
    await synced.configure({ content: { documents: false, cycles: false, comments: false, users: false } });
    await synced.sync();
    const files = await synced.files();
    expect(Object.keys(files).filter((path) => /documents|cycles|users/.test(path))).toEqual([]);
    expect(files[engFile]).not.toContain('Seen twice');
    await synced.configure({});
    await synced.sync();
    expect((await synced.files())[engFile]).toContain('Seen twice');
    expect(await synced.paths()).toContain('tracker/documents/cccccccccccc.md');
  });

  it('limits customers to those with a request that is in scope', async () => {
    const { tracker, example } = opened();
    const [other] = [
      tracker.workspace.add('Customer', { slugId: 'eeeeeeeeeeee' }),
      tracker.workspace.add('Customer'),
    ];
    tracker.workspace.add('CustomerNeed', {
      content: 'More disk',
      issueId: example.opsIssue.id,
      customerId: other.id,
    });
    const content = { customerRequests: true };
    const synced = await mirrored({ scope: { teams: ['ENG'] }, content });
    const customers = async () => (await synced.paths()).filter((path) => path.includes('/customers/'));
    expect(await customers()).toEqual(['tracker/customers/dddddddddddd.md']);
    await synced.configure({ scope: { teams: ['ENG', 'OPS'] }, content });
    await synced.sync();
    expect(await customers()).toEqual(
      ['dddddddddddd', 'eeeeeeeeeeee'].map((slug) => `tracker/customers/${slug}.md`),
    );
    await synced.configure({ scope: { teams: ['OPS'] }, content });
    await synced.sync();
    expect(await customers()).toEqual(['tracker/customers/eeeeeeeeeeee.md']);
  });

  it('limits issues, and admits them again', async () => {
    const synced = await mirrored();
    await synced.configure({ scope: { labels: { include: ['bug'], exclude: [] } } });
    await synced.sync();
    expect(issuesIn(await synced.paths())).toEqual([engFile]);
    await synced.configure({});
    await synced.sync();
    expect(issuesIn(await synced.paths())).toEqual([engFile, opsFile]);
  });

  it('decides whether archived entities and private teams are mirrored', async () => {
    const { tracker, example } = opened();
    tracker.workspace.archive(example.issue);
    tracker.workspace.update(example.ops, { visibility: 'private' });
    const synced = await mirrored();
    expect(issuesIn(await synced.paths())).toEqual([]);
    await synced.configure({ scope: { includeArchived: true } });
    await synced.sync();
    expect(issuesIn(await synced.paths())).toEqual([engFile]);
    await synced.configure({ scope: { includeArchived: true, includePrivateTeams: true } });
    await synced.sync();
    expect(issuesIn(await synced.paths())).toEqual([engFile, opsFile]);
  });

  it('takes effect although a run of the former one goes on', async () => {
    const { tracker, example } = opened();
    for (let n = 0; n < 60; n += 1) tracker.workspace.add('Issue', { teamId: example.eng.id });
    const synced = await mirrored({ scope: { teams: ['OPS'] } });
    await synced.configure({ scope: { teams: ['ENG'] } });
    tracker.beforeAnswer = async (_call, body) => {
      if (body.includes('page: issues(') && body.includes('"after"')) {
        tracker.beforeAnswer = () => {};
        await synced.configure({ scope: { teams: ['OPS'] } });
      }
    };
    await synced.sync();
    await synced.sync();
    expect(issuesIn(await synced.paths())).toEqual([opsFile]);
  });
});

describe('a document', () => {
  it.each<[string, (workspace: Workspace, teamId: string) => object]>([
    ['team', (_, teamId) => ({ teamId })],
    ['project', (w, teamId) => ({ projectId: w.add('Project', { teamIds: [teamId] }).id })],
    ['cycle', (w, teamId) => ({ cycleId: w.add('Cycle', { number: 70, teamId }).id })],
    [
      'initiative',
      (w, teamId) => {
        const project = w.add('Project', { teamIds: [teamId] });
        return { initiativeId: w.add('Initiative', { projectIds: [project.id] }).id };
      },
    ],
    [
      'release',
      (w, teamId) => {
        const pipelineId = w.add('ReleasePipeline', { teamIds: [teamId] }).id;
        return { releaseId: w.add('Release', { pipelineId }).id };
      },
    ],
    ['issue', (w, teamId) => ({ issueId: w.add('Issue', { teamId }).id })],
    [
      'parent document',
      (w, teamId) => {
        const top = w.add('Document', { teamId });
        return { parentDocumentId: w.add('Document', { parentDocumentId: top.id }).id };
      },
    ],
  ])('is in scope by its %s', async (_, belongingTo) => {
    const { workspace } = opened().tracker;
    const { eng, ops } = opened().example;
    workspace.add('Document', { slugId: 'eeeeeeeeeeee', ...belongingTo(workspace, eng.id) });
    workspace.add('Document', { slugId: 'ffffffffffff', ...belongingTo(workspace, ops.id) });
    const synced = await mirrored({ scope: { teams: ['ENG'] } });
    const paths = await synced.paths();
    expect(paths).toContain('tracker/documents/eeeeeeeeeeee.md');
    expect(paths).not.toContain('tracker/documents/ffffffffffff.md');
  });

  it('whose parents form a circle ends no job', async () => {
    const { workspace } = opened().tracker;
    const first = workspace.add('Document', { slugId: 'eeeeeeeeeeee' });
    const second = workspace.add('Document', { parentDocumentId: first.id });
    workspace.update(first, { parentDocumentId: second.id });
    const synced = await mirrored();
    const paths = await synced.paths();
    expect(paths).toContain('tracker/documents/cccccccccccc.md');
    expect(paths).not.toContain('tracker/documents/eeeeeeeeeeee.md');
  });
});
