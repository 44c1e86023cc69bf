import { PassThrough } from 'node:stream';
import { afterEach, expect, it } from 'vitest';
import {
  runCli,
  type SeenRequest,
  type StandInAnswer,
  type StandInService,
  standInService,
} from '../../../../test/support/program/command-line.ts';

const id = '0190f3a0-0000-7000-8000-00000000abcd';
const githost = {
  id: '0190f3a0-0000-7000-8000-0000abcd5678',
  kind: 'gitea',
  name: 'git',
  url: 'https://git.example',
  account: null,
  state: 'connected',
  error: null,
};
const pull = { url: 'https://git.example/pulls/1', number: 1, state: 'open', branch: 'orgctx/tracker' };
const repositories = Array.from({ length: 120 }, (_, n) => `team/repository-${n}`);
const teams = [
  { id: 't1', kind: 'team', name: 'Engineering', key: 'ENG' },
  { id: 't2', kind: 'team', name: 'Operations', key: 'OPS' },
  { id: 'p1', kind: 'project', name: 'Apollo' },
];

/** The stand-in's state of the connection. */
let record: Record<string, unknown>;
let service: StandInService | undefined;
afterEach(() => service?.close());

async function start(more: object = {}): Promise<void> {
  record = {
    id,
    kind: 'tracker',
    name: 'tracker',
    state: 'draft',
    stateLabel: 'Not authorized yet',
    appConfigured: false,
    webhookSecretConfigured: false,
    redirectUri: 'http://127.0.0.1:3000/api/v1/integrations/tracker/callback',
    webhookUrl: 'http://127.0.0.1:3000/api/v1/webhook/tracker',
    counts: { mirrored: 0, pending: 0, failed: 0 },
    errors: [],
    ...more,
  };
  let created = more !== undefined && Object.keys(more).length > 0;
  const refusals = [refusalOf('/binding/repository'), refusalOf('/binding/scope/teams')];
  service = await standInService((request) => {
    const url = new URL(request.url, 'http://x');
    const path = url.pathname.replace('/acme/api/v1', '');
    const route = `${request.method} ${path}`;
    if (route === 'GET /connections') return page(created ? [record] : []);
    if (route === 'POST /connections') {
      created = true;
      return { status: 201, body: record };
    }
    if (route === `PUT /connections/${id}/app`) Object.assign(record, { appConfigured: true });
    if (route === `POST /connections/${id}/authorize`) {
      Object.assign(record, { state: 'authorized', account: { id: 'w', name: 'Acme' } });
      return { body: { authorizationUrl: 'https://p.example/o?state=x' } };
    }
    if (route === 'GET /githost/connections') return page([githost]);
    if (path === `/githost/connections/${githost.id}/repositories`) return repositoryPage(url);
    if (path === `/connections/${id}/scope-options`) return page(teams);
    if (route === `POST /connections/${id}/pull-request`) {
      const refusal = refusals.shift();
      if (refusal !== undefined) return refusal;
      Object.assign(record, { state: 'connected', stateLabel: 'Connected', pullRequest: pull });
      Object.assign(record, { lastSyncAt: '2026-11-21T12:00:00.000Z' });
      return { body: pull };
    }
    return { body: record };
  });
}

function page(items: readonly unknown[], nextCursor: string | null = null): StandInAnswer {
  return { body: { items, nextCursor } };
}

function repositoryPage({ searchParams }: URL): StandInAnswer {
  const found = repositories.filter((name) => name.includes(searchParams.get('q') ?? ''));
  const from = Number(searchParams.get('cursor') ?? 0);
  const items = found.slice(from, from + 50).map((fullName, n) => ({
    id: String(from + n),
    fullName,
    url: '',
    defaultBranch: 'main',
    private: true,
    empty: false,
    canWrite: true,
  }));
  return page(items, from + 50 < found.length ? String(from + 50) : null);
}

const refusalOf = (path: string): StandInAnswer => ({
  status: 400,
  body: {
    title: 'Bad Request',
    status: 400,
    code: 'validation_failed',
    detail: 'git lacks the permission to write to team/repository-99.',
    errors: [{ path, message: 'cannot be written' }],
  },
});

