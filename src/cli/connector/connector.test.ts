import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const id = '0190f3a0-0000-7000-8000-0000abcd1234';
const githostId = '0190f3a0-0000-7000-8000-0000abcd5678';
const draft = {
  id,
  kind: 'tracker',
  name: 'tracker',
  state: 'draft',
  stateLabel: 'Not authorized yet',
  appConfigured: true,
  webhookSecretConfigured: true,
  account: null,
  binding: null,
  pullRequest: null,
  redirectUri: '',
  webhookUrl: '',
  lastAcceptedAt: null,
  lastRejectedAt: null,
  lastSyncAt: null,
  nextCheckAt: null,
  reauthorizeBy: null,
  progress: null,
  counts: { mirrored: 0, pending: 0, failed: 0 },
  error: null,
  errors: [],
};
const pull = {
  url: 'https://git.example/pulls/1',
  number: 1,
  state: 'open',
  branch: 'orgctx/tracker-abcd1234',
};
const binding = {
  githostConnectionId: githostId,
  repository: 'a/b',
  branch: 'main',
  scope: { teams: ['ENG'] },
};

const githost = {
  id: githostId,
  kind: 'gitea',
  name: 'git',
  url: '',
  account: null,
  state: 'connected',
  error: null,
};

let service: StandInService;
let state: string;
let folder: string;
/** Further fields of the record. */
let more: object;
/** Further fields of the answer to a request for a pull request. */
let proposed: object;
/** The answer to a request for work, in place of the record. */
let refusal: { readonly status: number; readonly body: object } | undefined;
afterEach(() => service.close());

async function start(first = 'none') {
  state = first;
  more = {};
  proposed = {};
  refusal = undefined;
  folder = temporaryFolder();
  mkdirSync(folder, { recursive: true });
  service = await standInService(({ method, url }) => {
    const path = url.replace('/acme/api/v1', '');
    if (path.startsWith('/githost/connections')) {
      return { status: 200, body: { items: [githost], nextCursor: null } };
    }
    if (path.endsWith('/authorize'))
      return { status: 200, body: { authorizationUrl: 'https://p.example/o?state=x' } };
    if (path.endsWith('/pull-request')) {
      state = 'awaiting_merge';
      return { status: 200, body: { ...pull, ...proposed } };
    }
    if (method === 'DELETE') return { status: 204, body: undefined };
    if (refusal !== undefined && method === 'POST') return refusal;
    if (method === 'POST' && path === '/connections') state = 'draft';
    const isList = method === 'GET' && /^\/connections(?:\?|$)/.test(path);
    const body = isList ? { items: state === 'none' ? [] : [recordNow()], nextCursor: null } : recordNow();
    return { status: method === 'POST' ? 201 : 200, body };
  });
}

/** The record of the connection in its present state. */
function recordNow(): object {
  if (state === 'draft' || state === 'none') return { ...draft, ...more };
  const bound = state === 'connected' || state === 'awaiting_merge' ? { binding, pullRequest: pull } : {};
  return { ...draft, state, account: { id: 'w', name: 'Acme', url: null }, ...bound, ...more };
}

