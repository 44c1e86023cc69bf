import { describe, expect, it } from 'vitest';
import { findConnectionAcrossOrganizations } from '../../../src/features/connectors/connections/connection-store.ts';
import type { Row } from '../../standins/tracker/model.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, mirrored } = useSyncService();

const engFile = 'tracker/issues/ENG/ENG-1.md';
const opsFile = 'tracker/issues/OPS/OPS-1.md';
const issuesIn = (paths: readonly string[]) => paths.filter((path) => path.startsWith('tracker/issues/'));

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
