import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connectorJobsDeps } from '../../../src/features/connectors/setup/synced-connection.ts';
import { removeHook } from '../../../src/features/githosts/remove-hook.ts';
import { githostUnhook } from '../../../src/features/githosts/tasks.ts';
import type { ConnectionId } from '../../../src/foundation/kernel/ids.ts';
import type { HostedRepository } from '../../standins/githost/githost.ts';
import { toy } from '../../standins/toy-connector.ts';
import { type ConnectorSetupTest, openConnectorSetup } from '../../support/connectors/connector-setup.ts';
import { setupSteps } from '../../support/connectors/setup-steps.ts';
import { jobContext } from '../../support/jobs/job-context.ts';
import { addCommit } from '../../support/mirror/context-writer.ts';

let test: ConnectorSetupTest;
const { authorized, bindingOf, fileOn, good, headBranch, proposed, statusOf, tasks } = setupSteps(() => test);

describe('the setup of a connection', () => {
  beforeEach(async () => {
    test = await openConnectorSetup();
  });
  afterEach(() => test[Symbol.asyncDispose]());

  it('goes from a draft to Connected by authorization, binding, pull request and merge', async () => {
    const created = await test.rest('POST', '/connections', { kind: 'toy' });
    const id = created.body['id'] as string;
    expect(created.body).toMatchObject({ state: 'draft', appConfigured: true });
    const { body } = await test.rest('POST', `/connections/${id}/authorize`);
    const url = new URL(body['authorizationUrl'] as string);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      scope: 'read',
      response_type: 'code',
      client_id: 'toy-client',
      redirect_uri: created.body['redirectUri'],
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    await test.browse(url.href);
    expect(await statusOf(id)).toMatchObject({
      state: 'authorized',
      account: { id: 'box-1', name: 'Box One' },
    });
    const options = await test.rest('GET', `/connections/${id}/scope-options?q=re`);
    expect(options.body['items']).toEqual([
      { id: 'id-red', kind: 'box', name: 'red', key: 'red' },
      { id: 'id-green', kind: 'box', name: 'green', key: 'green' },
    ]);
    const bound = await test.rest('PUT', `/connections/${id}/binding`, bindingOf());
    expect([bound.status, bound.body]).toMatchObject([
      200,
      {
        state: 'authorized',
        binding: { repository: 'octo-org/context', branch: 'main', scope: { boxes: ['red'], broken: false } },
      },
    ]);
    const pull = await test.rest('POST', `/connections/${id}/pull-request`);
    expect([pull.status, pull.body]).toEqual([
      200,
      { url: expect.stringContaining('/pulls/1'), number: 1, state: 'open', branch: headBranch(id) },
    ]);
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({
      state: 'awaiting_merge',
      error: null,
      pullRequest: pull.body,
    });
    expect(fileOn('main')).toBeUndefined();
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    expect(await test.runJobs()).toEqual(['toy-sync-config']);
    expect(await statusOf(id)).toMatchObject({
      state: 'connected',
      stateLabel: 'Connected',
      error: null,
      pullRequest: { state: 'merged' },
      binding: { scope: { boxes: ['red'], broken: false } },
    });
    // The connector knows what a configuration adds; `full` would read everything again.
    const ofSync = test.database.queries.selectFrom('jobs').where('task', '=', 'toy-sync-content');
    const payloads = await ofSync.select('payload').execute();
    expect(payloads.map(({ payload }) => JSON.parse(payload))).toEqual([{ connectionId: id, full: false }]);
    expect(test.githost.strays).toEqual([]);
  });

  it('keeps its merged pull request when a retry finds nothing to propose', async () => {
    const id = await proposed();
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    const { pullRequest: merged } = await statusOf(id);
    const retried = await test.rest('POST', `/connections/${id}/pull-request`);
    expect([retried.status, retried.body]).toEqual([200, merged]);
    expect(retried.body).toMatchObject({ url: expect.stringContaining('/pulls/1'), state: 'merged' });
    expect((await statusOf(id))['pullRequest']).toEqual(merged);
  });

  it('reports pushes to the address with the id of the connection, signed with a secret of its own', async () => {
    const id = await proposed();
    const hook = test.repository.hooks.find(({ url }) => url.endsWith(`/api/v1/webhook/githost/${id}`));
    expect(hook?.secret).toMatch(/^[\w-]{43}$/);
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    const sent = test.githost.hooks.deliveries.filter(({ url }) => url === hook?.url);
    expect([...new Set(sent.map(({ status }) => status))]).toEqual([200]);
    const body = sent[0]?.body.toString() ?? '';
    const forged = await fetch(hook?.url ?? '', {
      method: 'POST',
      body,
      headers: { 'x-gitea-event': 'push' },
    });
    expect(forged.status).toBe(401);
  });

  it.each([
    ['merge', true],
    ['squash', false],
    ['rebase', true],
  ] as const)('is Connected after a %s with its webhook lost: %s', async (method, lost) => {
    const id = await proposed();
    test.githost.hooks.dropped = lost;
    test.githost.merge(test.repository, 1, { method, deleteBranch: method === 'squash' });
    await test.githost.hooks.settled();
    if (lost) {
      expect(await test.runJobs()).toEqual([]);
      expect(await statusOf(id)).toMatchObject({ state: 'awaiting_merge' });
      test.advance(30_000);
      await test.poll();
    } else await test.runJobs();
    expect(await statusOf(id)).toMatchObject({ state: 'connected', pullRequest: { state: 'merged' } });
  });

  it('leaves no webhook at a repository from which the connection moves', async () => {
    const id = await proposed();
    const other = test.githost.addRepository('octo-org/other', { files: { 'a.txt': 'a' } });
    other.access.set('bot', 'admin');
    const binding = { ...bindingOf(), repository: 'octo-org/other' };
    expect((await test.rest('PUT', `/connections/${id}/binding`, binding)).status).toBe(200);
    const { payload } = await test.database.queries
      .selectFrom('jobs')
      .select('payload')
      .where('task', '=', githostUnhook.name)
      .executeTakeFirstOrThrow();
    await removeHook(test.setup, githostUnhook.payload.parse(JSON.parse(payload)), jobContext());
    const hooksOf = ({ hooks }: HostedRepository) => hooks.filter(({ url }) => url.endsWith(id)).length;
    expect([hooksOf(test.repository), hooksOf(other)]).toEqual([0, 1]);
  });

  it('keeps its Git host until its webhook is removed there', async () => {
    const id = await proposed();
    expect((await test.rest('DELETE', `/connections/${id}`)).status).toBe(204);
    await test.database.queries.deleteFrom('repositories').execute();
    const removeHost = () => test.rest('DELETE', `/githost/connections/${test.githostId}`);
    expect(await removeHost()).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('webhooks of gitea are being removed') },
    });
    expect(await test.runJobs()).toContain('connection-disconnect');
    expect(test.repository.hooks.filter(({ url }) => url.endsWith(id))).toEqual([]);
    expect((await removeHost()).status).toBe(204);
  });

  it('adds the context repository to the repositories of the organization, once', async () => {
    await proposed();
    const { body } = await test.rest('GET', '/repositories');
    expect(body['items']).toEqual([
      expect.objectContaining({ source: `${test.githost.origin}/octo-org/context.git`, branch: 'main' }),
    ]);
  });

  it('has another branch of an indexed context repository indexed too', async () => {
    test.githost.commit(test.repository, { 'a.txt': 'a' }, 'other');
    await proposed();
    test.provider.account = { id: 'box-2', name: 'Box Two' };
    const second = await authorized('two');
    const repositories = async () => (await test.rest('GET', '/repositories')).body['items'];
    for (const attempt of ['first', 'again']) {
      test.githost.calls.length = 0;
      const bound = await test.rest('PUT', `/connections/${second}/binding`, bindingOf({ branch: 'other' }));
      expect(bound.status, attempt).toBe(200);
      expect(await repositories()).toEqual([
        expect.objectContaining({ branch: 'main', furtherBranches: ['other'] }),
      ]);
    }
    // The binding asks for the repository, and so does its index.
    const asked = test.githost.calls.filter((call) => call.endsWith('/repos/octo-org/context'));
    expect(asked).toHaveLength(2);
  });

  it('logs that a context repository which is being removed is not indexed', async () => {
    await proposed();
    await test.database.queries.updateTable('repositories').set({ state: 'removing' }).execute();
    test.provider.account = { id: 'box-2', name: 'Box Two' };
    test.githost.commit(test.repository, { 'a.txt': 'a' }, 'other');
    const second = await authorized('two');
    const warn = vi.spyOn(test.setup.log, 'warn');
    expect(
      (await test.rest('PUT', `/connections/${second}/binding`, bindingOf({ branch: 'other' }))).status,
    ).toBe(200);
    expect(warn).toHaveBeenCalledWith(
      expect.objectContaining({
        err: expect.objectContaining({ message: expect.stringContaining('is being removed') }),
      }),
      expect.stringContaining('not added to the index'),
    );
  });

  it('retries without changing what is on the branch, and ignores a binding then', async () => {
    const id = await proposed();
    const text = good(id, ['blue']);
    test.githost.change(test.repository, () =>
      addCommit(test.repository.bare.gitDir, { 'toy/config.yaml': text }, headBranch(id)),
    );
    const path = `/connections/${id}/pull-request`;
    const again = await test.rest('POST', path, { binding: bindingOf({ scope: { boxes: ['green'] } }) });
    expect(again.body).toMatchObject({ number: 1, state: 'open' });
    expect(fileOn(headBranch(id))).toBe(text);
    expect(test.repository.pulls).toHaveLength(1);
    const pull = test.repository.pulls[0];
    if (pull !== undefined) pull.state = 'closed';
    await test.rest('POST', `/connections/${id}/sync`);
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({
      state: 'awaiting_merge',
      error: { code: 'pull_request_closed' },
      pullRequest: { state: 'closed' },
    });
    expect((await test.rest('POST', path)).body).toMatchObject({ number: 1, state: 'open' });
    expect(fileOn(headBranch(id))).toBe(text);
  });

  it('keeps a pull request that was opened while the check read the former one', async () => {
    const id = await proposed();
    const connection = () => test.database.queries.selectFrom('connections').where('id', '=', id);
    const { pull_request: before } = await connection().select('pull_request').executeTakeFirstOrThrow();
    const opened = JSON.stringify({ ...JSON.parse(before ?? ''), number: 2 });
    test.githost.beforeAnswer = async (call) => {
      if (!call.includes('/pulls')) return;
      const update = test.database.queries.updateTable('connections').set({ pull_request: opened });
      await update.where('id', '=', id).execute();
    };
    await test.rest('POST', `/connections/${id}/sync`);
    await test.runJobs();
    const after = await connection().select('pull_request').executeTakeFirstOrThrow();
    expect(JSON.parse(after.pull_request ?? '')).toEqual(JSON.parse(opened));
  });

  it('replaces a closed pull request whose branch was deleted', async () => {
    const id = await proposed();
    const pull = test.repository.pulls[0];
    if (pull !== undefined) pull.state = 'closed';
    test.repository.bare.git('update-ref', '-d', `refs/heads/${headBranch(id)}`);
    const path = `/connections/${id}/pull-request`;
    const again = await test.rest('POST', path, { binding: bindingOf({ scope: { boxes: ['green'] } }) });
    expect([again.status, again.body]).toMatchObject([200, { state: 'open' }]);
    expect(fileOn(headBranch(id))).toContain('green');
    expect(test.repository.pulls.filter(({ state }) => state === 'open')).toHaveLength(1);
  });

  it('changes the scope of a connected connection by another pull request, which keeps comments', async () => {
    const id = await proposed();
    const text = `# ours\n${good(id, ['red'])}`;
    test.githost.merge(test.repository, 1);
    test.githost.commit(test.repository, { 'toy/config.yaml': text });
    await test.githost.hooks.settled();
    await test.runJobs();
    const moved = await test.rest(
      'PUT',
      `/connections/${id}/binding`,
      bindingOf({ scope: { boxes: ['blue'] } }),
    );
    expect(moved.body).toMatchObject({ state: 'connected', binding: { scope: { boxes: ['red'] } } });
    const pull = await test.rest('POST', `/connections/${id}/pull-request`);
    expect(pull.body).toMatchObject({ number: 2, state: 'open', branch: `${headBranch(id)}-2` });
    expect(fileOn(`${headBranch(id)}-2`)).toMatch(/^# ours\n[^]*boxes: \[ blue \]/);
    test.githost.merge(test.repository, 2, { method: 'squash' });
    await test.githost.hooks.settled();
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({ state: 'connected', binding: { scope: { boxes: ['blue'] } } });
  });

  it('compares its content with each check, and is degraded while that fails', async () => {
    const id = (await proposed()) as ConnectionId;
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    const { queries } = test.database;
    await queries.deleteFrom('jobs').where('task', '=', 'toy-sync-content').execute();
    test.advance(900_000);
    await test.poll();
    expect(await tasks()).toContain('toy-sync-content');
    const { saveSyncError } = connectorJobsDeps({ ...test.setup, providerSettings: {} }, toy);
    const error = { code: 'toy_failed', message: 'Fix the toy.' };
    await saveSyncError(id, error);
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({ state: 'degraded', error });
    await saveSyncError(id, undefined);
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({ state: 'connected', error: null });
  });

  it('keeps the last valid scope while the live file is invalid or gone, and says so', async () => {
    const id = await proposed();
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    const after = async (text: string) => {
      test.githost.commit(test.repository, { 'toy/config.yaml': text });
      await test.githost.hooks.settled();
      await test.runJobs();
      return statusOf(id);
    };
    const kept = { binding: { scope: { boxes: ['red'] } } };
    expect(await after(good(id).replace('boxes', 'boxs'))).toMatchObject({
      ...kept,
      state: 'degraded',
      error: {
        code: 'config_invalid',
        message: expect.stringContaining('3:9: unknown key boxs (did you mean boxes?). Correct it there'),
      },
    });
    expect(await after(good('another'))).toMatchObject({ ...kept, state: 'degraded' });
    expect(await after(`#${'x'.repeat(1024 ** 2)}`)).toMatchObject({
      ...kept,
      state: 'degraded',
      error: { message: expect.stringContaining('the file is too large') },
    });
    expect(await after(good(id, ['blue']))).toMatchObject({
      state: 'connected',
      error: null,
      binding: { scope: { boxes: ['blue'] } },
    });
    test.githost.change(test.repository, () =>
      test.repository.bare.git('update-ref', '-d', 'refs/heads/main'),
    );
    await test.githost.hooks.settled();
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({ state: 'degraded', error: { code: 'branch_not_found' } });
  });

  it('writes the errors of a pull request into one comment, and updates it', async () => {
    const id = await proposed();
    const comments = () => test.repository.comments.map(({ body }) => body);
    expect(comments()).toEqual([]);
    const push = async (text: string) => {
      test.githost.change(test.repository, () =>
        addCommit(test.repository.bare.gitDir, { 'toy/config.yaml': text }, headBranch(id)),
      );
      await test.githost.hooks.settled();
      await test.runJobs();
    };
    await push(good(id).replace('boxes', '"`@team` boxs"'));
    expect(comments()).toEqual([
      expect.stringMatching(/is not valid[^]*```\n[^`]*3:9: unknown key '@team' boxs/),
    ]);
    await push('version: 1\n\tscope: 1\n');
    expect(comments()).toEqual([expect.stringContaining('2:1: ')]);
    await push(good(id));
    expect(comments()).toEqual([expect.stringContaining('`toy/config.yaml` is valid.')]);
    expect(await statusOf(id)).toMatchObject({ state: 'awaiting_merge', error: null });
  });
});
