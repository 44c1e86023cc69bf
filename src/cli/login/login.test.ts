import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caller, type LoginService, openLoginService } from '../../../test/standins/login-service.ts';
import { type CommandLineOptions, runCli } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { Interrupted } from '../frame/interrupted.ts';

let service: LoginService;
let config: string;

beforeEach(async () => {
  service = await openLoginService();
  config = temporaryFolder();
});
afterEach(() => service.close());

function cli(words: readonly string[], options: CommandLineOptions = {}) {
  const env = { ORGCTX_URL: service.url, XDG_CONFIG_HOME: config, ...options.env };
  return runCli(words, { ...options, env });
}

const credentials = () => join(config, 'orgctx', 'credentials.json');
const stored = () => JSON.parse(readFileSync(credentials(), 'utf8')).logins;
const paths = () => service.seen.map(({ url }) => url);

describe('orgctx login', () => {
  it('prints the page and the code to stderr, waits, and reports who signed in where', async () => {
    service.state.polls.push({ status: 400, body: { error: 'authorization_pending' } });
    const { code, stdout, stderr } = await cli(['login', '--wait']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Signed in at ${service.url} as ada@example.com, organization acme.\n`,
    });
    expect(stderr).toContain(`  ${service.url}/.auth/device\n  BCDF-GHJK\n`);
    expect(stderr).toContain('at most 10 min');
  });

  it.each([
    ['without a terminal', [], {}],
    ['with --json', ['--json'], { terminal: true }],
    ['with --no-input', ['--no-input'], { terminal: true }],
  ])('fails at once %s, and says what to do', async (_when, flags, options) => {
    const { code, stdout, stderr } = await cli(['login', ...flags], options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/needs a terminal.*ORGCTX_API_KEY_FILE.*--wait/s);
    expect(service.seen).toEqual([]);
  });

  it('requests only REST as the public client, and reads the organization from the service', async () => {
    await cli(['login', '--wait']);
    expect(service.seen.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', '/.well-known/oauth-authorization-server', undefined],
      ['POST', '/.auth/device-authorization', { client_id: 'orgctx-cli', scope: 'api offline_access' }],
      [
        'POST',
        '/.auth/token',
        {
          client_id: 'orgctx-cli',
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: 'dc-secret',
        },
      ],
      ['GET', '/api/v1/me', undefined],
    ]);
    expect(stored()[service.url]).toMatchObject({
      email: 'ada@example.com',
      organization: { slug: 'acme', name: 'Acme' },
      scopes: ['api'],
    });
  });

  it('stores the credentials for this account only: file 0600 in a folder 0700', async () => {
    mkdirSync(join(config, 'orgctx'), { mode: 0o755 });
    await cli(['login', '--wait']);
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
    expect(statSync(join(config, 'orgctx')).mode & 0o777).toBe(0o700);
  });

  it('prints one JSON value with --json, and no token anywhere', async () => {
    const { stdout, stderr } = await cli(['login', '--wait', '--json', '--verbose']);
    expect(JSON.parse(stdout)).toMatchObject({
      url: service.url,
      email: 'ada@example.com',
      organization: { slug: 'acme', name: 'Acme' },
      scopes: ['api'],
    });
    for (const secret of [service.state.accessToken, service.state.refreshToken, 'dc-secret']) {
      expect(stdout + stderr).not.toContain(secret);
      expect(paths().join()).not.toContain(secret);
    }
  });

  it('replaces an earlier login and revokes it at the service', async () => {
    await cli(['login', '--wait']);
    const former = service.state.refreshToken;
    expect((await cli(['login', '--wait'])).code).toBe(0);
    expect(service.state.revoked).toEqual([former]);
    expect(stored()[service.url].refreshToken).toBe(service.state.refreshToken);
  });

  it('warns that a configured key takes precedence over the login', async () => {
    const { stderr } = await cli(['login', '--wait'], { env: { ORGCTX_API_KEY: 'ock_1' } });
    expect(stderr).toContain('commands use that key instead of this login');
  });

  it('exits with 4 if the person denies, and stores nothing', async () => {
    service.state.polls.push({ status: 400, body: { error: 'access_denied' } });
    const { code, stderr } = await cli(['login', '--wait']);
    expect(code).toBe(4);
    expect(stderr).toContain('denied in the browser');
    expect((await cli(['whoami'])).code).toBe(4);
  });

  it('exits with 7 if nobody confirms in time', async () => {
    service.state.codeExpiresIn = 0.3;
    service.state.polls.push(
      ...Array.from({ length: 20 }, () => ({ status: 400, body: { error: 'authorization_pending' } })),
    );
    const { code, stderr } = await cli(['login', '--wait']);
    expect(code).toBe(7);
    expect(stderr).toContain(`orgctx login --url ${service.url}`);
  });

  it('exits with 7 if the service reports an expired code', async () => {
    service.state.polls.push({ status: 400, body: { error: 'expired_token' } });
    expect((await cli(['login', '--wait'])).code).toBe(7);
  });

  it('exits with 5 if the service is unreachable', async () => {
    expect((await cli(['login', '--wait', '--url', 'http://127.0.0.1:1'])).code).toBe(5);
  });

  it('exits with 130 if it is interrupted while it waits', async () => {
    const controller = new AbortController();
    service.state.polls.push(
      ...Array.from({ length: 50 }, () => ({ status: 400, body: { error: 'authorization_pending' } })),
    );
    const login = cli(['login', '--wait'], { signal: controller.signal });
    await expect.poll(paths).toContain('/.auth/token');
    controller.abort(new Interrupted('Ctrl-C'));
    expect((await login).code).toBe(130);
  });

  it('revokes a grant that it cannot use', async () => {
    service.state.rest = () => ({ status: 500, body: {} });
    expect((await cli(['login', '--wait'])).code).toBe(1);
    expect(service.state.revoked).toEqual([service.state.refreshToken]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'calls itself otherwise',
      { issuer: 'https://other.example' },
      /identifies itself as https:\/\/other\.example/,
    ],
    ['has no device flow', { device_authorization_endpoint: undefined }, /does not support sign-in/],
    [
      'sends tokens elsewhere',
      { token_endpoint: 'https://evil.example/token' },
      /returned a sign-in address of another service/,
    ],
    [
      'sends people elsewhere',
      { device_authorization_endpoint: 'https://evil.example/device' },
      /returned a sign-in address of another service/,
    ],
  ])('refuses a service that %s', async (_, metadata, message) => {
    service.state.metadata = metadata;
    const { code, stderr } = await cli(['login', '--wait']);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(paths()).toEqual(['/.well-known/oauth-authorization-server']);
  });

  it('reports an unusable folder before anybody confirms the code', async () => {
    writeFileSync(join(config, 'orgctx'), 'a file');
    const { code, stderr } = await cli(['login', '--wait']);
    expect(code).toBe(3);
    expect(stderr).toContain('XDG_CONFIG_HOME');
    expect(service.seen).toEqual([]);
  });

  describe('at a terminal', () => {
    /** Creates a program with this name that writes its argument and environment to a file. */
    const fakeBrowser = () => {
      const folder = temporaryFolder();
      const script = `#!/bin/sh\nprintf '%s\\n' "$1" > ${folder}/opened.part\nenv >> ${folder}/opened.part\nmv ${folder}/opened.part ${folder}/opened\n`;
      writeFileSync(join(folder, 'xdg-open'), script, { mode: 0o755 });
      const env = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':9', ORGCTX_API_KEY: 'ock_hush' };
      const opened = () => readFileSync(join(folder, 'opened'), 'utf8');
      return { env, opened };
    };

    it.skipIf(process.platform !== 'linux')(
      'opens the page with the code in a browser without the API key',
      async () => {
        const { env, opened } = fakeBrowser();
        expect((await cli(['login'], { env, terminal: true })).code).toBe(0);
        await expect.poll(() => tried(opened)).toContain('/.auth/device?user_code=BCDF-GHJK');
        expect(opened()).not.toContain('ock_hush');
      },
    );

    it.each([['--no-browser'], ['--no-input'], ['--json']])('opens no browser with %s', async (flag) => {
      const { env, opened } = fakeBrowser();
      expect((await cli(['login', '--wait', flag], { env, terminal: true })).code).toBe(0);
      expect(tried(opened)).toBe('');
    });

    it('signs in even if no browser can be started', async () => {
      const env = { PATH: temporaryFolder(), DISPLAY: ':9' };
      expect((await cli(['login'], { env, terminal: true })).code).toBe(0);
    });
  });
});

