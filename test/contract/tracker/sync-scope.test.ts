import { describe, expect, it } from 'vitest';
import { findConnectionAcrossOrganizations } from '../../../src/features/connectors/connections/connection-state-store.ts';
import { readSyncStatus } from '../../../src/features/connectors/connections/sync-progress-store.ts';
import { trackerSyncContent } from '../../../src/features/connectors/tracker/tasks.ts';
import { LeaseLost } from '../../../src/foundation/jobs/lease/lease-lost.ts';
import { newId } from '../../../src/foundation/kernel/ids.ts';
import type { Row, Workspace } from '../../standins/tracker/model.ts';
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
    const content = synced.handlers.find(({ task }) => task === trackerSyncContent);
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
    const errorOf = async () => (await readSyncStatus(service.database.queries, synced.id)).error;
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

describe('the daily comparison', () => {
  it('finds what was deleted, moved out of sight or renamed without an event', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    tracker.webhooks.dropped = true;
    tracker.workspace.purge(example.document);
    tracker.workspace.purge(example.comment);
    tracker.workspace.update(example.bug, { name: 'Defect' }, { quiet: true });
    tracker.workspace.hiddenTeams.add(example.ops.id);
    await synced.sync({ full: true });
    const files = await synced.files();
    expect(Object.keys(files)).not.toContain('tracker/documents/cccccccccccc.md');
    expect(Object.keys(files)).not.toContain(opsFile);
    expect(files['tracker/teams.yaml']).not.toContain('OPS');
    expect(files['tracker/labels.yaml']).toContain('Defect');
    expect(files[engFile]).toContain('Defect');
    expect(files[engFile]).not.toContain('Seen twice');
  });

  it('follows a workspace that was renamed: its name, its address and all links', async () => {
    const { tracker, example, service } = opened();
    const synced = await mirrored();
    const accountOf = async () => {
      const connection = await findConnectionAcrossOrganizations(service.database.queries, synced.id);
      return connection?.account;
    };
    tracker.webhooks.dropped = true;
    tracker.workspace.rename('Umbrella');
    const description = `See ${String(example.opsIssue['url'])}`;
    tracker.workspace.update(example.issue, { description }, { quiet: true });
    await synced.sync({ full: true });
    expect(await accountOf()).toEqual({
      id: tracker.workspace.id,
      name: 'Umbrella',
      url: expect.stringMatching(/\/umbrella$/) as string,
    });
    const text = (await synced.files())[engFile];
    expect(text).toContain('/umbrella/issue/ENG-1\n');
    expect(text).toContain('](../OPS/OPS-1.md)');
  });

  it('keeps what moved while its lists were read', async () => {
    const { tracker, example } = opened();
    // Events of the new issues would have them read a second time while the comparison goes on.
    tracker.webhooks.dropped = true;
    // Newer than the example, which is on the second page then: equal times have the order of random ids.
    tracker.workspace.advance(1_000);
    for (let n = 0; n < 260; n += 1) tracker.workspace.add('Issue', { teamId: example.eng.id });
    const synced = await mirrored();
    const before = await synced.paths();
    tracker.beforeAnswer = (_call, body) => {
      if (!body.includes('page: issues(') || !body.includes('"after"')) return;
      tracker.beforeAnswer = () => {};
      tracker.workspace.update(example.opsIssue, { title: 'Moved to the first page' });
    };
    await synced.sync({ full: true });
    expect(await synced.paths()).toEqual(before);
    expect((await synced.files())[opsFile]).toContain('Moved to the first page');
  });

  it('reads the ids and times of issues, 250 in a query, and only those whole that changed', async () => {
    const { tracker, example } = opened();
    tracker.webhooks.dropped = true;
    for (let n = 0; n < 300; n += 1) {
      const issue = tracker.workspace.add('Issue', { teamId: example.eng.id });
      tracker.workspace.add('Comment', { body: 'Seen.', issueId: issue.id });
    }
    const synced = await mirrored();
    await synced.sync();
    const before = tracker.graphql.queries.length;
    await synced.sync({ full: true });
    const asked = tracker.graphql.queries.slice(before);
    const ofIssues = asked.filter(({ text }) => /page: (?:issues|comments)\(/.test(text));
    // Those of the customer's request, and of the newest comments.
    const isOfFew = (variables: unknown): boolean => JSON.stringify(variables).includes('"id":{"in"');
    const lists = ofIssues.filter(({ variables }) => !isOfFew(variables));
    for (const { text } of lists) expect(text).toContain('nodes { id updatedAt }');
    expect(lists.map(({ variables }) => variables)).toContainEqual(expect.objectContaining({ first: 250 }));
    const points = lists.reduce((sum, { complexity }) => sum + complexity, 0);
    expect(points).toBeLessThan(4 * 250 * 1.3);
    tracker.workspace.update(example.issue, { title: 'Its event was lost' });
    await synced.sync({ full: true });
    expect((await synced.files())[engFile]).toContain('Its event was lost');
  });

  it('asks no more for issues that the scope leaves out, until they change', async () => {
    const { tracker, example } = opened();
    for (let n = 0; n < 20; n += 1) tracker.workspace.add('Issue', { teamId: example.eng.id });
    tracker.workspace.advance(10 * 60_000);
    const inScope = tracker.workspace.add('Issue', { teamId: example.eng.id, labelIds: [example.bug.id] });
    tracker.webhooks.dropped = true;
    const synced = await mirrored({ scope: { teams: ['*'], labels: { include: ['Bug'] } } });
    const before = tracker.graphql.queries.length;
    await synced.sync({ full: true });
    const [left] = tracker.workspace
      .all('Issue')
      .filter(({ id }) => id !== inScope.id)
      .slice(-1);
    if (left === undefined) throw new Error('expected an issue');
    const asked = JSON.stringify(tracker.graphql.queries.slice(before));
    expect(asked).toContain('nodes { id updatedAt }');
    expect(asked).not.toContain(left.id);
    tracker.workspace.update(left, { labelIds: [example.bug.id] });
    await synced.sync({ full: true });
    expect(await synced.paths()).toContain(`tracker/issues/ENG/${String(left['identifier'])}.md`);
  });

  it('removes the documents of an issue that left the scope', async () => {
    const { tracker, example } = opened();
    const { workspace } = tracker;
    const document = workspace.add('Document', { issueId: example.issue.id });
    const path = `tracker/documents/${String(document['slugId'])}.md`;
    const synced = await mirrored({ scope: { teams: ['ENG'] } });
    expect(await synced.paths()).toContain(path);
    tracker.webhooks.dropped = true;
    workspace.move(example.issue, example.ops);
    await synced.sync({ full: true });
    expect(await synced.paths()).not.toContain(path);
    workspace.move(example.issue, example.eng);
    await synced.sync({ full: true });
    expect(await synced.paths()).toContain(path);
  });

  it('starts by itself a day after the former one', async () => {
    const { tracker, example, service } = opened();
    const synced = await mirrored();
    tracker.webhooks.dropped = true;
    tracker.workspace.purge(example.document);
    await synced.sync();
    expect(await synced.paths()).toContain('tracker/documents/cccccccccccc.md');
    const { queries } = service.database;
    const row = await queries
      .selectFrom('sync_checkpoints')
      .select('state')
      .where('connection_id', '=', synced.id)
      .executeTakeFirstOrThrow();
    const state = { ...(JSON.parse(row.state) as object), sweptAt: Date.now() - 86_400_000 };
    await queries
      .updateTable('sync_checkpoints')
      .set({ state: JSON.stringify(state) })
      .where('connection_id', '=', synced.id)
      .execute();
    await synced.sync();
    expect(await synced.paths()).not.toContain('tracker/documents/cccccccccccc.md');
  });
});

