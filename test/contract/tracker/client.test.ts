import { afterEach, describe, expect, it } from 'vitest';
import { ProviderError } from '../../../src/features/connectors/sync/provider-error.ts';
import { createRateBudget } from '../../../src/features/connectors/tracker/client/send-query.ts';
import { issue as issueKind } from '../../../src/features/connectors/tracker/kinds/issue.ts';
import { families } from '../../../src/features/connectors/tracker/kinds/kinds.ts';
import { project as projectKind } from '../../../src/features/connectors/tracker/kinds/project.ts';
import { listScopeOptions } from '../../../src/features/connectors/tracker/oauth/tracker-setup.ts';
import { RateLimited, Unavailable } from '../../../src/foundation/kernel/errors.ts';
import type { Row } from '../../standins/tracker/model.ts';
import { type OpenedTracker, openTracker } from '../../support/tracker/opened-tracker.ts';

let opened: OpenedTracker | undefined;

async function start(): Promise<OpenedTracker> {
  opened = await openTracker();
  return opened;
}

afterEach(async () => {
  const strays = opened?.tracker.strays();
  await opened?.[Symbol.asyncDispose]();
  opened = undefined;
  expect(strays ?? []).toEqual([]);
});

/** Adds one entity of each family, with everything that it can refer to. */
function addEach({ tracker: { workspace } }: OpenedTracker) {
  const team = workspace.add('Team', { key: 'ENG' });
  const label = workspace.add('IssueLabel', { name: 'Bug', teamId: team.id });
  const project = workspace.add('Project', {
    teamIds: [team.id],
    memberIds: [workspace.viewer.id],
    leadId: workspace.viewer.id,
  });
  const initiative = workspace.add('Initiative', { projectIds: [project.id] });
  const cycle = workspace.add('Cycle', { teamId: team.id });
  const references = { projectId: project.id, cycleId: cycle.id, assigneeId: workspace.viewer.id };
  const issue = workspace.add('Issue', { teamId: team.id, labelIds: [label.id], ...references });
  const other = workspace.add('Issue', { teamId: team.id, parentId: issue.id });
  workspace.add('IssueRelation', { issueId: issue.id, relatedIssueId: other.id });
  workspace.add('EntityExternalLink', { projectId: project.id });
  const comment = workspace.add('Comment', { issueId: issue.id, userId: workspace.viewer.id });
  const customer = workspace.add('Customer');
  const document = workspace.add('Document', { projectId: project.id });
  return {
    issue,
    comment,
    document,
    project,
    'project-update': workspace.add('ProjectUpdate', { projectId: project.id }),
    initiative,
    'initiative-update': workspace.add('InitiativeUpdate', { initiativeId: initiative.id }),
    cycle,
    'issue-label': label,
    user: workspace.viewer,
    customer,
    'customer-need': workspace.add('CustomerNeed', { issueId: issue.id, customerId: customer.id }),
    attachment: workspace.add('Attachment', { issueId: issue.id }),
    team,
  };
}

describe('an entity of every family', () => {
  it('is listed, found by its id and fetched in a batch', async () => {
    const { client, ...rest } = await start();
    const rows: Readonly<Record<string, Row>> = addEach({ client, ...rest });
    for (const family of families) {
      const id = rows[family.name]?.id ?? '';
      const page = await client.list(family, {});
      const listed = page.items.find((item) => item.id === id);
      expect([family.name, listed?.id]).toEqual([family.name, id]);
      expect(await client.find(family, id)).toMatchObject(listed ?? {});
      expect(await client.findMany(family, [id, 'none'])).toEqual([listed]);
    }
  });

  it('has what its file needs', async () => {
    const { client, ...rest } = await start();
    const rows = addEach({ client, ...rest });
    expect(await client.find(issueKind, rows.issue.id)).toMatchObject({
      identifier: 'ENG-1',
      state: { name: 'Todo', type: 'unstarted' },
      team: { key: 'ENG' },
      project: { id: rows.project.id },
      cycle: { number: 1 },
      assignee: { name: 'Ada Lovelace' },
      labels: [{ name: 'Bug' }],
      relations: [{ type: 'blocks', relatedIssue: { identifier: 'ENG-2' } }],
      attachments: [{ id: rows.attachment.id }],
      needs: [{ customer: { id: rows.customer.id } }],
      parent: undefined,
    });
    expect(await client.find(projectKind, rows.project.id)).toMatchObject({
      teams: [{ key: 'ENG' }],
      initiatives: [{ id: rows.initiative.id }],
      externalLinks: [{ label: 'Link 1' }],
    });
  });

  it('is not found after its deletion, under an unknown id and in a team that the account does not see', async () => {
    const { client, tracker } = await start();
    const team = tracker.workspace.add('Team');
    const issue = tracker.workspace.add('Issue', { teamId: team.id });
    expect(await client.find(issueKind, '00000000-0000-4000-8000-000000000000')).toBeUndefined();
    tracker.workspace.hiddenTeams.add(team.id);
    expect(await client.find(issueKind, issue.id)).toBeUndefined();
    tracker.workspace.hiddenTeams.clear();
    tracker.workspace.purge(issue);
    expect(await client.find(issueKind, issue.id)).toBeUndefined();
    expect(await client.findMany(issueKind, [issue.id])).toEqual([]);
  });

  it('is listed while archived or in the trash', async () => {
    const { client, tracker } = await start();
    const team = tracker.workspace.add('Team');
    const [archived, trashed] = [1, 2].map(() => tracker.workspace.add('Issue', { teamId: team.id }));
    if (archived === undefined || trashed === undefined) throw new Error('expected two issues');
    tracker.workspace.archive(archived);
    tracker.workspace.trash(trashed);
    const { items } = await client.list(issueKind, {});
    expect(new Map(items.map(({ id, trashed: isTrashed }) => [id, isTrashed]))).toEqual(
      new Map([
        [archived.id, undefined],
        [trashed.id, true],
      ]),
    );
  });
});

