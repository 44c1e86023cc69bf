import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoginService, openLoginService } from '../../../test/standins/login-service.ts';
import { runCli } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

let service: LoginService;
let config: string;
let folder: string;

beforeEach(async () => {
  service = await openLoginService();
  config = temporaryFolder();
  folder = join(config, 'orgctx');
  await cli('login');
  service.seen.length = 0;
  service.state.rest = () => ({ body: { items: [], nextCursor: null } });
});
afterEach(() => service.close());

function cli(...words: readonly string[]) {
  return runCli(words, { env: { ORGCTX_URL: service.url, XDG_CONFIG_HOME: config } });
}

const read = () => JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')).logins[service.url];

/** As if so much time had passed: the access token has `leftMs` to live. */
function age(leftMs: number): void {
  const login = { ...read(), accessTokenExpiresAt: Date.now() + leftMs };
  const content = JSON.stringify({ version: 1, logins: { [service.url]: login } });
  writeFileSync(join(folder, 'credentials.json'), content, { mode: 0o600 });
}

const refreshes = () =>
  service.seen.filter(({ body }) => (body as { grant_type?: string })?.grant_type === 'refresh_token');

describe('the access token of a login', () => {
  it('is used as long as it has a minute to live', async () => {
    age(61_000);
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(refreshes()).toEqual([]);
  });

  it('is changed for a new one before it ends, and what came is kept', async () => {
    age(59_000);
    const before = read();
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(refreshes()).toMatchObject([{ body: { refresh_token: before.refreshToken } }]);
    expect(read()).toMatchObject({
      accessToken: service.state.accessToken,
      refreshToken: service.state.refreshToken,
      email: 'ada@example.com',
    });
  });

  it('is not changed at every call where tokens live but a minute', async () => {
    service.state.expiresIn = 60;
    age(-1);
    await cli('repo', 'list');
    await cli('repo', 'list');
    expect(refreshes()).toHaveLength(1);
  });

  it('is changed when the service refuses it, and the request is sent again, once', async () => {
    service.state.accessToken = 'at-another';
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(refreshes()).toHaveLength(1);
    service.state.rest = () => ({ status: 401, body: { title: 'No', code: 'invalid_token' } });
    const { code, stderr } = await cli('repo', 'list');
    expect(code).toBe(4);
    expect(stderr).toContain('orgctx login');
    expect(refreshes()).toHaveLength(2);
  });

  it('is changed once by several commands at once, which all succeed', async () => {
    age(-1);
    const codes = await Promise.all(Array.from({ length: 8 }, () => cli('repo', 'list')));
    expect(codes.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(refreshes()).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('that cannot be changed any more is exit 4 and names orgctx login', async () => {
    age(-1);
    service.state.refreshToken = 'rt-another';
    const { code, stderr } = await cli('repo', 'list');
    expect(code).toBe(4);
    expect(stderr).toContain(`Sign in again: orgctx login --url ${service.url}`);
  });

  it('is asked for again at once when the answer is lost', async () => {
    age(-1);
    service.state.refreshes.push('gone');
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(refreshes()).toHaveLength(2);
  });

  it('and the whole login stay when the service is away, and count again later', async () => {
    age(-1);
    const before = read();
    service.state.refreshes.push('gone', 'gone', {
      status: 503,
      body: { title: 'Busy', code: 'overloaded' },
    });
    expect((await cli('repo', 'list')).code).toBe(5);
    expect((await cli('repo', 'list')).code).toBe(1);
    expect(read()).toEqual(before);
    expect((await cli('repo', 'list')).code).toBe(0);
  });

  it('is used to its end while it cannot be changed', async () => {
    age(30_000);
    service.state.refreshes.push('gone', 'gone');
    expect((await cli('repo', 'list')).code).toBe(0);
  });

  it('is never sent to an address that the service names elsewhere', async () => {
    age(-1);
    service.state.metadata = { token_endpoint: 'https://evil.example/token' };
    const { code, stderr } = await cli('repo', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('names an address of another service');
  });
});

describe('the lock of the credentials', () => {
  const lock = () => join(folder, 'credentials.lock');

  it('is broken when its process has gone', async () => {
    // No process has so high a number (proc(5): pid_max).
    writeFileSync(lock(), `99999999 ${hostname()} 0123456789abcdef01234567`);
    age(-1);
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(existsSync(lock())).toBe(false);
  });

  it('is broken by one of several that come at once, and the login is renewed once', async () => {
    writeFileSync(lock(), `99999999 ${hostname()} 0123456789abcdef01234567`);
    age(-1);
    const codes = await Promise.all(Array.from({ length: 8 }, () => cli('repo', 'list')));
    expect(codes.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(refreshes()).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('of another machine is broken when it is older than any renewal', async () => {
    writeFileSync(lock(), '1 another-machine 0123456789abcdef01234567');
    const then = new Date(Date.now() - 61_000);
    utimesSync(lock(), then, then);
    age(-1);
    expect((await cli('repo', 'list')).code).toBe(0);
  });

  it.each([
    ['its process lives', `${process.pid} ${hostname()}`],
    ['it is a young one of another machine', '99999999 another-machine'],
  ])('is waited for while %s', async (_, holder) => {
    const content = `${holder} 0123456789abcdef01234567`;
    writeFileSync(lock(), content);
    age(-1);
    const controller = new AbortController();
    const env = { ORGCTX_URL: service.url, XDG_CONFIG_HOME: config };
    const running = runCli(['repo', 'list'], { env, signal: controller.signal });
    await expect.poll(() => readdirSync(folder).length).toBe(3);
    controller.abort(new Error('enough'));
    expect((await running).code).toBe(1);
    expect(refreshes()).toEqual([]);
    expect(readFileSync(lock(), 'utf8')).toBe(content);
    expect(readdirSync(folder).toSorted()).toEqual(['credentials.json', 'credentials.lock']);
  });
});
