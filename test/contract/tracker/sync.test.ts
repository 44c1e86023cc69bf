import { describe, expect, it } from 'vitest';
import type { Row } from '../../standins/tracker/model.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, mirrored, connected } = useSyncService();

const engFile = 'tracker/issues/ENG/ENG-1.md';
const opsFile = 'tracker/issues/OPS/OPS-1.md';

function addIssues(count: number): readonly Row[] {
  return Array.from({ length: count }, () =>
    opened().tracker.workspace.add('Issue', { teamId: opened().example.eng.id }),
  );
}

/** The number of lists of a family that were asked for. */
const listsOf = (field: string): number =>
  opened().tracker.graphql.queries.filter(({ text }) => text.includes(`page: ${field}(`)).length;

describe('a backfill', () => {
  it('mirrors every family to the path of its format', async () => {
    const files = await (await mirrored()).files();
    expect(Object.keys(files).map((path) => path.replace(/\d{4}-\d\d-\d\d-[\da-f]{8}/, 'day-id'))).toEqual([
      'tracker/customers/dddddddddddd.md',
      'tracker/cycles/ENG/7.md',
      'tracker/documents/cccccccccccc.md',
      'tracker/initiatives/bbbbbbbbbbbb/initiative.md',
      'tracker/initiatives/bbbbbbbbbbbb/updates/day-id.md',
      engFile,
      opsFile,
      'tracker/labels.yaml',
      'tracker/projects/aaaaaaaaaaaa/project.md',
      'tracker/projects/aaaaaaaaaaaa/updates/day-id.md',
      'tracker/teams.yaml',
      'tracker/users.yaml',
    ]);
    expect(files[engFile]).toMatch(/Ranking is slow[^]*Seen twice/);
    expect(files['tracker/documents/cccccccccccc.md']).toContain('On the plan');
    expect(files['tracker/customers/dddddddddddd.md']).toContain('Faster, please');
    expect(files['tracker/labels.yaml']).toContain('Bug');
  });

  it('reads lists in pages, with one request for the comments of all issues of a page', async () => {
    addIssues(120);
    const synced = await connected();
    const before = listsOf('comments');
    const ran = await synced.sync();
    expect(ran.length).toBeGreaterThan(10);
    expect(listsOf('issues')).toBeGreaterThanOrEqual(3);
    expect(listsOf('comments') - before).toBeLessThan(12);
    expect((await synced.paths()).filter((path) => path.startsWith('tracker/issues/'))).toHaveLength(122);
    expect(await synced.status()).toMatchObject({
      syncError: null,
      last_sync_at: expect.any(Number),
    });
  });

  it('mirrors all of 2,000 comments on one issue, and those of the others', async () => {
    const { tracker, example } = opened();
    for (let n = 1; n <= 2_000; n += 1) {
      const body = `Comment number ${n}.`;
      tracker.workspace.add('Comment', {
        body,
        issueId: example.issue.id,
        userId: tracker.workspace.viewer.id,
      });
    }
    tracker.workspace.add('Comment', {
      body: 'Of the other',
      issueId: example.opsIssue.id,
      userId: tracker.workspace.viewer.id,
    });
    const files = await (await mirrored()).files();
    expect(new Set(files[engFile]?.match(/Comment number \d+\./g)).size).toBe(2_000);
    expect(files[engFile]?.match(/<!-- orgctx:comment /g)).toHaveLength(2_001);
    expect(files[opsFile]).toContain('Of the other');
    expect(listsOf('comments')).toBeLessThan(100);
  });

  it('reads what comments are written on again only if one differs from the mirror', async () => {
    const { tracker, example } = opened();
    const issue = tracker.workspace.add('Issue', { teamId: example.eng.id });
    const comment = tracker.workspace.add('Comment', { issueId: issue.id, body: 'First' });
    const synced = await mirrored();
    const { queries } = tracker.graphql;
    const readsIssue = async (): Promise<boolean> => {
      queries.length = 0;
      await synced.sync();
      return queries.some(
        ({ text, variables }) =>
          text.includes('page: issues(') && JSON.stringify(variables).includes(issue.id),
      );
    };
    expect(await readsIssue()).toBe(false);
    tracker.workspace.update(comment, { body: 'Second' });
    expect(await readsIssue()).toBe(true);
    expect(Object.values(await synced.files()).join('')).toContain('Second');
    expect(await readsIssue()).toBe(false);
  });

  it('loses nothing where many entities have the same time', async () => {
    const { tracker } = opened();
    tracker.workspace.freeze(Date.now());
    addIssues(130);
    const synced = await mirrored();
    expect((await synced.paths()).filter((path) => path.startsWith('tracker/issues/ENG'))).toHaveLength(131);
  });

  it('loses nothing that moves while pages are read', async () => {
    const { tracker } = opened();
    const issues = addIssues(130);
    const synced = await connected();
    tracker.webhooks.dropped = true;
    let pages = 0;
    tracker.beforeAnswer = (_call, body) => {
      if (!body.includes('page: issues(') || !body.includes('"after"')) return;
      pages += 1;
      // The oldest ones were not read yet, and move to the first page, which was.
      for (const issue of issues.slice(0, 3)) tracker.workspace.update(issue, { title: `Moved ${pages}` });
      const last = issues.at(60 + pages);
      if (last !== undefined) tracker.workspace.update(last, { title: `Moved ${pages}` });
    };
    await synced.sync();
    tracker.beforeAnswer = () => {};
    expect(pages).toBeGreaterThan(1);
    await synced.sync();
    const files = await synced.files();
    for (const issue of issues) {
      expect(files[`tracker/issues/ENG/${String(issue['identifier'])}.md`]).toContain(issue['title']);
    }
  });

  it('starts a list again whose cursor the provider refuses', async () => {
    const { tracker } = opened();
    addIssues(120);
    const synced = await connected();
    let refused = 0;
    tracker.beforeAnswer = (_call, body) => {
      const { variables } = JSON.parse(body) as { variables: { after?: string } };
      if (refused === 2 || variables.after === undefined || !body.includes('page: issues(')) return;
      refused += 1;
      const cursor = tracker.workspace.get('Issue', variables.after);
      if (cursor !== undefined) tracker.workspace.purge(cursor);
    };
    await synced.sync();
    expect(refused).toBe(2);
    const files = await synced.paths();
    expect(files.filter((path) => path.startsWith('tracker/issues/'))).toHaveLength(120);
  });

  it('fetches an entity alone that a page contains in part', async () => {
    const { tracker, example } = opened();
    addIssues(3);
    const synced = await connected();
    tracker.graphql.missingFields.push({ type: 'Issue', field: 'assignee', id: example.issue.id });
    tracker.beforeAnswer = (_call, body) => {
      if (body.includes('query Find')) tracker.graphql.missingFields.length = 0;
    };
    await synced.sync();
    expect((await synced.files())[engFile]).toContain('Ranking is slow');
  });
});

