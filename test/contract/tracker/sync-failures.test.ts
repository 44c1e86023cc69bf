import { describe, expect, it } from 'vitest';
import { jobContext } from '../../support/jobs/job-context.ts';
import { useSyncService } from '../../support/tracker/use-sync-service.ts';

const { opened, connected, mirrored } = useSyncService();

const engFile = 'tracker/issues/ENG/ENG-1.md';

/** Calls `act` once, before the tracker answers the second page of issues. */
function beforeSecondPage(act: () => void): void {
  const { tracker } = opened();
  tracker.beforeAnswer = (_call, body) => {
    if (!body.includes('page: issues(') || !body.includes('"after"')) return;
    tracker.beforeAnswer = () => {};
    act();
  };
}

function addIssues(count: number): void {
  const { tracker, example } = opened();
  for (let n = 0; n < count; n += 1) tracker.workspace.add('Issue', { teamId: example.eng.id });
}

const hourMs = 3_600_000;

describe('tokens', () => {
  it('that expire between two pages are replaced, once', async () => {
    addIssues(60);
    const { tracker } = opened();
    const synced = await connected();
    beforeSecondPage(() => tracker.workspace.advance(25 * hourMs));
    await synced.sync();
    expect(tracker.oauth.counts).toEqual({ refreshed: 1, reused: 0 });
    expect((await synced.paths()).filter((path) => path.startsWith('tracker/issues/'))).toHaveLength(62);
  });

  it('that are revoked between two pages disconnect the connection, which keeps its files and ends its jobs', async () => {
    addIssues(260);
    const { tracker } = opened();
    const synced = await mirrored();
    const before = await synced.paths();
    beforeSecondPage(() => tracker.oauth.revokeAll());
    await synced.sync({ full: true });
    expect(await synced.status()).toMatchObject({
      state: 'disconnected',
      error: expect.stringContaining('authorization_lost'),
    });
    expect(await synced.waiting()).toEqual([]);
    expect(await synced.paths()).toEqual(before);
    await synced.sync();
    expect(await synced.waiting()).toEqual([]);
  });
});

describe('pages that fail once each', () => {
  it('are no attempts of one job, so that nothing is left out', async () => {
    addIssues(500);
    const { tracker, service } = opened();
    const { queries } = service.database;
    const synced = await connected();
    await synced.request();
    const failed = new Set<string>();
    tracker.beforeAnswer = (_call, body) => {
      tracker.failures.length = 0;
      const after = body.includes('page: issues(') ? /"after":"([^"]*)"/.exec(body)?.[1] : undefined;
      if (after === undefined || failed.has(after)) return;
      failed.add(after);
      tracker.failures.push({ calls: /graphql/, times: 1, reply: { status: 503, body: 'busy' } });
    };
    const attempts: number[] = [];
    for (;;) {
      // Like the queue: a failed job runs again, with its attempts counted.
      const job = await queries
        .selectFrom('jobs')
        .selectAll()
        .where('task', 'like', 'tracker-%')
        .executeTakeFirst();
      if (job === undefined) break;
      const { id, attempts: former, max_attempts: maxAttempts } = job;
      const bound = synced.handlers.find(({ task }) => task.name === job.task)!;
      await queries.updateTable('jobs').set({ state: 'running' }).where('id', '=', id).execute();
      try {
        const run = { id, payload: JSON.parse(job.payload) as unknown };
        await bound.run([run], jobContext({ attempt: former + 1, maxAttempts }));
        await queries.deleteFrom('jobs').where('id', '=', id).execute();
      } catch {
        attempts.push(former + 1);
        await queries
          .updateTable('jobs')
          .set({ state: 'ready', attempts: former + 1 })
          .where('id', '=', id)
          .execute();
      }
    }
    expect(attempts).toEqual(attempts.map(() => 1));
    expect(failed.size).toBeGreaterThan(8);
    expect((await synced.paths()).filter((path) => path.startsWith('tracker/issues/'))).toHaveLength(502);
  });
});

