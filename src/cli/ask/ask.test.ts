import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caller, openLoginService } from '../../../test/standins/login-service.ts';
import { runCli, type StandInService, standInService } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const cited = (n: number, lines = 3) => ({
  n,
  kind: 'code',
  repository: 'service',
  path: `src/lease-${n}.ts`,
  startLine: 3,
  endLine: 2 + lines,
  commit: 'a'.repeat(40),
  uri: `ctx://repo/service/file/src/lease-${n}.ts`,
  url: `https://git.example.com/service/lease-${n}.ts#L3`,
  title: `src/lease-${n}.ts`,
  excerpt: Array.from({ length: lines }, (_, line) => `line ${line + 1} of ${n}`).join('\n'),
  reason: 'content: lease',
});
const answer = {
  answer: String.raw`Leases of \_clerk\_ are given back by ${'`give_back`'} [1].`,
  citations: [cited(1), cited(2, 20)],
  freshness: [],
  truncated: false,
};

let service: StandInService;
afterEach(() => service.close());

async function ask(words: readonly string[], terminal = false, body: object = answer) {
  service = await standInService(() => ({ body }));
  const env = {
    ORGCTX_URL: service.url,
    ORGCTX_API_KEY: 'ock_0123456789',
    ORGCTX_ORG: 'acme',
    NO_COLOR: '1',
  };
  const shown: string[] = [];
  return { ...(await runCli(['ask', 'Who gives leases back?', ...words], { env, terminal, shown })), shown };
}

