import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LoginService, openLoginService } from '../../../test/standins/login-service.ts';
import { runCli } from '../../../test/support/program/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

let service: LoginService;
let config: string;
let folder: string;

beforeEach(async () => {
  service = await openLoginService();
  config = temporaryFolder();
  folder = join(config, 'orgctx');
  await cli('login', '--wait');
  service.seen.length = 0;
  service.state.rest = () => ({ body: { items: [], nextCursor: null } });
});
afterEach(() => service.close());

function cli(...words: readonly string[]) {
  return runCli(words, { env: { ORGCTX_URL: service.url, XDG_CONFIG_HOME: config } });
}

const read = () => JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8')).logins[service.url];

/** Changes the expiry of the stored access token to `leftMs` from now. */
function setRemainingLifetime(leftMs: number): void {
  const login = { ...read(), accessTokenExpiresAt: Date.now() + leftMs };
  const content = JSON.stringify({ version: 1, logins: { [service.url]: login } });
  writeFileSync(join(folder, 'credentials.json'), content, { mode: 0o600 });
}

const refreshes = () =>
  service.seen.filter(({ body }) => (body as { grant_type?: string })?.grant_type === 'refresh_token');

describe('the access token of a login', () => {
  it('is used while it is valid for at least a minute', async () => {
    setRemainingLifetime(90_000);
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(refreshes()).toEqual([]);
  });

  it('is refreshed before it expires, and the new tokens are stored', async () => {
    setRemainingLifetime(59_000);
    const before = read();
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(refreshes()).toMatchObject([{ body: { refresh_token: before.refreshToken } }]);
    expect(read()).toMatchObject({
      accessToken: service.state.accessToken,
      refreshToken: service.state.refreshToken,
      email: 'ada@example.com',
    });
  });

  it('is not refreshed for every call if tokens live for a minute only', async () => {
    service.state.expiresIn = 60;
    setRemainingLifetime(-1);
    await cli('repo', 'list');
    await cli('repo', 'list');
    expect(refreshes()).toHaveLength(1);
  });

  it('is refreshed when the service refuses it, and the request is retried once', async () => {
    service.state.accessToken = 'at-another';
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(refreshes()).toHaveLength(1);
    service.state.rest = () => ({ status: 401, body: { title: 'No', code: 'invalid_token' } });
    const { code, stderr } = await cli('repo', 'list');
    expect(code).toBe(4);
    expect(stderr).toContain('orgctx login');
    expect(refreshes()).toHaveLength(2);
  });

  it('is refreshed once by concurrent commands, which all succeed', async () => {
    setRemainingLifetime(-1);
    const codes = await Promise.all(Array.from({ length: 8 }, () => cli('repo', 'list')));
    expect(codes.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(refreshes()).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('exits with 4 and mentions orgctx login if it cannot be refreshed', async () => {
    setRemainingLifetime(-1);
    service.state.refreshToken = 'rt-another';
    const { code, stderr } = await cli('repo', 'list');
    expect(code).toBe(4);
    expect(stderr).toContain(`Sign in again: "orgctx login --url ${service.url}"`);
  });

  it('is requested again at once after a lost response', async () => {
    setRemainingLifetime(-1);
    service.state.refreshes.push('gone');
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(refreshes()).toHaveLength(2);
  });

  it('is kept while the service is unreachable, and works again later', async () => {
    setRemainingLifetime(-1);
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

  it('is used until it expires while it cannot be refreshed', async () => {
    setRemainingLifetime(30_000);
    service.state.refreshes.push('gone', 'gone');
    expect((await cli('repo', 'list')).code).toBe(0);
  });

  it('is never sent to another origin that the service names', async () => {
    setRemainingLifetime(-1);
    service.state.metadata = { token_endpoint: 'https://evil.example/token' };
    const { code, stderr } = await cli('repo', 'list');
    expect(code).toBe(1);
    expect(stderr).toContain('returned a sign-in address of another service');
  });
});

describe('the lock of the credentials', () => {
  const lock = () => join(folder, 'credentials.lock');

  it('is broken if its process has exited', async () => {
    // No process has this id: it exceeds pid_max (proc(5)).
    writeFileSync(lock(), `99999999 ${hostname()} 0123456789abcdef01234567`);
    setRemainingLifetime(-1);
    expect((await cli('repo', 'list')).code).toBe(0);
    expect(existsSync(lock())).toBe(false);
  });

  it('is broken by one of several concurrent commands, and the login is refreshed once', async () => {
    writeFileSync(lock(), `99999999 ${hostname()} 0123456789abcdef01234567`);
    setRemainingLifetime(-1);
    const codes = await Promise.all(Array.from({ length: 8 }, () => cli('repo', 'list')));
    expect(codes.map(({ code }) => code)).toEqual(Array.from({ length: 8 }, () => 0));
    expect(refreshes()).toHaveLength(1);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('is broken if it belongs to another machine and is older than any refresh', async () => {
    writeFileSync(lock(), '1 another-machine 0123456789abcdef01234567');
    const then = new Date(Date.now() - 61_000);
    utimesSync(lock(), then, then);
    setRemainingLifetime(-1);
    expect((await cli('repo', 'list')).code).toBe(0);
  });

  it.each([
    ['its process lives', `${process.pid} ${hostname()}`],
    ['it is a young one of another machine', '99999999 another-machine'],
  ])('is not broken while %s', async (_, holder) => {
    const content = `${holder} 0123456789abcdef01234567`;
    writeFileSync(lock(), content);
    setRemainingLifetime(-1);
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
