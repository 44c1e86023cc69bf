import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ConnectorSetupTest, openConnectorSetup } from '../../support/connectors/connector-setup.ts';
import { setupSteps } from '../../support/connectors/setup-steps.ts';

let test: ConnectorSetupTest;
const { authorized, bindingOf, fileOn, proposed, statusOf } = setupSteps(() => test);

describe('the setup of a connection refuses', () => {
  beforeEach(async () => {
    test = await openConnectorSetup();
  });
  afterEach(() => test[Symbol.asyncDispose]());

  const bind = (id: string, more: object = {}) =>
    test.rest('PUT', `/connections/${id}/binding`, bindingOf(more));

  it('a state that is unknown, used, expired or refused by the provider', async () => {
    const created = await test.rest('POST', '/connections', { kind: 'toy' });
    const id = created.body['id'] as string;
    const start = async () =>
      (await test.rest('POST', `/connections/${id}/authorize`)).body['authorizationUrl'] as string;
    const callback = created.body['redirectUri'] as string;
    const stateOf = (url: string): string => new URL(url).searchParams.get('state') ?? '';
    const visit = async (query: string) => {
      const { status, text } = await test.browse(`${callback}?${query}`);
      return [status, text] as const;
    };
    expect(await visit('state=guess&code=x')).toEqual([400, expect.stringContaining('unknown')]);
    const replaced = await start();
    const url = await start();
    expect((await test.browse(replaced)).status).toBe(400);
    const denied = await visit(`state=${stateOf(url)}&error=access_denied&error_description=No+%3Cb%3E`);
    expect(denied).toEqual([400, expect.stringContaining('access_denied: No &lt;b>')]);
    expect((await visit(`state=${stateOf(url)}&code=x`))[0]).toBe(400);
    const late = await start();
    test.advance(600_001);
    expect((await test.browse(late)).status).toBe(400);
    test.provider.scope = 'less';
    expect(await test.browse(await start())).toMatchObject({
      status: 400,
      text: expect.stringContaining('lacks the scope'),
    });
    expect(await statusOf(id)).toMatchObject({ state: 'draft', account: null });
    test.provider.scope = 'read';
    const last = await start();
    expect((await test.browse(last)).status).toBe(200);
    expect((await test.browse(last)).status).toBe(400);
  });

  it('an authorization without an app, and an account that another connection has', async () => {
    await authorized('one');
    const second = await test.rest('POST', '/connections', { kind: 'toy', name: 'two' });
    const id = second.body['id'] as string;
    const { body } = await test.rest('POST', `/connections/${id}/authorize`);
    const page = await test.browse(body['authorizationUrl'] as string);
    expect(page).toMatchObject({
      status: 409,
      text: expect.stringContaining('has the account Box One already'),
    });
    expect(await statusOf(id)).toMatchObject({ state: 'draft' });
    Object.assign(test.setup.providerSettings, { TOY_CLIENT_SECRET: undefined });
    expect(await test.rest('POST', `/connections/${id}/authorize`)).toMatchObject({
      status: 409,
      body: { code: 'oauth_not_configured', detail: expect.stringContaining('is not configured') },
    });
  });

  it('a branch that another connection of the kind has, in any spelling and organization', async () => {
    const first = await authorized('one');
    expect((await bind(first)).status).toBe(200);
    test.provider.account = { id: 'box-2', name: 'Box Two' };
    const second = await authorized('two');
    test.githost.renameRepository(test.repository, 'octo-org/renamed');
    const url = `${test.githost.origin}/octo-org/renamed.git`;
    const taken = { status: 409, body: { code: 'target_taken' } };
    for (const repository of ['octo-org/renamed', 'OCTO-org/Renamed', url]) {
      expect(await bind(second, { repository }), repository).toMatchObject(taken);
    }
    test.githost.commit(test.repository, { 'a.txt': 'a' }, 'other');
    expect((await bind(second, { repository: url, branch: 'other' })).status).toBe(200);
    const theirs = await test.connectGlobex();
    const as = { as: 'gil' } as const;
    const made = await test.http.call({
      ...as,
      method: 'POST',
      url: '/globex/api/v1/connections',
      payload: { kind: 'toy' },
    });
    const { id } = made.json<{ id: string }>();
    await test.database.queries
      .updateTable('connections')
      .set({ state: 'authorized' })
      .where('id', '=', id)
      .execute();
    const payload = bindingOf({ repository: url, githostConnectionId: theirs });
    const answer = await test.http.call({
      ...as,
      method: 'PUT',
      url: `/globex/api/v1/connections/${id}/binding`,
      payload,
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([409, { code: 'target_taken' }]);
  });

  it('a repository that cannot be written, a branch that does not exist and a bad scope', async () => {
    const id = await authorized();
    const answer = async (more: object) => {
      const { status, body } = await bind(id, more);
      return [status, body['detail']];
    };
    expect(await answer({ branch: 'nope' })).toEqual([400, expect.stringContaining('has no branch nope')]);
    expect(await answer({ repository: 'octo-org/none' })).toEqual([
      400,
      expect.stringContaining('cannot read octo-org/none'),
    ]);
    expect(await answer({ repository: 'https://elsewhere.example/a/b' })).toEqual([
      400,
      expect.stringContaining('must be a repository of'),
    ]);
    expect(await answer({ scope: { boxs: ['red'] } })).toEqual([400, expect.stringContaining('scope')]);
    expect(await answer({ githostConnectionId: await test.connectGlobex() })).toEqual([
      400,
      expect.stringContaining('not a Git-host connection of this organization'),
    ]);
    test.repository.access.set('bot', 'read');
    expect(await answer({})).toEqual([400, expect.stringMatching(/lacks the permission|write/)]);
    test.repository.access.set('bot', 'admin');
    test.repository.archived = true;
    expect(await answer({})).toEqual([400, expect.stringContaining('is archived')]);
    expect(await statusOf(id)).toMatchObject({ state: 'authorized', binding: null });
  });

  it('fields of a binding, with their place in the body of each route', async () => {
    const id = await authorized();
    const wrong = [
      [{ repository: 'octo-org/missing' }, '/repository'],
      [{ scope: { boxes: [] } }, '/scope/boxes'],
      [{ scope: { boxes: ['red', 7] } }, '/scope/boxes/1'],
    ] as const;
    for (const [more, path] of wrong) {
      expect((await bind(id, more)).body).toMatchObject({ status: 400, errors: [{ path }] });
      const pull = await test.rest('POST', `/connections/${id}/pull-request`, { binding: bindingOf(more) });
      expect(pull.body).toMatchObject({ status: 400, errors: [{ path: `/binding${path}` }] });
    }
  });

  it('a pull request before the authorization and before the binding', async () => {
    const created = await test.rest('POST', '/connections', { kind: 'toy', name: 'draft' });
    const path = `/connections/${created.body['id'] as string}/pull-request`;
    expect((await test.rest('POST', path)).body).toMatchObject({ status: 409, code: 'conflict' });
    const id = await authorized();
    const bare = await test.rest('POST', `/connections/${id}/pull-request`);
    expect(bare.body).toMatchObject({
      status: 409,
      detail: expect.stringContaining('has no repository yet'),
    });
  });
});

describe('a connection', () => {
  afterEach(() => test[Symbol.asyncDispose]());

  it('creates the first branch of an empty repository', async () => {
    test = await openConnectorSetup({ files: {} });
    const id = await proposed();
    expect(fileOn('main', 'toy/README.md')).toContain('mirrored by orgctx');
    expect(fileOn('main')).toBeUndefined();
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({ state: 'connected' });
    expect((await test.rest('GET', '/repositories')).body['items']).toHaveLength(1);
  });

  it('of an App is Connected, too', async () => {
    test = await openConnectorSetup({ flavour: 'github' });
    const id = await proposed();
    test.githost.merge(test.repository, 1, { method: 'squash' });
    await test.githost.hooks.settled();
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({ state: 'connected' });
    expect(test.githost.strays).toEqual([]);
  });

  it('follows a rename, and survives failures of the Git host and a forced push', async () => {
    test = await openConnectorSetup();
    const id = await proposed();
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    test.githost.renameRepository(test.repository, 'octo-org/renamed');
    const sync = async () => {
      await test.rest('POST', `/connections/${id}/sync`, {});
      await test.runJobs();
      return statusOf(id);
    };
    expect(await sync()).toMatchObject({ state: 'connected', binding: { repository: 'octo-org/renamed' } });
    const targets = await test.database.queries.selectFrom('mirror_targets').select('source').execute();
    expect(targets).toEqual([{ source: `${test.githost.origin}/octo-org/renamed.git` }]);
    for (const status of [500, 429]) {
      test.githost.failures.push({ times: 1, reply: { status, headers: { 'retry-after': '60' } } });
      expect(await sync(), String(status)).toMatchObject({ state: 'connected', error: null });
    }
    test.githost.failures.length = 0;
    const { bare } = test.repository;
    test.githost.change(test.repository, () => {
      const root = bare.git('rev-list', '--max-parents=0', 'main').split('\n')[0] ?? '';
      bare.git('update-ref', 'refs/heads/main', root);
    });
    await test.githost.hooks.settled();
    await test.runJobs();
    expect(await statusOf(id)).toMatchObject({
      state: 'degraded',
      error: { code: 'config_missing' },
      binding: { scope: { boxes: ['red'] } },
    });
    const bindAgain = (repository: string) =>
      test.rest('PUT', `/connections/${id}/binding`, bindingOf({ repository }));
    const addRepository = (fullName: string) =>
      test.githost.addRepository(fullName, { files: { 'README.md': 'anew' } }).access.set('bot', 'admin');
    addRepository('octo-org/elsewhere');
    expect(await bindAgain('octo-org/elsewhere')).toMatchObject({ status: 409 });
    const { queries } = test.database;
    const known = { kind: 'brick', path: 'toy/1.md', hash: 'h', updated_at: 'yesterday', seen_at: 0 };
    await queries
      .insertInto('entities')
      .values({ connection_id: id, id: '1', ...known })
      .execute();
    test.githost.deleteRepository(test.repository);
    expect(await sync()).toMatchObject({
      state: 'degraded',
      error: { code: 'repository_not_found', message: expect.stringContaining('choose it again') },
    });

    // Made anew under its name, it is another repository to the host. A person says that it is meant.
    addRepository('octo-org/renamed');
    expect(await sync()).toMatchObject({ state: 'degraded', error: { code: 'repository_not_found' } });
    expect(await bindAgain('octo-org/renamed')).toMatchObject({ status: 200 });
    expect(await statusOf(id)).toMatchObject({ state: 'authorized', error: null });
    expect(await queries.selectFrom('entities').select(['path', 'hash', 'updated_at']).execute()).toEqual([
      { path: 'toy/1.md', hash: null, updated_at: null },
    ]);
    expect(await test.rest('POST', `/connections/${id}/pull-request`)).toMatchObject({ status: 200 });
    expect(await statusOf(id)).toMatchObject({ state: 'awaiting_merge' });
  });

  it('says when its branch refuses the commits of the mirror', async () => {
    test = await openConnectorSetup();
    const id = await proposed();
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    const error = (text: string | null) =>
      test.database.queries.updateTable('mirror_targets').set({ error: text }).execute();
    await error(
      JSON.stringify({
        code: 'git_protected_branch',
        message: 'Protected.',
        permanent: true,
        at: 0,
        failures: 1,
      }),
    );
    test.advance(900_000);
    await test.poll();
    expect(await statusOf(id)).toMatchObject({
      state: 'degraded',
      error: { code: 'mirror_refused', message: 'Protected.' },
    });
    await error(null);
    test.advance(900_000);
    await test.poll();
    expect(await statusOf(id)).toMatchObject({ state: 'connected', error: null });
  });

  it('revokes its tokens and removes its hook before its secrets are dropped', async () => {
    test = await openConnectorSetup();
    const id = await proposed();
    test.githost.merge(test.repository, 1);
    await test.githost.hooks.settled();
    await test.runJobs();
    const fields = async () =>
      (
        await test.database.queries
          .selectFrom('connection_secrets')
          .select('field')
          .where('connection_id', '=', id)
          .execute()
      ).map(({ field }) => field);
    expect([test.provider.tokens.size, test.repository.hooks.length]).toEqual([1, 1]);
    test.provider.revokeStatus = 500;
    expect((await test.rest('DELETE', `/connections/${id}`)).status).toBe(204);
    expect((await test.rest('GET', `/connections/${id}`)).status).toBe(404);
    expect(await fields()).toEqual(['tokens']);
    await expect(test.runJobs()).rejects.toThrow('did not revoke');
    expect([await fields(), test.repository.hooks]).toEqual([['tokens'], []]);
    test.provider.revokeStatus = 200;
    await test.runJobs();
    expect([test.provider.tokens.size, test.repository.hooks.length, await fields()]).toEqual([0, 0, []]);
    expect(fileOn('main')).toContain(id);
    const taken = await test.database.queries.selectFrom('mirror_targets').select('id').execute();
    expect(taken).toEqual([]);
    const entry = await test.database.queries
      .selectFrom('audit_events')
      .select('details')
      .where('action', '=', 'connection.revoked')
      .executeTakeFirstOrThrow();
    expect(entry.details).toContain('"answer":"HTTP 200"');
  });
});