describe('ask', () => {
  it('sends the prompt to the advisor of the organization', async () => {
    expect((await ask([])).code).toBe(0);
    expect(service.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['POST', '/acme/api/v1/ask', { prompt: 'Who gives leases back?' }],
    ]);
    expect(service.seen[0]?.headers['authorization']).toBe('Bearer ock_0123456789');
  });

  it('joins words that are not quoted', async () => {
    expect((await ask(['or', 'not', '--full'])).code).toBe(0);
    expect(service.seen[0]?.body).toEqual({ prompt: 'Who gives leases back? or not' });
  });

  it.each([false, true])('says why the language model did not write it (terminal: %s)', async (terminal) => {
    const notice = { code: 'model_of_later', message: 'The model is\u001B[31m away.' };
    const { stdout, stderr, shown } = await ask([], terminal, { ...answer, notice });
    expect(`${stderr}${shown.join('')}`).toContain('The model is[31m away.');
    expect(stdout).toContain('Leases of');
  });

  it('prints on a terminal what the answer says, without escapes, and the start of its passages', async () => {
    const { stdout, shown } = await ask([], true);
    expect(stdout.split('\n').slice(0, 8)).toEqual([
      'Leases of _clerk_ are given back by `give_back` [1].',
      '',
      '[1] service/src/lease-1.ts:3-5',
      '    line 1 of 1',
      '    line 2 of 1',
      '    line 3 of 1',
      '[2] service/src/lease-2.ts:3-22',
      '    line 1 of 2',
    ]);
    expect(stdout).toContain('line 18 of 2');
    expect(stdout).not.toContain('line 19 of 2');
    expect(stdout).not.toContain('https:');
    expect(shown.join('')).toMatch(/\n--full shows every passage whole\n$/);
  });

  it.each([
    [['--full'], true],
    [[], false],
  ])('prints every passage whole with its address with %j on a terminal: %s', async (words, terminal) => {
    const { stdout, stderr } = await ask(words, terminal);
    expect(stdout).toContain('line 20 of 2');
    expect(stdout).toContain('[2] service/src/lease-2.ts:3-22 @ aaaaaaaaaaaa\n    https://git.example.com/');
    expect(stderr).not.toContain('--full');
  });

  it('prints the unchanged answer with --json, and nothing on stderr', async () => {
    const { stdout, stderr } = await ask(['--json']);
    expect([JSON.parse(stdout), stderr]).toEqual([answer, '']);
  });

  it('prints the problem of a refused prompt', async () => {
    const problem = {
      type: 'about:blank',
      title: 'Bad',
      status: 400,
      code: 'validation_failed',
      detail: 'Too long.',
    };
    service = await standInService(() => ({
      status: 400,
      headers: { 'content-type': 'application/problem+json' },
      body: problem,
    }));
    const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
    const { code, stdout, stderr } = await runCli(['ask', 'x'], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Too long.');
  });

  it('sends the same request with a login', async () => {
    const signedIn = await openLoginService();
    service = signedIn;
    signedIn.state.rest = ({ url }) => ({ body: url === '/acme/api/v1/ask' ? answer : caller });
    const env = { ORGCTX_URL: signedIn.url, XDG_CONFIG_HOME: temporaryFolder() };
    await runCli(['login', '--wait'], { env });
    signedIn.seen.length = 0;
    const { stdout } = await runCli(['ask', 'Who gives leases back?', '--json'], { env });
    expect(service.seen.map(({ url, body }) => [url, body])).toEqual([
      ['/acme/api/v1/ask', { prompt: 'Who gives leases back?' }],
    ]);
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  describe('in a conversation', () => {
    const ids = ['01960000-0000-7000-8000-000000000001', '01960000-0000-7000-8000-000000000002'];
    let deleted: Set<string>;
    let env: Record<string, string>;

    beforeEach(async () => {
      deleted = new Set();
      const unused = [...ids];
      service = await standInService(({ url }) => {
        if (url.endsWith('/conversations')) return { status: 201, body: { id: unused.shift() } };
        const [, id = ''] = /conversations\/([^/]+)\/messages$/.exec(url) ?? [];
        const problem = {
          title: 'Not Found',
          status: 404,
          code: 'not_found',
          detail: 'No such conversation.',
        };
        if (deleted.has(id)) return { status: 404, body: problem };
        const { answer: content, ...rest } = answer;
        return { status: 201, body: { message: {}, answer: { id: 'a', content, ...rest } } };
      });
      env = {
        ORGCTX_URL: service.url,
        ORGCTX_API_KEY: 'ock_0123456789',
        ORGCTX_ORG: 'acme',
        XDG_CONFIG_HOME: temporaryFolder(),
      };
    });

    const run = (...words: string[]) => runCli(['ask', 'And who calls it?', ...words], { env });
    const file = () => join(env['XDG_CONFIG_HOME'] ?? '', 'orgctx', 'conversations.json');
    const requests = () => service.seen.map(({ url, body }) => [url, body]);
    const created = ['/acme/api/v1/conversations', {}];
    const asked = (n: number) => [
      `/acme/api/v1/conversations/${ids[n]}/messages`,
      { content: 'And who calls it?' },
    ];

    it('starts one, and continues it with the same output as without one', async () => {
      const first = await run('--continue', '--json');
      expect([first.code, JSON.parse(first.stdout)]).toEqual([0, answer]);
      expect((await run('--continue')).stderr).not.toContain('Started a conversation');
      expect(requests()).toEqual([created, asked(0), asked(0)]);
    });

    it('starts another one with --new, which is then continued', async () => {
      await run('--continue');
      expect((await run('--new')).stderr).toContain('Started a conversation');
      await run('--continue');
      expect(requests().slice(2)).toEqual([created, asked(1), asked(1)]);
    });

    it('starts another one when the last one was deleted', async () => {
      await run('--continue');
      deleted.add(ids[0] ?? '');
      const { code, stderr } = await run('--continue');
      expect([code, stderr]).toEqual([0, expect.stringContaining('The last one was deleted')]);
      expect(requests().slice(2)).toEqual([asked(0), created, asked(1)]);
    });

    it('remembers one for each organization, in a file of this account alone', async () => {
      await run('--continue');
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      await run('--continue', '--org', 'other');
      await run('--continue');
      expect(service.seen.map(({ url }) => url).slice(2)).toEqual([
        '/other/api/v1/conversations',
        `/other/api/v1/conversations/${ids[1]}/messages`,
        asked(0)[0],
      ]);
    });

    it('starts anew when its file is damaged', async () => {
      await run('--continue');
      writeFileSync(file(), '{');
      expect((await run('--continue')).code).toBe(0);
      expect(requests().slice(2)).toEqual([created, asked(1)]);
    });

    it('refuses --continue together with --new', async () => {
      expect((await run('--continue', '--new')).code).toBe(2);
    });
  });
});