function tried(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

describe('a remote command with a login', () => {
  beforeEach(async () => {
    await cli(['login', '--wait']);
    service.seen.length = 0;
    service.state.rest = () => ({ body: { items: [], nextCursor: null } });
  });

  it('uses the chosen organization and the access token', async () => {
    expect((await cli(['repo', 'list'])).code).toBe(0);
    expect(service.seen).toMatchObject([
      {
        url: '/acme/api/v1/repositories',
        headers: { authorization: `Bearer ${stored()[service.url].accessToken}` },
      },
    ]);
  });

  it('says what to do if another organization is given', async () => {
    service.state.rest = () => ({
      status: 403,
      body: { title: 'Forbidden', detail: 'There is no such organization.', code: 'forbidden' },
    });
    const { code, stderr } = await cli(['repo', 'list', '--org', 'globex']);
    expect(code).toBe(4);
    expect(paths()).toEqual(['/globex/api/v1/repositories']);
    expect(stderr).toContain('Your login is for acme, not for globex.');
    expect(stderr).toContain(`orgctx login --url ${service.url}`);
  });

  it('says to sign in again at the same service if a new token is also refused', async () => {
    service.state.rest = () => ({
      status: 401,
      body: { title: 'Unauthorized', detail: 'The grant has ended.', code: 'invalid_token' },
    });
    const { code, stderr } = await cli(['repo', 'list']);
    expect(code).toBe(4);
    expect(stderr).toContain(`Sign in again: "orgctx login --url ${service.url}"`);
  });

  it('uses a configured key, which needs an organization', async () => {
    const env = { ORGCTX_API_KEY: 'ock_1' };
    expect((await cli(['repo', 'list'], { env })).code).toBe(2);
    await cli(['repo', 'list', '--org', 'acme'], { env });
    expect(service.seen).toMatchObject([{ headers: { authorization: 'Bearer ock_1' } }]);
  });

  it('reports where the person is signed in if it is another address', async () => {
    const { code, stderr } = await cli(['repo', 'list', '--url', 'https://ctx.example.com']);
    expect(code).toBe(4);
    expect(stderr).toContain('orgctx login --url https://ctx.example.com');
    const there = `You are signed in at ${service.url}; to use it, give its address with --url.`;
    expect(stderr).toContain(there);
    const stopped = await cli(['repo', 'list', '--url', 'http://127.0.0.1:1']);
    expect([stopped.code, stopped.stderr]).toEqual([5, expect.stringContaining(there)]);
  });

  it('warns about a file that others can read and restricts it', async () => {
    chmodSync(credentials(), 0o644);
    const { code, stderr } = await cli(['repo', 'list']);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: other accounts of this machine could read');
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
    expect((await cli(['repo', 'list'])).stderr).not.toContain('warning');
  });

  it.each(['', '{', '{"version":2}', '{"version":1,"logins":{"x":{}}}'])(
    'does not change a file without logins and exits with 3: %j',
    async (content) => {
      writeFileSync(credentials(), content);
      const { code, stderr } = await cli(['repo', 'list']);
      expect(code).toBe(3);
      expect(stderr).toContain('Delete it, then run "orgctx login".');
      expect((await cli(['login', '--wait'])).code).toBe(3);
      expect(readFileSync(credentials(), 'utf8')).toBe(content);
    },
  );
});

describe('orgctx whoami', () => {
  it('prints the user, organization, credential and expiry', async () => {
    await cli(['login', '--wait']);
    const { stdout } = await cli(['whoami']);
    expect(stdout).toBe(
      [
        'ada@example.com',
        `  service      ${service.url}`,
        '  organization acme (Acme), as owner',
        '  credential   login "orgctx" (g-1)',
        '  scopes       api',
        '  expires      2027-01-01 00:00 UTC, extended with each use',
        '',
      ].join('\n'),
    );
    const json = JSON.parse((await cli(['whoami', '--json'])).stdout);
    expect(json).toMatchObject({ url: service.url, ...caller });
    expect(Date.parse(json.accessTokenExpiresAt)).toBeGreaterThan(Date.now());
  });

  it('prints the same for an API key, which needs an organization', async () => {
    const key = { kind: 'api-key', id: 'k-1', name: 'laptop', expiresAt: null };
    service.state.accessToken = 'ock_1';
    service.state.rest = () => ({ body: { ...caller, credential: key, scopes: ['api', 'mcp'] } });
    const env = { ORGCTX_API_KEY: 'ock_1' };
    expect((await cli(['whoami'], { env })).code).toBe(2);
    const { stdout } = await cli(['whoami', '--org', 'acme'], { env });
    expect(stdout).toContain('API key "laptop" (k-1)');
    expect(stdout).toContain('expires      never');
    expect(paths()).toEqual(['/api/v1/me?orgSlug=acme']);
  });

  it('exits with 4 without a credential, and says how to get one', async () => {
    const { code, stderr } = await cli(['whoami']);
    expect(code).toBe(4);
    expect(stderr).toContain(`orgctx login --url ${service.url}`);
  });
});

describe('orgctx logout', () => {
  it('revokes the login and removes it', async () => {
    await cli(['login', '--wait']);
    const { refreshToken } = service.state;
    const { code, stdout } = await cli(['logout', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ url: service.url, removed: true, revoked: true });
    expect(service.state.revoked).toEqual([refreshToken]);
    expect(stored()).toEqual({});
    expect((await cli(['whoami'])).code).toBe(4);
  });

  it('removes it if the service is unreachable, and says what to do', async () => {
    await cli(['login', '--wait']);
    await service.close();
    const { code, stdout, stderr } = await cli(['logout', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ removed: true, revoked: false });
    expect(stderr).toContain('could not be revoked at');
    expect(stored()).toEqual({});
  });

  it('keeps the logins of other services', async () => {
    await cli(['login', '--wait']);
    await cli(['logout', '--url', 'http://127.0.0.1:1']);
    expect(Object.keys(stored())).toEqual([service.url]);
  });

  it('does nothing without a login', async () => {
    expect(await cli(['logout'])).toMatchObject({
      code: 0,
      stdout: `Not signed in at ${service.url}; nothing to do.\n`,
    });
  });
});