/** Answers a question when it is shown: the keys of each are pressed once its words stand on the screen. */
async function answering(
  words: readonly string[],
  answers: readonly (readonly [question: string, keys: string])[],
) {
  const keyboard = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  const shown: string[] = [];
  const env = { ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme', ORGCTX_URL: service?.url ?? '' };
  let ended = false;
  const running = runCli(['connector', ...words], {
    terminal: true,
    keyboard,
    shown,
    env: { ...env, NO_COLOR: '1' },
  }).finally(() => {
    ended = true;
  });
  let from = 0;
  for (const [question, keys] of answers) {
    await expect.poll(() => ended || shown.slice(from).join('').includes(question)).toBe(true);
    expect([ended, shown.slice(from).join('')]).toEqual([false, expect.stringContaining(question)]);
    from = shown.length;
    keyboard.write(keys);
  }
  return { ...(await running), text: shown.join('') };
}

const enter = '\r';
const sentTo = (suffix: string): readonly SeenRequest[] =>
  (service?.seen ?? []).filter(({ method, url }) => method !== 'GET' && url.endsWith(suffix));

it('leads from nothing to a connected connection, with searches, and asks again after a refusal', async () => {
  await start();
  const { code, stdout, text } = await answering(
    ['add', 'tracker', '--no-browser'],
    [
      ['Client id', `me${enter}`],
      ['Client secret', `hush${enter}`],
      ['Webhook signing secret', `hush hook${enter}`],
      ['Repository to mirror into', `search${enter}`],
      ['Part of the name', `-99${enter}`],
      ['Repository to mirror into', enter],
      ['Branch to mirror into', enter],
      ['What to mirror', `\t${enter}`],
      ['Choose again?', enter],
      ['Repository to mirror into', `repository-7${enter}`],
      ['Branch to mirror into', enter],
      ['Choose again?', enter],
      ['Repository to mirror into', `repository-8${enter}`],
      ['Branch to mirror into', enter],
      ['What to mirror', `\t${enter}`],
    ],
  );
  expect([code, stdout]).toEqual([0, expect.stringMatching(/state +Connected/)]);
  expect(text).toContain('Register an app at Linear.');
  expect(text.indexOf('Redirect URI: http://127.0.0.1:3000/api')).toBeLessThan(text.indexOf('Client id'));
  expect(text).toContain('Webhook URL:  http://127.0.0.1:3000/api/v1/webhook/tracker');
  expect(text).toContain('because it is not public');
  for (const step of [
    /permission to create OAuth applications/,
    /Open https:..linear.app.settings.api.applications.new[^]*Application name: [^]*Developer name: /,
    /Data change events: Issues, Comments, Documents[^]*OAuth authorization events/,
    /copy the client id and the client secret after it/,
    /another application for a staging environment/,
  ])
    expect(text).toMatch(step);
  expect(text).toContain('git lacks the permission to write');
  expect(text).not.toContain('hush');
  expect(sentTo('/app').map(({ body }) => body)).toEqual([
    { clientId: 'me', clientSecret: 'hush', webhookSecret: 'hush hook' },
  ]);
  const binding = { githostConnectionId: githost.id, branch: 'main', scope: { teams: ['ENG'] } };
  expect(sentTo('/pull-request').map(({ body }) => body)).toEqual([
    { binding: { ...binding, repository: 'team/repository-99' } },
    { binding: { ...binding, repository: 'team/repository-7' } },
    { binding: { ...binding, repository: 'team/repository-8' } },
  ]);
});

it('skips what is done and what flags answer, and goes on with an unfinished connection', async () => {
  await start({ appConfigured: true, state: 'authorized', stateLabel: 'Authorized' });
  const flags = ['--githost', 'git', '--repository', 'a/b', '--branch', 'x', '--team', 'OPS'];
  const { code } = await answering(
    ['add', 'tracker', ...flags],
    [
      ['A setup is not finished', enter],
      ['Choose again?', `n`],
    ],
  );
  expect(code).toBe(2);
  expect(sentTo('/pull-request').map(({ body }) => body)).toMatchObject([
    { binding: { repository: 'a/b', branch: 'x', scope: { teams: ['OPS'] } } },
  ]);
  expect(sentTo('/authorize')).toEqual([]);
});

it('ends with 130 at Ctrl-C, and says how to go on', async () => {
  await start();
  const { code, text } = await answering(['add', 'tracker'], [['Client id', '\u0003']]);
  expect([code, text]).toEqual([130, expect.stringContaining('orgctx connector resume tracker')]);
});