describe('pages', () => {
  async function readAll({ client }: OpenedTracker, between: () => void = () => {}): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.list(issueKind, { cursor });
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
      between();
    } while (cursor !== undefined);
    return ids;
  }

  it('return everything once, although all entities have the same time of update', async () => {
    const all = await start();
    const { workspace } = all.tracker;
    workspace.freeze(Date.parse('2026-01-01T00:00:00.000Z'));
    const team = workspace.add('Team');
    const issues = Array.from({ length: 120 }, () => workspace.add('Issue', { teamId: team.id }));
    const ids = await readAll(all);
    expect(ids).toHaveLength(120);
    expect(new Set(ids)).toEqual(new Set(issues.map(({ id }) => id)));
  });

  it('miss nothing that existed before, although entities move to the front meanwhile', async () => {
    const all = await start();
    const { workspace } = all.tracker;
    const team = workspace.add('Team');
    const issues = Array.from({ length: 120 }, (_, n) =>
      workspace.add('Issue', { teamId: team.id, updatedAt: new Date(n).toISOString() }),
    );
    let at = 0;
    const ids = await readAll(all, () => {
      const moved = issues[(at += 7)];
      if (moved !== undefined && at < 30) workspace.update(moved, { title: 'moved' });
    });
    const seen = new Set(ids);
    const { items } = await all.client.list(issueKind, { filter: { title: { eq: 'moved' } } });
    for (const { id } of items) seen.add(id);
    expect(seen.size).toBe(120);
  });

  it('name the reason if their cursor is refused, so that the list is read again', async () => {
    const { client, tracker } = await start();
    const team = tracker.workspace.add('Team');
    const issues = Array.from({ length: 51 }, () => tracker.workspace.add('Issue', { teamId: team.id }));
    const { nextCursor } = await client.list(issueKind, {});
    const last = issues.find(({ id }) => id === nextCursor);
    if (last === undefined) throw new Error('expected a cursor');
    tracker.workspace.purge(last);
    const refused = client.list(issueKind, { cursor: nextCursor });
    await expect(refused).rejects.toMatchObject({ reason: 'cursor_refused' });
  });

  it('contain only entities of their filter', async () => {
    const { client, tracker } = await start();
    const [eng, ops] = ['ENG', 'OPS'].map((key) => tracker.workspace.add('Team', { key }));
    const old = tracker.workspace.add('Issue', { teamId: eng?.id, updatedAt: '2025-01-01T00:00:00.000Z' });
    const recent = tracker.workspace.add('Issue', { teamId: eng?.id });
    tracker.workspace.add('Issue', { teamId: ops?.id });
    const filter = { team: { key: { in: ['ENG'] } }, updatedAt: { gte: '2025-06-01T00:00:00Z' } };
    expect((await client.list(issueKind, { filter })).items.map(({ id }) => id)).toEqual([recent.id]);
    const all = await client.list(issueKind, { filter: { team: { key: { eq: 'ENG' } } } });
    expect(new Set(all.items.map(({ id }) => id))).toEqual(new Set([old.id, recent.id]));
  });

  it('are read in parts if their entities are too long for one response', async () => {
    const { client, tracker } = await start();
    const team = tracker.workspace.add('Team');
    const description = 'a'.repeat(1024 ** 2);
    for (let n = 0; n < 20; n += 1) tracker.workspace.add('Issue', { teamId: team.id, description });
    const first = await client.list(issueKind, {});
    expect(first.items).toHaveLength(10);
    const second = await client.list(issueKind, { cursor: first.nextCursor });
    const ids = [...first.items, ...second.items].map(({ id }) => id);
    expect(new Set(ids).size).toBe(20);
  });

  it('contain the whole lists of their entities', async () => {
    const { client, tracker } = await start();
    const { workspace } = tracker;
    const team = workspace.add('Team');
    const labelIds = Array.from({ length: 90 }, () => workspace.add('IssueLabel').id);
    const issue = workspace.add('Issue', { teamId: team.id, labelIds });
    const [listed] = (await client.list(issueKind, {})).items;
    expect(new Set(listed?.labels.map(({ id }) => id))).toEqual(new Set(labelIds));
    const found = await client.find(issueKind, issue.id);
    expect(found?.labels).toHaveLength(labelIds.length);
  });
});