describe('the event that a user took their authorization back', () => {
  it('disconnects the connection if its own tokens are refused now, and no other', async () => {
    const { tracker } = opened();
    const synced = await mirrored();
    tracker.webhooks.userRevoked('client', tracker.workspace.add('User').id);
    await synced.receive();
    expect(await synced.status()).toMatchObject({ state: 'connected', error: null });
    tracker.oauth.revokeAll();
    tracker.webhooks.userRevoked('client', tracker.workspace.viewer.id);
    await synced.receive();
    expect(await synced.status()).toMatchObject({
      state: 'disconnected',
      error: expect.stringContaining('authorization_lost'),
    });
  });
});

describe('an app that was deleted at the tracker', () => {
  it('leaves an error that says what to do, and the files, until a new one is saved', async () => {
    const { tracker, service } = opened();
    const synced = await mirrored();
    const before = await synced.paths();
    tracker.failures.push({ calls: /token/, reply: { status: 401, body: { error: 'invalid_client' } } });
    tracker.workspace.advance(25 * hourMs);
    await synced.sync({ full: true });
    expect(await synced.waiting()).toEqual([]);
    expect(await synced.status()).toMatchObject({
      state: 'connected',
      syncError: expect.stringMatching(/client id and secret of the app.*register a new one/),
    });
    expect(await service.database.queries.selectFrom('jobs').select('task').execute()).toContainEqual({
      task: 'tracker-sync-config',
    });
    expect(await synced.paths()).toEqual(before);
    tracker.failures.length = 0;
    await synced.sync({ full: true });
    expect(await synced.status()).toMatchObject({ syncError: null });
  });
});

describe('the limits of the tracker', () => {
  it.each([
    [429, false],
    [400, false],
    [200, true],
  ] as const)(
    'are kept when it refuses with %s (without a code: %s): the job waits in the queue',
    async (status, withoutCode) => {
      const { tracker } = opened();
      const synced = await mirrored();
      await synced.receive();
      Object.assign(tracker.graphql.limits, { requests: 1, refusalStatus: status, withoutCode });
      tracker.workspace.update(opened().example.issue, { title: 'Limited' });
      await synced.receive();
      const [waiting, ...others] = await synced.waiting();
      expect(others).toEqual([]);
      expect(waiting).toMatchObject({ task: 'tracker-sync-incremental', state: 'ready', attempts: 0 });
      expect((waiting?.run_at ?? 0) - Date.now()).toBeGreaterThan(30_000);
      expect((await synced.files())[engFile]).not.toContain('Limited');
    },
  );

  it('that it names with 429 pause all jobs of the connection, and edits go on first', async () => {
    const { tracker, example } = opened();
    const synced = await mirrored();
    await synced.receive();
    let requests = 0;
    tracker.beforeAnswer = (call) => void (requests += Number(call.includes('graphql')));
    const refusal = { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] };
    const headers = { 'retry-after': '100' };
    tracker.failures.push({ calls: /graphql/, times: 1, reply: { status: 429, headers, body: refusal } });
    await synced.sync();
    tracker.workspace.update(example.issue, { title: 'While it waits' });
    await synced.receive();
    expect(requests).toBe(1);
    const waiting = await synced.waiting();
    expect(waiting.map(({ task }) => task).toSorted()).toEqual([
      'tracker-sync-content',
      'tracker-sync-incremental',
    ]);
    for (const { run_at } of waiting) expect(run_at - Date.now()).toBeGreaterThan(60_000);
    expect((await synced.errors()).map(({ code }) => code)).toContain('provider_limited');

    await synced.endPause();
    const ran = await synced.run();
    expect(ran[0]).toBe('tracker-sync-incremental');
    expect(ran).toContain('tracker-sync-content');
    expect(await synced.errors()).toEqual([]);
    expect((await synced.files())[engFile]).toContain('While it waits');
  });

  it('delay a query by a moment without the queue', async () => {
    const { tracker } = opened();
    const synced = await mirrored();
    await synced.receive();
    const refusal = { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED' } }] };
    tracker.failures.push({
      calls: /graphql/,
      times: 1,
      reply: { status: 400, headers: { 'retry-after': '1' }, body: refusal },
    });
    tracker.workspace.update(opened().example.issue, { title: 'A moment later' });
    await synced.receive();
    expect(await synced.waiting()).toEqual([]);
    expect((await synced.files())[engFile]).toContain('A moment later');
  });

  it('leave a part to edits while a backfill runs', async () => {
    const { tracker, example } = opened();
    tracker.graphql.limits.refills = false;
    addIssues(60);
    const synced = await connected();
    // The bucket is emptied to a tenth: less than a backfill may use, more than an edit needs.
    beforeSecondPage(() => {
      tracker.graphql.limits.requests = Math.ceil((tracker.graphql.queries.length + 1) / 0.9);
    });
    await synced.sync();
    expect((await synced.waiting()).map(({ task }) => task)).toEqual(['tracker-sync-content']);
    const said = 'Its limits are nearly used up: jobs of this connection wait until 2';
    expect(await synced.errors()).toMatchObject([
      { code: 'provider_limited', message: expect.stringContaining(said) },
    ]);
    tracker.workspace.update(example.opsIssue, { title: 'Edited meanwhile' });
    await synced.receive();
    expect(JSON.stringify(await synced.files())).toContain('Edited meanwhile');
    expect(await synced.errors()).toHaveLength(1);
    Object.assign(tracker.graphql.limits, { requests: 10 ** 6, refills: true });
    tracker.workspace.advance(hourMs);
    await synced.sync();
    expect(await synced.errors()).toEqual([]);
  });
});