describe('the regular comparison', () => {
  it('finds edits, moves, comments and attachments whose events were lost', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored({ scope: { teams: ['ENG'] } });
    const { workspace } = tracker;
    tracker.webhooks.dropped = true;
    workspace.update(example.document, { title: 'Another plan' });
    workspace.add('Comment', { body: 'Lost comment', issueId: example.issue.id });
    workspace.add('Attachment', { title: 'Lost attachment', issueId: example.issue.id });
    workspace.move(example.opsIssue, example.eng);
    await synced.sync();
    let files = await synced.files();
    expect(files[engFile]).toMatch(/Lost attachment[^]*Lost comment/);
    expect(files['tracker/documents/cccccccccccc.md']).toContain('Another plan');
    expect(Object.keys(files)).toContain('tracker/issues/ENG/ENG-2.md');
    workspace.move(example.opsIssue, example.ops);
    await synced.sync();
    files = await synced.files();
    expect(Object.keys(files)).not.toContain('tracker/issues/ENG/ENG-2.md');
  });

  it('says on the record which changes no webhook announced: of private teams, or any', async () => {
    const { tracker, example, service } = opened();
    const { workspace } = tracker;
    const secret = workspace.add('Team', { key: 'SEC', visibility: 'private' });
    const hidden = workspace.add('Issue', { teamId: secret.id });
    const synced = await mirrored({ scope: { teams: ['*'], includePrivateTeams: true } });
    await synced.receive();
    tracker.webhooks.dropped = true;
    const change = async (issue: Row): Promise<void> => {
      workspace.advance(5 * 60_000);
      workspace.update(issue, { title: 'Changed without an event' });
      workspace.advance(3 * 60_000);
      await synced.sync();
    };
    await change(hidden);
    expect(await synced.errors()).toMatchObject([
      { code: 'private_teams_compared', message: expect.stringContaining('(SEC)') },
    ]);
    await change(example.opsIssue);
    const codes = async () => (await synced.errors()).map(({ code }) => code).toSorted();
    expect(await codes()).toEqual(['private_teams_compared', 'webhook_silent']);
    await service.database.queries
      .updateTable('connections')
      .set({ last_accepted_at: Date.now() + 1_000 })
      .where('id', '=', synced.id)
      .execute();
    await synced.sync();
    expect(await codes()).toEqual(['private_teams_compared']);
  });

  it('removes a team that the account no longer sees, and adds one that it sees again', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    expect(issuesIn(await synced.paths())).toEqual([engFile, opsFile]);
    tracker.workspace.hiddenTeams.add(example.ops.id);
    tracker.workspace.advance(60_000);
    await synced.sync();
    expect(issuesIn(await synced.paths())).toEqual([engFile]);
    tracker.workspace.hiddenTeams.delete(example.ops.id);
    tracker.workspace.advance(60_000);
    await synced.sync();
    expect(issuesIn(await synced.paths())).toEqual([engFile, opsFile]);
  });

  it('fetches nothing again that the mirror has', async () => {
    const { tracker } = opened();
    const synced = await mirrored();
    await synced.sync();
    await synced.files();
    const commits = synced.remote.history().length;
    const before = tracker.graphql.queries.length;
    await synced.sync();
    const asked = tracker.graphql.queries.slice(before).map(({ text }) => text);
    expect(asked.filter((text) => text.includes('page: issues('))).not.toEqual([]);
    await synced.files();
    expect(synced.remote.history()).toHaveLength(commits);
  });
});