describe('a part that is missing in the data', () => {
  it('sets the entity apart, which must not be rendered without it', async () => {
    const { client, tracker } = await start();
    const team = tracker.workspace.add('Team');
    const [whole, broken] = [1, 2].map(() =>
      tracker.workspace.add('Issue', { teamId: team.id, assigneeId: tracker.workspace.viewer.id }),
    );
    tracker.graphql.missingFields.push({ type: 'Issue', field: 'assignee', id: broken?.id ?? '' });
    const page = await client.list(issueKind, {});
    expect(page.items.map(({ id }) => id)).toEqual([whole?.id]);
    expect(page.incomplete).toEqual([broken?.id]);
    await expect(client.find(issueKind, broken?.id ?? '')).rejects.toThrow(Unavailable);
  });

  it('does not look like a deleted entity if it is not found itself', async () => {
    const { client, tracker } = await start();
    const team = tracker.workspace.add('Team');
    const issue = tracker.workspace.add('Issue', { teamId: team.id });
    const message = 'Entity not found: Cycle';
    const entity = { id: issue.id, cycle: null };
    tracker.failures.push({
      times: 1,
      reply: { status: 200, body: { data: { entity }, errors: [{ message, path: ['entity', 'cycle'] }] } },
    });
    await expect(client.find(issueKind, issue.id)).rejects.toThrow(Unavailable);
  });
});

describe('limits of the provider', () => {
  it.each([
    [400, false],
    [429, false],
    [200, false],
    [400, true],
    [200, true],
  ] as const)('are recognized with status %s (without a code: %s)', async (refusalStatus, withoutCode) => {
    const { open, tracker } = await start();
    Object.assign(tracker.graphql.limits, { requests: 1, refusalStatus, withoutCode });
    await open().viewer();
    // Another process has not seen the headers.
    const error = await open()
      .viewer()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimited);
    expect((error as RateLimited).retryAfter).toBeGreaterThan(3_500);
    expect((error as RateLimited).retryAfter).toBeLessThanOrEqual(3_600);
  });

  it('give the time to wait by their reset, too', async () => {
    const { open, tracker } = await start();
    Object.assign(tracker.graphql.limits, { requests: 2, withoutRetryAfter: true });
    await open().viewer();
    await open().viewer();
    const error = await open()
      .viewer()
      .catch((thrown: unknown) => thrown);
    expect((error as RateLimited).retryAfter).toBeGreaterThan(3_500);
  });

  it('are kept without asking once they are known, and the wait is as long as the refill takes', async () => {
    const { client, tracker } = await start();
    tracker.graphql.limits.requests = 60;
    for (let n = 0; n < 60; n += 1) await client.viewer();
    const error = await client.viewer().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimited);
    expect((error as RateLimited).retryAfter).toBeLessThanOrEqual(61);
    expect(tracker.graphql.queries).toHaveLength(60);
    tracker.workspace.advance(61_000);
    await client.viewer();
  });

  it('leave a reserve for edits while a backfill runs', async () => {
    const { open, tracker } = await start();
    tracker.graphql.limits.requests = 10;
    const budget = createRateBudget(tracker.workspace.now);
    const client = open({ budget });
    const bulk = open({ budget, reserve: 0.2 });
    for (let n = 0; n < 8; n += 1) await bulk.list(issueKind, {});
    await expect(bulk.list(issueKind, {})).rejects.toThrow(RateLimited);
    await client.viewer();
    await client.viewer();
    await expect(client.viewer()).rejects.toThrow(RateLimited);
  });

  it('count what a query costs', async () => {
    const { client, tracker } = await start();
    await client.list(issueKind, {});
    const cost = tracker.graphql.queries[0]?.complexity ?? 0;
    tracker.graphql.limits.complexity = Math.ceil(cost * 2.5);
    await client.list(issueKind, {});
    await expect(client.list(issueKind, {})).rejects.toThrow(RateLimited);
    expect(tracker.graphql.queries).toHaveLength(2);
    await client.viewer();
  });
});

