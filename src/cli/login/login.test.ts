import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { caller, type LoginService, openLoginService } from '../../../test/standins/login-service.ts';
import { type CommandLineOptions, runCli } from '../../../test/support/command-line.ts';
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
  it('shows the page and the code on stderr, waits, and says who signed in where', async () => {
    service.state.polls.push({ status: 400, body: { error: 'authorization_pending' } });
    const { code, stdout, stderr } = await cli(['login']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Signed in at ${service.url} as ada@example.com, organization acme.\n`,
    });
    expect(stderr).toContain(`  ${service.url}/.auth/device\n  BCDF-GHJK\n`);
    expect(stderr).toContain('for 10 min at most');
  });

  it('asks as the public client for REST alone, and takes the organization from the service', async () => {
    await cli(['login']);
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

  it('keeps the credentials from every other account: file 0600 in a folder 0700', async () => {
    mkdirSync(join(config, 'orgctx'), { mode: 0o755 });
    await cli(['login']);
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
    expect(statSync(join(config, 'orgctx')).mode & 0o777).toBe(0o700);
  });

  it('prints one JSON value with --json, and no token anywhere', async () => {
    const { stdout, stderr } = await cli(['login', '--json', '--verbose']);
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

  it('replaces an earlier login and ends it at the service', async () => {
    await cli(['login']);
    const former = service.state.refreshToken;
    expect((await cli(['login'])).code).toBe(0);
    expect(service.state.revoked).toEqual([former]);
    expect(stored()[service.url].refreshToken).toBe(service.state.refreshToken);
  });

  it('says that a key which is set wins over the login', async () => {
    const { stderr } = await cli(['login'], { env: { ORGCTX_API_KEY: 'ock_1' } });
    expect(stderr).toContain('commands use that key and not this login');
  });

  it('is refused with exit 4 when the person says no, and keeps nothing', async () => {
    service.state.polls.push({ status: 400, body: { error: 'access_denied' } });
    const { code, stderr } = await cli(['login']);
    expect(code).toBe(4);
    expect(stderr).toContain('denied in the browser');
    expect((await cli(['whoami'])).code).toBe(4);
  });

  it('ends with exit 7 when nobody confirms in time', async () => {
    service.state.codeExpiresIn = 0.3;
    service.state.polls.push(
      ...Array.from({ length: 20 }, () => ({ status: 400, body: { error: 'authorization_pending' } })),
    );
    const { code, stderr } = await cli(['login']);
    expect(code).toBe(7);
    expect(stderr).toContain(`orgctx login --url ${service.url}`);
  });

  it('is exit 7, too, when the service says that the code expired', async () => {
    service.state.polls.push({ status: 400, body: { error: 'expired_token' } });
    expect((await cli(['login'])).code).toBe(7);
  });

  it('is exit 5 where nothing listens', async () => {
    expect((await cli(['login', '--url', 'http://127.0.0.1:1'])).code).toBe(5);
  });

  it('is exit 130 when it is interrupted while it waits', async () => {
    const controller = new AbortController();
    service.state.polls.push(
      ...Array.from({ length: 50 }, () => ({ status: 400, body: { error: 'authorization_pending' } })),
    );
    const login = cli(['login'], { signal: controller.signal });
    await expect.poll(paths).toContain('/.auth/token');
    controller.abort(new Interrupted('Ctrl-C'));
    expect((await login).code).toBe(130);
  });

  it('does not leave a grant behind that it cannot use', async () => {
    service.state.rest = () => ({ status: 500, body: {} });
    expect((await cli(['login'])).code).toBe(1);
    expect(service.state.revoked).toEqual([service.state.refreshToken]);
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['calls itself otherwise', { issuer: 'https://other.example' }, /calls itself https:\/\/other\.example/],
    ['has no device flow', { device_authorization_endpoint: undefined }, /does not offer sign-in/],
    [
      'sends tokens elsewhere',
      { token_endpoint: 'https://evil.example/token' },
      /names an address of another service/,
    ],
    [
      'sends people elsewhere',
      { device_authorization_endpoint: 'https://evil.example/device' },
      /names an address of another service/,
    ],
  ])('refuses a service that %s', async (_, metadata, message) => {
    service.state.metadata = metadata;
    const { code, stderr } = await cli(['login']);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(paths()).toEqual(['/.well-known/oauth-authorization-server']);
  });

  it('tells a folder that cannot be used before anybody confirms anything', async () => {
    writeFileSync(join(config, 'orgctx'), 'a file');
    const { code, stderr } = await cli(['login']);
    expect(code).toBe(3);
    expect(stderr).toContain('XDG_CONFIG_HOME');
    expect(service.seen).toEqual([]);
  });

  describe('at a terminal', () => {
    /** A program of that name which leaves its argument and its variables behind. */
    const fakeBrowser = () => {
      const folder = temporaryFolder();
      const script = `#!/bin/sh\nprintf '%s\\n' "$1" > ${folder}/opened.part\nenv >> ${folder}/opened.part\nmv ${folder}/opened.part ${folder}/opened\n`;
      writeFileSync(join(folder, 'xdg-open'), script, { mode: 0o755 });
      const env = { PATH: `${folder}:/usr/bin:/bin`, DISPLAY: ':9', ORGCTX_API_KEY: 'ock_hush' };
      const opened = () => readFileSync(join(folder, 'opened'), 'utf8');
      return { env, opened };
    };

    it.skipIf(process.platform !== 'linux')(
      'opens the page with the code in a browser that knows no key',
      async () => {
        const { env, opened } = fakeBrowser();
        expect((await cli(['login'], { env, terminal: true })).code).toBe(0);
        await expect.poll(() => tried(opened)).toContain('/.auth/device?user_code=BCDF-GHJK');
        expect(opened()).not.toContain('ock_hush');
      },
    );

    it.each([['--no-browser'], ['--no-input'], ['--json']])('opens none with %s', async (flag) => {
      const { env, opened } = fakeBrowser();
      expect((await cli(['login', flag], { env, terminal: true })).code).toBe(0);
      expect(tried(opened)).toBe('');
    });

    it('signs in all the same where no browser can be started', async () => {
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
    await cli(['login']);
    service.seen.length = 0;
    service.state.rest = () => ({ body: { items: [], nextCursor: null } });
  });

  it('goes to the organization that was chosen, with the access token', async () => {
    expect((await cli(['repo', 'list'])).code).toBe(0);
    expect(service.seen).toMatchObject([
      {
        url: '/acme/api/v1/repositories',
        headers: { authorization: `Bearer ${stored()[service.url].accessToken}` },
      },
    ]);
  });

  it('is told what to do when another organization is named', async () => {
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

  it('is told to sign in at that very service when a new token is refused as well', async () => {
    service.state.rest = () => ({
      status: 401,
      body: { title: 'Unauthorized', detail: 'The grant has ended.', code: 'invalid_token' },
    });
    const { code, stderr } = await cli(['repo', 'list']);
    expect(code).toBe(4);
    expect(stderr).toContain(`Sign in again: orgctx login --url ${service.url}`);
  });

  it('goes with the key where one is set, which needs an organization', async () => {
    const env = { ORGCTX_API_KEY: 'ock_1' };
    expect((await cli(['repo', 'list'], { env })).code).toBe(2);
    await cli(['repo', 'list', '--org', 'acme'], { env });
    expect(service.seen).toMatchObject([{ headers: { authorization: 'Bearer ock_1' } }]);
  });

  it('is not signed in at another address, and is told where it is', async () => {
    const { code, stderr } = await cli(['repo', 'list', '--url', 'http://127.0.0.1:1']);
    expect(code).toBe(4);
    expect(stderr).toContain('orgctx login --url http://127.0.0.1:1');
    expect(stderr).toContain(`You are signed in at ${service.url}: name it with --url.`);
  });

  it('warns and closes a file that others could read', async () => {
    chmodSync(credentials(), 0o644);
    const { code, stderr } = await cli(['repo', 'list']);
    expect(code).toBe(0);
    expect(stderr).toContain('warning: other accounts of this machine could read');
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
    expect((await cli(['repo', 'list'])).stderr).not.toContain('warning');
  });

  it.each(['', '{', '{"version":2}', '{"version":1,"logins":{"x":{}}}'])(
    'leaves a file alone that holds no logins: %j, exit 3',
    async (content) => {
      writeFileSync(credentials(), content);
      const { code, stderr } = await cli(['repo', 'list']);
      expect(code).toBe(3);
      expect(stderr).toContain('Delete it, then run orgctx login.');
      expect((await cli(['login'])).code).toBe(3);
      expect(readFileSync(credentials(), 'utf8')).toBe(content);
    },
  );
});

describe('orgctx whoami', () => {
  it('says who, where, with which credential, and until when', async () => {
    await cli(['login']);
    const { stdout } = await cli(['whoami']);
    expect(stdout).toBe(
      [
        'ada@example.com',
        `  service      ${service.url}`,
        '  organization acme (Acme), as owner',
        '  credential   login "orgctx" (g-1)',
        '  scopes       api',
        '  expires      2027-01-01T00:00:00.000Z, later with each use',
        '',
      ].join('\n'),
    );
    const json = JSON.parse((await cli(['whoami', '--json'])).stdout);
    expect(json).toMatchObject({ url: service.url, ...caller });
    expect(Date.parse(json.accessTokenExpiresAt)).toBeGreaterThan(Date.now());
  });

  it('says the same of an API key, which needs an organization', async () => {
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

  it('is exit 4 without a credential, and says how to get one', async () => {
    const { code, stderr } = await cli(['whoami']);
    expect(code).toBe(4);
    expect(stderr).toContain(`orgctx login --url ${service.url}`);
  });
});

describe('orgctx logout', () => {
  it('revokes the login and removes it', async () => {
    await cli(['login']);
    const { refreshToken } = service.state;
    const { code, stdout } = await cli(['logout', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ url: service.url, removed: true, revoked: true });
    expect(service.state.revoked).toEqual([refreshToken]);
    expect(stored()).toEqual({});
    expect((await cli(['whoami'])).code).toBe(4);
  });

  it('removes it where the service is away, and says what is left to do', async () => {
    await cli(['login']);
    await service.close();
    const { code, stdout, stderr } = await cli(['logout', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ removed: true, revoked: false });
    expect(stderr).toContain('could not be told');
    expect(stored()).toEqual({});
  });

  it('leaves the logins of other services alone', async () => {
    await cli(['login']);
    await cli(['logout', '--url', 'http://127.0.0.1:1']);
    expect(Object.keys(stored())).toEqual([service.url]);
  });

  it('has nothing to do without a login', async () => {
    expect(await cli(['logout'])).toMatchObject({
      code: 0,
      stdout: `Not signed in at ${service.url}; nothing to do.\n`,
    });
  });
});
