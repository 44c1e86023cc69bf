import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  runCli,
  type StandInAnswer,
  type StandInService,
  standInService,
} from '../../test/support/command-line.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { Interrupted } from './frame/interrupted.ts';

const key = 'ock_0123456789';
const list = ['repo', 'list'];
let service: StandInService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function listAgainst(answer: StandInAnswer, words: readonly string[] = list) {
  service = await standInService(() => answer);
  return runCli(words, { env: { ORGCTX_URL: service.url, ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' } });
}

describe('a remote command', () => {
  it('needs an organization: exit 2', async () => {
    const { code, stderr } = await runCli(list, { env: { ORGCTX_API_KEY: key } });
    expect(code).toBe(2);
    expect(stderr).toContain('Give --org <slug> or set ORGCTX_ORG.');
  });

  it('needs a key: exit 4, and says how to get one', async () => {
    const { code, stderr } = await runCli([...list, '--org', 'acme']);
    expect(code).toBe(4);
    expect(stderr).toContain('orgctx admin key create');
  });

  it('takes flags before variables, the key from a file, and the address of the endpoint as well', async () => {
    service = await standInService(() => ({ body: { items: [], nextCursor: null } }));
    const file = join(temporaryFolder(), 'key');
    writeFileSync(file, `${key}\n`);
    const env = { ORGCTX_URL: 'http://127.0.0.1:1', ORGCTX_ORG: 'other', ORGCTX_API_KEY_FILE: file };
    const { code } = await runCli([...list, '--url', `${service.url}/mcp`, '--org', 'acme'], { env });
    expect(code).toBe(0);
    expect(service.seen[0]).toMatchObject({
      url: '/acme/api/v1/repositories',
      headers: { authorization: `Bearer ${key}` },
    });
  });

  it('finds the service of this host by its own settings', async () => {
    service = await standInService(() => ({ body: { items: [], nextCursor: null } }));
    const { port } = new URL(service.url);
    const { code } = await runCli(list, { env: { PORT: port, ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' } });
    expect(code).toBe(0);
  });

  it.each([
    ['ftp://x', 'must be an http or https URL'],
    ['nowhere', 'must be an http or https URL'],
    ['https://me:hush@x', 'must not carry a user or password'],
    ['https://x/?access_token=hush', 'must not have a query'],
    ['https://x/base', 'must be the origin'],
  ])('refuses --url %s with exit 2, without repeating it', async (url, message) => {
    const { code, stderr } = await runCli([...list, '--url', url, '--org', 'acme'], {
      env: { ORGCTX_API_KEY: key },
    });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('hush');
  });

  it.each([
    [{ ORGCTX_API_KEY: 'hush\r\nX-Evil: 1' }, 3, 'ORGCTX_API_KEY is not an API key'],
    [{ ORGCTX_API_KEY: key, ORGCTX_API_KEY_FILE: '/dev/null' }, 3, 'must not both be set'],
    [{ ORGCTX_API_KEY_FILE: '/absent' }, 3, 'cannot be read (ENOENT)'],
  ])('refuses a key that cannot be one: %j', async (env, code, message) => {
    const outcome = await runCli([...list, '--org', 'acme'], { env });
    expect(outcome.code).toBe(code);
    expect(outcome.stderr.replace(/\s+/g, ' ')).toContain(message);
    expect(outcome.stderr).not.toContain('hush');
  });

  it.each(['../admin', 'a/b', 'Acme', '-x', 'x'.repeat(40)])(
    'refuses the organization %j: exit 2',
    async (org) => {
      const { code } = await runCli([...list, `--org=${org}`], { env: { ORGCTX_API_KEY: key } });
      expect(code).toBe(2);
    },
  );

  it('warns when the key would travel in the clear', async () => {
    const controller = new AbortController();
    controller.abort(new Interrupted('Ctrl-C'));
    const words = [...list, '--url', 'http://context.example', '--org', 'acme'];
    const { stderr } = await runCli(words, { env: { ORGCTX_API_KEY: key }, signal: controller.signal });
    expect(stderr).toContain('warning: http://context.example is not https');
  });
});

describe('an answer of the service', () => {
  const problem = (status: number, code: string, more: object = {}): StandInAnswer => ({
    status,
    headers: { 'content-type': 'application/problem+json' },
    body: {
      type: 'about:blank',
      title: 'Title',
      status,
      detail: `Say ${code}.`,
      code,
      requestId: 'r-1',
      ...more,
    },
  });

  it.each([
    [400, 'validation_failed', 2],
    [401, 'invalid_token', 4],
    [403, 'forbidden', 4],
    [403, 'insufficient_scope', 4],
    [404, 'not_found', 1],
    [409, 'repository_exists', 1],
    [413, 'payload_too_large', 1],
    [429, 'rate_limited', 1],
    [500, 'internal', 1],
    [503, 'overloaded', 1],
  ])('%i %s is told in its own words with its request id', async (status, code, exit) => {
    const outcome = await listAgainst(problem(status, code));
    expect(outcome.code).toBe(exit);
    expect(outcome.stdout).toBe('');
    expect(outcome.stderr).toContain(`error: Say ${code}.`);
    expect(outcome.stderr).toContain('request r-1');
  });

  it('names each fault of the request', async () => {
    const { stderr } = await listAgainst(
      problem(400, 'validation_failed', { errors: [{ path: 'limit', message: 'too big' }] }),
    );
    expect(stderr).toContain('  limit too big');
  });

  it.each<[string, StandInAnswer, RegExp]>([
    ['a page of a proxy', { status: 502, body: '<html>' }, /answered 502, but not as orgctx does/],
    ['another service', { body: { hello: 1 } }, /did not answer as orgctx does/],
    ['no JSON', { body: 'hello' }, /did not answer as orgctx does/],
    [
      'a redirect',
      { status: 302, headers: { location: 'https://login.example/?state=hush' } },
      /redirects to https:\/\/login\.example\. Give/,
    ],
  ])('that is %s is no crash', async (_, answer, message) => {
    const { code, stderr } = await listAgainst(answer);
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('hush');
  });

  it('that does not come because nobody listens is exit 5', async () => {
    const env = { ORGCTX_URL: 'http://127.0.0.1:1', ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' };
    const { code, stderr } = await runCli(list, { env });
    expect(code).toBe(5);
    expect(stderr).toContain('127.0.0.1:1 refused the connection');
  });

  it('that does not come before Ctrl-C is exit 130', async () => {
    const controller = new AbortController();
    service = await standInService(() => {
      controller.abort(new Interrupted('Ctrl-C'));
      return undefined;
    });
    const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' };
    expect((await runCli(list, { env, signal: controller.signal })).code).toBe(130);
  });

  it('never brings the key into what is printed', async () => {
    const outcome = await listAgainst(problem(401, 'invalid_token'), [...list, '--verbose']);
    expect(outcome.stderr + outcome.stdout).not.toContain(key);
  });
});