describe('credentials', () => {
  it('are replaced once when the provider refuses them in the middle of a list', async () => {
    const { open, tracker } = await start();
    const app = tracker.addApp('https://orgctx.example/callback');
    const team = tracker.workspace.add('Team');
    for (let n = 0; n < 60; n += 1) tracker.workspace.add('Issue', { teamId: team.id });
    let token = tracker.oauth.issue(app).accessToken;
    const refused: unknown[] = [];
    const client = open({
      accessToken(old) {
        if (old !== undefined) {
          refused.push(old);
          token = tracker.oauth.issue(app).accessToken;
        }
        return Promise.resolve(token);
      },
    });
    const first = await client.list(issueKind, {});
    const former = token;
    tracker.oauth.revokeAll();
    const second = await client.list(issueKind, { cursor: first.nextCursor });
    expect(first.items.length + second.items.length).toBe(60);
    expect(refused).toEqual([former]);
  });

  it('are refused with the next step if the new ones are not accepted either', async () => {
    const { client, tracker } = await start();
    tracker.oauth.revokeAll();
    const error = await client.viewer().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ reason: 'authentication', retryable: false });
    expect((error as ProviderError).message).toContain('Authorize it again');
  });

  it('are never part of a message', async () => {
    const { open, tracker } = await start();
    const secret = 'lin_oauth_0123456789abcdef';
    const client = open({ accessToken: () => Promise.resolve(secret) });
    for (const status of [400, 403, 404, 500]) {
      tracker.failures.push({ times: 1, reply: { status, body: { errors: [{ message: 'no' }] } } });
      const error = await client.viewer().catch((thrown: unknown) => thrown);
      expect(String(error)).not.toContain(secret);
    }
  });
});

describe('a provider in trouble', () => {
  it.each([
    ['answers 502', { status: 502, body: '<html>' }],
    ['answers malformed JSON', 'malformed'],
    [
      'reports an internal error',
      {
        status: 200,
        body: { data: null, errors: [{ message: 'x', extensions: { type: 'internal error' } }] },
      },
    ],
    ['breaks the connection', 'reset'],
  ] as const)('%s: the job tries again', async (_, reply) => {
    const { client, tracker } = await start();
    tracker.failures.push({ times: 1, reply });
    const error = await client.viewer().catch((thrown: unknown) => thrown);
    expect(error instanceof Unavailable || (error as { retryable?: boolean }).retryable === true).toBe(true);
    await client.viewer();
  });

  it('does not hold up a caller that gives up', async () => {
    const { open, tracker } = await start();
    tracker.failures.push({ reply: 'silent' });
    await expect(open({ signal: AbortSignal.timeout(20) }).viewer()).rejects.toThrow(/timeout/i);
  });

  it.each([
    [403, { message: 'no access', extensions: { code: 'FORBIDDEN', type: 'forbidden' } }, 'forbidden'],
    [400, { message: 'bad', extensions: { code: 'INPUT_ERROR', type: 'invalid input' } }, 'invalid'],
  ] as const)('answers %s: a person must act', async (status, error, reason) => {
    const { client, tracker } = await start();
    tracker.failures.push({ reply: { status, body: { errors: [error] } } });
    await expect(client.viewer()).rejects.toMatchObject({ reason, retryable: false });
  });

  it('is told apart from a wrong URL', async () => {
    const { open, tracker } = await start();
    const client = open({ apiUrl: tracker.settings.TRACKER_UPLOADS_URL });
    tracker.oauth.isValid = () => true;
    await expect(client.viewer()).rejects.toBeInstanceOf(ProviderError);
  });
});

it('scope options are the teams, projects and labels whose names contain the text, page by page', async () => {
  const { client, tracker } = await start();
  const { workspace } = tracker;
  for (const name of ['Platform', 'Billing', 'Payments platform'])
    workspace.add('Team', { name, key: name.slice(0, 3) });
  workspace.add('Project', { name: 'New platform' });
  workspace.add('IssueLabel', { name: 'Other' });
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listScopeOptions(client, { query: 'platform', cursor, limit: 1 });
    found.push(...page.items.map(({ kind, name }) => `${kind} ${name}`));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(found.toSorted()).toEqual(['project New platform', 'team Payments platform', 'team Platform']);
  await expect(listScopeOptions(client, { cursor: 'x:y', limit: 1 })).rejects.toThrow(/cursor/);
});