describe('an edit', () => {
  it('changes the file of its entity, in a commit of its own', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    await synced.files();
    const commits = synced.remote.history().length;
    tracker.workspace.update(example.issue, { title: 'Ranking is fast' });
    expect(await synced.receive()).toEqual(['tracker-sync-incremental']);
    expect((await synced.files())[engFile]).toContain('Ranking is fast');
    expect(synced.remote.history()).toHaveLength(commits + 1);
    expect(synced.remote.git('diff', '--name-only', 'main~1', 'main').trim()).toBe(engFile);
  });

  it('fetches many edited entities with few requests', async () => {
    const { tracker } = opened();
    const issues = addIssues(40);
    const synced = await mirrored();
    await synced.receive();
    const before = tracker.graphql.queries.length;
    for (const issue of issues) tracker.workspace.update(issue, { title: 'Edited' });
    expect(await synced.receive()).toEqual(['tracker-sync-incremental']);
    expect(tracker.graphql.queries.length - before).toBeLessThanOrEqual(3);
  });

  it('of a comment changes the file that contains it, also when it is deleted', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    const { workspace } = tracker;
    const { comment } = example;
    workspace.update(comment, { body: 'Seen three times' });
    await synced.receive();
    expect((await synced.files())[engFile]).toContain('Seen three times');
    workspace.purge(comment);
    await synced.receive();
    expect((await synced.files())[engFile]).not.toContain('Seen three times');
  });

  it('changes the lists of those whom files name', async () => {
    const { tracker, example } = opened();
    const { workspace } = tracker;
    const grace = workspace.add('User', { name: 'Grace Hopper' });
    const urgent = workspace.add('IssueLabel', { name: 'Urgent' });
    const synced = await mirrored();
    const lists = async () => {
      const files = await synced.files();
      return `${files['tracker/users.yaml']}${files['tracker/labels.yaml']}`;
    };
    expect(await lists()).toMatch(/Ada Lovelace[^]*Bug/);
    expect(await lists()).not.toMatch(/Grace Hopper|Urgent/);
    workspace.update(example.opsIssue, { assigneeId: grace.id, labelIds: [urgent.id] });
    await synced.receive();
    expect(await lists()).toMatch(/Grace Hopper[^]*Urgent/);
    workspace.update(example.opsIssue, { assigneeId: undefined, labelIds: [] });
    await synced.receive();
    expect(await lists()).not.toMatch(/Grace Hopper|Urgent/);
  });

  it('of a request changes the files of the customer and of the issue', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    const { opsIssue, customer } = example;
    tracker.workspace.add('CustomerNeed', {
      content: 'More disk',
      issueId: opsIssue.id,
      customerId: customer.id,
    });
    await synced.receive();
    const files = await synced.files();
    expect(files['tracker/customers/dddddddddddd.md']).toContain('More disk');
    expect(files[opsFile]).toContain('dddddddddddd');
  });

  it.each(['trash', 'purge'] as const)(
    'that is a %s deletes the file, and restoring it brings it back',
    async (how) => {
      const { tracker, example } = opened();
      const synced = await mirrored();
      tracker.workspace[how](example.opsIssue);
      await synced.receive();
      expect(await synced.paths()).not.toContain(opsFile);
      if (how === 'purge') return;
      tracker.workspace.restore(example.opsIssue);
      await synced.receive();
      expect(await synced.paths()).toContain(opsFile);
    },
  );

  it('that deletes a project deletes its updates', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    tracker.workspace.purge(example.project);
    await synced.receive();
    expect((await synced.paths()).filter((path) => path.startsWith('tracker/projects/'))).toEqual([]);
  });

  it('that moves an issue to another team moves its file in one commit', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    await synced.files();
    tracker.workspace.move(example.opsIssue, example.eng);
    await synced.receive();
    const files = await synced.files();
    expect(files['tracker/issues/ENG/ENG-2.md']).toContain('previousIdentifiers');
    expect(
      synced.remote.git('diff', '--no-renames', '--name-only', 'main~1', 'main').trim().split('\n'),
    ).toEqual(['tracker/issues/ENG/ENG-2.md', opsFile]);
  });

  it('that moves an entity out of scope removes its file, and back again', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored({ scope: { teams: ['eng'] } });
    expect(await synced.paths()).not.toContain(opsFile);
    tracker.workspace.move(example.issue, example.ops);
    await synced.receive();
    expect((await synced.paths()).filter((path) => path.startsWith('tracker/issues/'))).toEqual([]);
    tracker.workspace.move(example.issue, example.eng);
    await synced.receive();
    expect(await synced.paths()).toContain('tracker/issues/ENG/ENG-2.md');
  });

  it('reaches every connection of the workspace', async () => {
    const { tracker, example } = opened();
    const [first, second] = [await mirrored(), await mirrored({ scope: { teams: ['ENG'] } })];
    tracker.workspace.update(example.issue, { title: 'For both' });
    await first.receive();
    await second.receive();
    for (const synced of [first, second]) expect((await synced.files())[engFile]).toContain('For both');
    expect(await second.paths()).not.toContain(opsFile);
  });
});