const connector = (...words: readonly string[]) =>
  runCli(['connector', ...words], {
    cwd: folder,
    env: { ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme', ORGCTX_URL: service.url },
  });
const sent = () =>
  service.seen
    .filter(({ method }) => method !== 'GET')
    .map(({ method, url, body }) => ({ method, url, body }));

describe('connector add', () => {
  it('names the flags of the app and the saved draft if there is no app', async () => {
    await start();
    more = {
      appConfigured: false,
      redirectUri: 'https://o.example/cb',
      webhookUrl: 'https://o.example/hook',
    };
    const { code, stderr } = await connector('add', 'tracker', '--no-input');
    expect(code).toBe(2);
    expect(stderr).toContain('The connection tracker is saved as a draft');
    expect(stderr).toContain('OAuth is not configured.');
    expect(stderr).toMatch(
      /redirect URI https:\/\/o\.example\/cb and the webhook URL https:\/\/o\.example\/hook/,
    );
    expect(stderr).toContain(
      'resume tracker --no-input --client-id <id> --client-secret-file <file> --webhook-secret-file <file>"',
    );
    expect((await connector('status', 'tracker')).stdout).toContain(
      'Register an app at Linear (https://linear.app/settings/api/applications/new)',
    );
    expect(sent().map(({ url }) => url)).toEqual(['/acme/api/v1/connections']);
  });

  it('creates a draft, saves its app from files, and says how to go on after the authorization', async () => {
    await start();
    writeFileSync(join(folder, 'client'), 'hush\n');
    writeFileSync(join(folder, 'hook'), 'hush hook\n');
    const files = ['--client-secret-file', 'client', '--webhook-secret-file', 'hook'];
    const { code, stdout } = await connector('add', 'tracker', '--no-input', '--client-id', 'me', ...files);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/connector resume tracker": https:\/\/p\.example\/o\?state=x/),
    ]);
    expect(stdout).not.toContain('hush');
    expect(sent()).toEqual([
      { method: 'POST', url: '/acme/api/v1/connections', body: { kind: 'tracker' } },
      {
        method: 'PUT',
        url: `/acme/api/v1/connections/${id}/app`,
        body: { clientId: 'me', clientSecret: 'hush', webhookSecret: 'hush hook' },
      },
      { method: 'POST', url: `/acme/api/v1/connections/${id}/authorize`, body: undefined },
    ]);
  });

  it('proposes the configuration of an authorized connection, with a scope from a file and flags', async () => {
    await start('authorized');
    writeFileSync(join(folder, 'scope.yaml'), 'scope:\n  teams: [OLD]\n  states: [started]\n');
    const where = ['--githost', 'git', '--repository', 'a/b', '--scope', 'scope.yaml'];
    const teams = ['--team', 'ENG', '--team', 'OPS'];
    const { code, stdout } = await connector(
      'add',
      'tracker',
      '--resume',
      'tracker',
      ...where,
      ...teams,
      '--json',
    );
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { connection: { state: 'awaiting_merge' }, pullRequest: pull },
    ]);
    expect(sent()).toEqual([
      {
        method: 'POST',
        url: `/acme/api/v1/connections/${id}/pull-request`,
        body: {
          binding: {
            githostConnectionId: githostId,
            repository: 'a/b',
            scope: { teams: ['ENG', 'OPS'], states: ['started'] },
          },
        },
      },
    ]);
  });

  it('goes on with the draft of the name when it is run again', async () => {
    await start('draft');
    const { code, stdout } = await connector('add', 'tracker', '--no-input', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { connection: { id }, authorizationUrl: 'https://p.example/o?state=x' },
    ]);
    expect(sent()).toEqual([
      { method: 'POST', url: `/acme/api/v1/connections/${id}/authorize`, body: undefined },
    ]);
  });

  it('waits until what the first sync read is committed', async () => {
    await start('connected');
    more = { lastSyncAt: new Date().toISOString(), counts: { mirrored: 0, pending: 2, failed: 0 } };
    const waiting = connector('resume', 'tracker', '--no-input', '--wait', '--json');
    const reads = () => service.seen.filter(({ url }) => url.endsWith(id)).length;
    await expect.poll(reads).toBeGreaterThan(2);
    more = { ...more, counts: { mirrored: 2, pending: 0, failed: 0 } };
    expect(JSON.parse((await waiting).stdout)).toMatchObject({ connection: { counts: { mirrored: 2 } } });
  });

  it.each([
    ['add', 'tracker'],
    ['resume', 'tracker'],
  ])('names the flags without a terminal and changes nothing: %s', async (...words) => {
    await start('draft');
    const { code, stderr } = await connector(...words);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /no terminal[^]*--no-input: --client-id[^]*--githost, --repository, and --scope or --team/,
      ),
    ]);
    expect(service.seen).toEqual([]);
  });

  it.each([
    [['--service', 'P1'], '--service is not for the kind tracker.'],
    [['--resume', 'tracker', '--githost', 'git'], 'Missing: --repository and a scope.'],
    [['--client-secret-file', 'x'], 'A secret of an app needs --client-id.'],
    [['--scope', 'missing.yaml'], 'The file of --scope cannot be read.'],
  ])('refuses %j', async (words, message) => {
    await start('authorized');
    const { code, stderr } = await connector('add', 'tracker', '--no-input', ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('the other commands of connector', () => {
  it('list connections, and show one with its scope', async () => {
    await start('connected');
    expect((await connector('list')).stdout).toMatch(/NAME +ID +KIND[^]*tracker +\S+ +tracker +connected/);
    expect((await connector('status', 'tracker')).stdout).toContain('a/b (main)');
    expect((await connector('scope', 'tracker')).stdout).toContain('teams:');
  });

  it.each([
    [{}, `Merge this pull request to change the scope: ${pull.url}`],
    [{ state: 'merged' }, `The configuration pull request of tracker is merged: ${pull.url}`],
    [{ state: 'closed' }, `The configuration pull request of tracker is closed: ${pull.url}`],
    [
      { state: 'merged', url: null, number: null },
      'The branch has the configuration of tracker already; no pull request is needed.',
    ],
  ])('propose another scope, and say what became of the pull request (%j)', async (answer, text) => {
    await start('connected');
    proposed = answer;
    expect((await connector('scope', 'tracker', '--team', 'OPS')).stdout).toBe(`${text}\n`);
    expect(sent().map(({ method, url }) => `${method} ${url}`)).toEqual([
      `PUT /acme/api/v1/connections/${id}/binding`,
      `POST /acme/api/v1/connections/${id}/pull-request`,
    ]);
  });

  it('show what is mirrored, what fails, and when webhooks arrived', async () => {
    await start('connected');
    const ago = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const error = { code: 'job_failed', message: 'The record is\nbroken.', at: ago };
    more = {
      counts: { mirrored: 12, pending: 3, failed: 1 },
      progress: { phase: 'full', done: 2, total: 10 },
      lastSyncAt: ago,
      lastRejectedAt: ago,
      reauthorizeBy: '2027-11-21T12:00:00.000Z',
      errors: [error, error, ...['Two', 'Three', 'Four'].map((message) => ({ ...error, message }))],
    };
    const { stdout } = await connector('status', 'tracker');
    for (const line of [
      /mirrored +12 records, 3 pending, 1 failed/,
      /progress +full: 2 of 10 kinds/,
      /last sync +3 h ago/,
      /webhooks +last accepted never, last rejected 3 h ago/,
      /authorize by +2027-11-21/,
      /scope +teams: \[ ENG \]/,
      /failure +The record is broken\. \(3 h ago, 2 times\)/,
      /1 more failures: --json/,
    ])
      expect(stdout).toMatch(line);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(JSON.parse((await connector('status', 'tracker', '--json')).stdout)).toMatchObject(more);
  });

  it('remove a connection only after consent', async () => {
    await start('connected');
    const refused = await connector('remove', 'tracker');
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Add --yes')]);
    expect(sent()).toEqual([]);
    const env = { ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme', ORGCTX_URL: service.url };
    const terminal = { cwd: folder, env, terminal: true };
    expect((await runCli(['connector', 'remove', 'tracker'], { ...terminal, typed: 'n' })).code).toBe(2);
    expect((await runCli(['connector', 'remove', 'tracker'], { ...terminal, typed: 'y' })).code).toBe(0);
    expect(sent()).toEqual([{ method: 'DELETE', url: `/acme/api/v1/connections/${id}`, body: undefined }]);
  });

  it('retry a pull request, and remove a connection', async () => {
    await start('awaiting_merge');
    expect((await connector('status', id)).stdout).toContain(
      `Merge the configuration pull request: ${pull.url}`,
    );
    expect((await connector('retry', 'tracker')).stdout).toContain(pull.url);
    expect((await connector('remove', 'tracker', '--yes')).stdout).toContain('Mirrored files are kept');
    expect(sent().map(({ method, url }) => `${method} ${url}`)).toEqual([
      `POST /acme/api/v1/connections/${id}/pull-request`,
      `DELETE /acme/api/v1/connections/${id}`,
    ]);
  });

  it.each([
    ['sync', [], { full: false }],
    ['sync', ['--full'], { full: true }],
    ['rebuild', [], undefined],
  ])('%s %j starts the work, and names the command that shows it', async (command, flags, body) => {
    await start('connected');
    expect(await connector(command, 'tracker', ...flags)).toEqual({
      code: 0,
      stdout: `The ${command} of tracker has started. "orgctx connector status tracker" shows its progress.\n`,
      stderr: '',
    });
    expect(sent()).toEqual([{ method: 'POST', url: `/acme/api/v1/connections/${id}/${command}`, body }]);
  });

  it('say what the provider refused', async () => {
    await start('connected');
    const message = 'Linear refused the authorization. Authorize the account again.';
    more = { state: 'degraded', error: { code: 'authentication', message } };
    const { code, stdout } = await connector('status', 'tracker');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/error +Linear refused the authorization/)]);
    expect(stdout).toContain('When the cause is fixed, try again now: "orgctx connector sync tracker".');
    for (const command of ['sync', 'rebuild']) {
      const started = await connector(command, 'tracker');
      expect([started.code, started.stderr]).toEqual([0, expect.stringContaining(message)]);
    }
  });

  it.each(['status', 'sync', 'rebuild'])('%s says that there is no such connection', async (command) => {
    await start('connected');
    const { code, stderr } = await connector(command, 'unknown');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('There is no connection "unknown" in acme. Run "orgctx connector list"'),
    ]);
    expect(sent()).toEqual([]);
  });

  it.each(['sync', 'rebuild'])('%s prints why the service refuses it', async (command) => {
    await start('draft');
    const detail = 'tracker is not connected (Not authorized yet).';
    const problem = { type: 'about:blank', title: 'Conflict', status: 409, code: 'conflict', detail };
    refusal = { status: 409, body: problem };
    const { code, stderr } = await connector(command, 'tracker');
    expect([code, stderr]).toEqual([1, expect.stringContaining(detail)]);
  });
});