describe('a failure', () => {
  it.each(['reset', 'malformed'] as const)(
    'of one answer (%s) fails the job, and the next attempt goes on',
    async (reply) => {
      const { tracker } = opened();
      addIssues(60);
      const synced = await connected();
      tracker.failures.push({ calls: /graphql/, body: /page: issues\(.*"after"/, times: 1, reply });
      await expect(synced.sync()).rejects.toThrow();
      await synced.sync();
      expect((await synced.paths()).filter((path) => path.startsWith('tracker/issues/'))).toHaveLength(62);
    },
  );

  it('that a person must fix stands on the connection until a job succeeds', async () => {
    const { tracker } = opened();
    const synced = await mirrored();
    const reply = { status: 404, body: 'no API' };
    tracker.failures.push({ calls: /graphql/, times: Number.POSITIVE_INFINITY, reply });
    await synced.sync();
    expect(await synced.waiting()).toEqual([]);
    expect(await synced.status()).toMatchObject({ syncError: expect.stringContaining('tracker_failed') });
    tracker.failures.length = 0;
    await synced.sync();
    expect(await synced.status()).toMatchObject({ syncError: null });
  });

  it('to get a part of an entity never removes it, nor what belongs to it', async () => {
    const {
      tracker,
      example: { project },
    } = opened();
    const synced = await mirrored();
    const before = await synced.paths();
    tracker.graphql.missingFields.push({ type: 'Project', field: 'lead', id: project.id });
    await synced.sync({ full: true }).catch(() => {});
    expect(await synced.paths()).toEqual(before);
  });
});

describe('a family that the tracker refuses', () => {
  const feature = {
    errors: [
      {
        message: 'Customers are not part of the plan',
        extensions: { type: 'feature not accessible', code: 'FEATURE_NOT_ACCESSIBLE' },
      },
    ],
  };

  it.each([
    ['customers', 'tracker/customers/', { status: 400, body: feature }],
    ['documents', 'tracker/documents/', { status: 403, body: 'Forbidden' }],
    ['projects', 'tracker/projects/', { status: 404, body: 'Not found' }],
    ['cycles', 'tracker/cycles/', { status: 500, body: 'Internal error' }],
  ] as const)('(%s) is left out with a note; all others are mirrored', async (field, folder, reply) => {
    const { tracker, example } = opened();
    const body = new RegExp(`page: ${field}\\(`);
    tracker.failures.push({ calls: /graphql/, body, times: Number.POSITIVE_INFINITY, reply });
    const synced = await connected();
    for (let interval = 0; interval < 2; interval += 1) {
      await synced.request();
      await synced.run({ attempt: 6 });
      expect(await synced.waiting()).toEqual([]);
    }
    const outside = (await synced.paths()).filter((path) => !path.startsWith(folder));
    expect(await synced.status()).toMatchObject({ syncError: null });
    const errors = await synced.errors();
    expect(errors.map(({ code }) => code)).toContain('family_skipped');
    expect(errors[0]?.message).toMatch(/which is left out; everything else is mirrored/);

    tracker.workspace.update(example.opsIssue, { title: 'Edited meanwhile' });
    await synced.receive();
    expect((await synced.files())['tracker/issues/OPS/OPS-1.md']).toContain('Edited meanwhile');

    tracker.failures.length = 0;
    for (let interval = 0; interval < 2; interval += 1) await synced.sync();
    expect(await synced.errors()).toEqual([]);
    const healed = await synced.files();
    expect(Object.keys(healed).length).toBeGreaterThan(outside.length);
    expect(healed).toEqual(await (await mirrored()).files());
  });

  it('(comments) is left out of all files, until it is given out again', async () => {
    const { tracker } = opened();
    const whole = await mirrored();
    const reply = { status: 403, body: 'Forbidden' };
    tracker.failures.push({ calls: /graphql/, body: /page: comments\(/, times: 1_000, reply });
    const synced = await connected();
    await synced.sync();
    expect(await synced.paths()).toEqual(await whole.paths());
    expect((await synced.files())[engFile]).not.toContain('Seen twice');
    // What is read again for its comments is no change that a webhook should have announced.
    tracker.workspace.advance(10 * 60_000);
    await synced.sync();
    expect((await synced.errors()).map(({ code }) => code)).toEqual(['family_skipped']);
    tracker.failures.length = 0;
    for (let interval = 0; interval < 2; interval += 1) await synced.sync();
    expect(await synced.errors()).toEqual([]);
    expect(await synced.files()).toEqual(await whole.files());
  });

  it.each([
    ['known from the mirror', { teams: ['ENG'] }, false],
    ['not known', { teams: ['ENG'] }, true],
    ['not known', { teams: ['*'] }, true],
  ])(
    '(projects) deletes nothing that belongs to them, even if they are %s (%j)',
    async (_, scope, isForgotten) => {
      const { tracker, example, service } = opened();
      const { workspace } = tracker;
      const synced = await mirrored({ scope });
      const before = await synced.paths();
      const body = /page: projects\(|entity: project\(/;
      const reply = { status: 403, body: 'Forbidden' };
      tracker.failures.push({ calls: /graphql/, body, times: Number.POSITIVE_INFINITY, reply });
      await synced.sync();
      if (isForgotten) {
        await service.database.queries
          .updateTable('entities')
          .set({ facts: null })
          .where('connection_id', '=', synced.id)
          .where('kind', '=', 'project')
          .execute();
      }
      workspace.update(example.update, { body: 'Edited meanwhile' });
      workspace.update(example.document, { content: 'Edited meanwhile' });
      await synced.receive();
      await synced.sync({ full: true });
      expect(await synced.waiting()).toEqual([]);
      expect((await synced.errors()).map(({ code }) => code)).toEqual(['family_skipped']);
      const files = await synced.files();
      expect(Object.keys(files).toSorted()).toEqual(before);
      const edited = Object.values(files).filter((content) => content.includes('Edited meanwhile'));
      expect(edited).toHaveLength(isForgotten ? 0 : 2);

      tracker.failures.length = 0;
      for (let interval = 0; interval < 2; interval += 1) await synced.sync();
      expect(await synced.errors()).toEqual([]);
      expect(await synced.files()).toEqual(await (await mirrored({ scope })).files());
    },
  );
});

describe('a connection that was removed', () => {
  it('ends its jobs', async () => {
    const { service } = opened();
    const synced = await mirrored();
    await service.database.queries.deleteFrom('connections').where('id', '=', synced.id).execute();
    expect(await synced.sync()).toEqual(['tracker-sync-content']);
    expect(await synced.waiting()).toEqual([]);
  });
});
