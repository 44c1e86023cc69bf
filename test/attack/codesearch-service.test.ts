import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protocolHeader, protocolNumber } from '../../src/backends/codesearch/remote/protocol/version.ts';
import { writeBundle } from '../../src/foundation/git/bundle/write-bundle.ts';
import type { RepositoryId } from '../../src/foundation/kernel/ids.ts';
import { ask, literal, ours, patient, theirs } from '../contract/codesearch/query.ts';
import {
  type CodeSearchProcess,
  remoteAt,
  serviceSecret,
  startCodeSearchProcess,
} from '../support/codesearch/codesearch-process.ts';
import { indexRequest, namedRepository } from '../support/codesearch/index-request.ts';
import { createRepository } from '../support/git/git-repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const dataDir = temporaryFolder();
const folder = join(dataDir, 'codesearch-service');
let service: CodeSearchProcess;
let remote: ReturnType<typeof remoteAt>;
const source = createRepository({ 'a.ts': 'const needle = 1;\n' });
const gitDir = join(source.folder, '.git');
const tip = source.git('rev-parse', 'HEAD');

beforeAll(async () => {
  service = await startCodeSearchProcess(dataDir);
  remote = remoteAt(service.url);
  await remote.index.apply(
    indexRequest({ scope: theirs, repository: 'repo-theirs', gitDir, to: tip }),
    patient,
  );
});

afterAll(async () => {
  await remote?.close();
  await service?.stop();
});

interface Sent {
  readonly method?: string;
  readonly secret?: string | undefined;
  readonly protocol?: string | undefined;
  readonly type?: string;
  readonly body?: string | Uint8Array;
}

async function send(path: string, { method = 'POST', type, body, ...sent }: Sent = {}) {
  const secret = 'secret' in sent ? sent.secret : serviceSecret;
  const protocol = 'protocol' in sent ? sent.protocol : String(protocolNumber);
  const answer = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...(protocol === undefined ? {} : { [protocolHeader]: protocol }),
      ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
    },
    ...(body === undefined ? {} : { body: body as RequestInit['body'] & {} }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

const problemOf = ({ text }: { text: string }) => JSON.parse(text) as Record<string, unknown>;
const json = (path: string, body: unknown) => send(path, { body: JSON.stringify(body) });

/** Sends an index request with any header and bundle. */
function index(head: unknown, bundle: Uint8Array = new Uint8Array()) {
  const first = Buffer.from(typeof head === 'string' ? head : `${JSON.stringify(head)}\n`);
  return send('/index', { body: Buffer.concat([first, bundle]), type: 'application/octet-stream' });
}

const headOf = (more: Record<string, unknown> = {}) => ({
  scope: ours,
  repository: namedRepository('repo-ours'),
  branches: [{ name: 'main', commit: tip }],
  shallow: [],
  ...more,
});

const outcomeOf = ({ text }: { text: string }) =>
  JSON.parse(text.trim().split('\n').at(-1) ?? '') as { problem?: { code: string }; status?: unknown };

describe('a request without the secret', () => {
  const paths = [
    ['POST', '/search'],
    ['POST', '/rank'],
    ['POST', '/read'],
    ['POST', '/tree'],
    ['POST', '/index'],
    ['POST', '/define'],
    ['POST', '/compact'],
    ['POST', '/remove'],
    ['GET', '/status'],
    ['GET', '/status?organizationId=org-theirs&repositoryId=repo-theirs&part=index'],
    ['GET', '/nothing'],
    ['POST', '/healthz'],
    ['GET', '/healthz/../status'],
    ['GET', '//status'],
  ] as const;

  it.each(paths)('%s %s is refused, whatever else it contains', async (method, path) => {
    for (const secret of [
      undefined,
      '',
      'x',
      `${serviceSecret}x`,
      serviceSecret.slice(0, -1),
      ` ${serviceSecret}`,
    ]) {
      // fetch trims a header, so the received value counts.
      if (secret?.trim() === serviceSecret) continue;
      const { status, headers } = await send(path, { method, secret });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('is refused before its body is read', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      'POST /index HTTP/1.1\r\nhost: x\r\ncontent-type: application/octet-stream\r\ncontent-length: 99999999\r\n\r\n{',
    );
    const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 401/);
    expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
  });

  it('gets only liveness and readiness', async () => {
    expect(await send('/healthz', { method: 'GET', secret: undefined, protocol: undefined })).toMatchObject({
      status: 200,
      text: '{"status":"ok"}',
    });
    expect(await send('/readyz', { method: 'GET', secret: undefined, protocol: undefined })).toMatchObject({
      status: 200,
      text: '{"status":"ok"}',
    });
  });

  it('is answered with the setting that is wrong', async () => {
    const unauthorized = remoteAt(service.url, 'another-secret-of-thirty-two-characters');
    await expect(unauthorized.search.search(theirs, ask(literal('needle')), patient)).rejects.toMatchObject({
      code: 'codesearch_secret',
      status: 503,
      message: expect.stringContaining('CODESEARCH_SECRET'),
    });
    await unauthorized.close();
  });
});

describe('a protocol version mismatch', () => {
  it.each([
    [String(protocolNumber + 1), 'upgrade the code search service'],
    ['0', 'upgrade the backend and workers'],
    [undefined, 'Only orgctx'],
    ['x', 'Only orgctx'],
  ])('%s is answered with the next step', async (protocol, words) => {
    const answer = await send('/status', { method: 'GET', protocol });
    expect(answer.status).toBe(409);
    expect(problemOf(answer)).toMatchObject({
      code: 'codesearch_protocol',
      detail: expect.stringContaining(words),
    });
  });
});

describe('a hostile body', () => {
  const search = (request: Record<string, unknown>, scope: unknown = ours) =>
    json('/search', { scope, request: { ...ask(literal('needle')), ...request } });

  it.each(['', '{', '[]', 'null', '"x"', '{"__proto__":{"x":1}}', '{"scope":{}}'])(
    '%j is not a query',
    async (body) => {
      for (const path of ['/search', '/rank', '/read', '/tree', '/define', '/compact', '/remove']) {
        const answer = await send(path, { body });
        expect(answer.status).toBe(400);
        expect(problemOf(answer)).toMatchObject({ code: 'validation_failed' });
      }
    },
  );

  it.each(['../org-theirs', 'org/theirs', '.', '..', '', 'a\0b', 'x'.repeat(129), 7, null, ['org-theirs']])(
    'with the organization %j is refused',
    async (organizationId) => {
      const scope = { organizationId, orgSlug: 'x' };
      expect((await search({}, scope)).status).toBe(400);
      expect((await json('/remove', { scope, repositoryId: 'repo-theirs' })).status).toBe(400);
      expect((await index(headOf({ scope }))).status).toBe(400);
    },
  );

  it.each(['../../org-theirs/repo-theirs', '..', 'a/b', 'x.git/../../y', ''])(
    'with the repository %j cannot write or remove it',
    async (id) => {
      const repository = { ...namedRepository('x'), id };
      expect((await index(headOf({ repository }))).status).toBe(400);
      expect((await json('/remove', { scope: ours, repositoryId: id })).status).toBe(400);
      const query = new URLSearchParams({ organizationId: 'org-ours', repositoryId: id, part: 'commits' });
      expect((await send(`/status?${query}`, { method: 'GET' })).status).toBe(400);
      expect(await remote.search.search(theirs, ask(literal('needle')), patient)).toMatchObject({
        files: [{ path: 'a.ts' }],
      });
    },
  );

  it('with an endlessly nested query is refused at once', async () => {
    const depth = 50_000;
    const nested = `${'{"kind":"not","operand":'.repeat(depth)}{"kind":"branch","pattern":"x"}${'}'.repeat(depth)}`;
    const body = JSON.stringify({ scope: ours, request: ask(literal('QUERY')) }).replace(
      /\{"kind":"literal"[^}]*\}/,
      nested,
    );
    const answer = await send('/search', { body });
    expect(answer.status).toBe(400);
    expect(problemOf(answer)).toMatchObject({
      errors: [{ path: '/request/query', message: 'is nested too deep' }],
    });
  });

  it.each([
    ['empty lists', `{"kind":"or","operands":[${'[],'.repeat(240_000)}[]]}`, 'holds too many parts'],
    [
      'lists of lists',
      `{"kind":"or","operands":[${'{"kind":"or","operands":[]},'.repeat(1_000)}{}]}`,
      'holds too many parts',
    ],
  ])('with a query of endlessly many %s is refused at once', async (_what, query, message) => {
    const body = JSON.stringify({ scope: ours, request: ask(literal('QUERY')) }).replace(
      /\{"kind":"literal"[^}]*\}/,
      query,
    );
    const before = process.cpuUsage();
    const answer = await send('/search', { body });
    const { user, system } = process.cpuUsage(before);
    expect(answer.status).toBe(400);
    expect(problemOf(answer)).toMatchObject({ errors: [{ path: '/request/query', message }] });
    expect((user + system) / 1_000).toBeLessThan(1_500);
  });

  it('with a query of too many operands, or none, is refused', async () => {
    for (const operands of [[], Array.from({ length: 201 }, () => literal('x'))]) {
      const request = ask({ kind: 'or', operands });
      expect((await send('/search', { body: JSON.stringify({ scope: ours, request }) })).status).toBe(400);
    }
  });

  it('over the size limit is refused', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const headers = `authorization: Bearer ${serviceSecret}\r\n${protocolHeader}: ${protocolNumber}\r\ncontent-type: application/json`;
    socket.write(`POST /search HTTP/1.1\r\nhost: x\r\n${headers}\r\ncontent-length: 99999999\r\n\r\n{`);
    const answer = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
    socket.destroy();
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413/);
  });

  it('of another type is refused', async () => {
    expect((await send('/search', { body: 'x', type: 'text/plain' })).status).toBe(415);
  });

  it('with invalid numbers is refused as an invalid field', async () => {
    const answer = await search({ limit: -1 });
    expect(answer.status).toBe(400);
    expect(problemOf(answer)).toMatchObject({ errors: [{ path: '/limit' }] });
  });
});

describe('a hostile bundle', () => {
  const bundleOf = (have: readonly string[] = []) =>
    buffer(writeBundle(gitDir, { tips: [tip], have }, patient));
  const named = { repository: 'repo-ours' as RepositoryId, scope: ours };

  const withAnotherByte = (whole: Buffer) => whole.fill(0x55, whole.length - 60, whole.length - 50);

  /** Expects that nothing is indexed, and that nothing of a mirror or of the received data is left. */
  async function expectNothingStored(): Promise<void> {
    expect(await remote.index.status(named.scope, named.repository)).toBeUndefined();
    expect(readdirSync(join(folder, 'incoming'))).toEqual([]);
    const mirrors = join(folder, 'repositories', 'org-ours');
    expect(existsSync(mirrors) ? readdirSync(mirrors) : []).toEqual([]);
  }

  it.each([
    ['garbage', async () => Buffer.from('garbage'.repeat(1_000))],
    ['half of one', async () => (await bundleOf()).subarray(0, -30)],
    ['one with another byte', async () => withAnotherByte(await bundleOf())],
    ['a tar of hooks', async () => Buffer.from('hooks/post-receive\0'.repeat(100))],
  ])('%s is refused and leaves nothing', async (_name, forge) => {
    expect(outcomeOf(await index(headOf(), await forge())).problem?.code).toBe('bundle_refused');
    await expectNothingStored();
  });

  it('that builds on missing objects is refused with that reason', async () => {
    const onto = await bundleOf(['f'.repeat(40)]).catch(() => undefined);
    expect(onto).toBeUndefined();
    const forged = Buffer.from(
      (await bundleOf()).toString('latin1').replace(tip, `-${'f'.repeat(40)} \n${tip}`),
      'latin1',
    );
    expect(outcomeOf(await index(headOf(), forged))).toEqual({ lacking: true });
    await expectNothingStored();
  });

  it('without the commit to index is refused', async () => {
    const head = headOf({ branches: [{ name: 'main', commit: 'e'.repeat(40) }] });
    expect(outcomeOf(await index(head, await bundleOf())).problem?.code).toBe('bundle_refused');
    await expectNothingStored();
  });

  it('cannot write outside with its ref names', async () => {
    for (const name of ['../../../../hooks/post-receive', 'refs/heads/--upload-pack=x', 'config', 'HEAD']) {
      const forged = (await bundleOf()).toString('latin1').replace('refs/orgctx/tips/0', name);
      await index(headOf(), Buffer.from(forged, 'latin1'));
      const mirror = join(folder, 'repositories', 'org-ours', 'repo-ours.git');
      if (existsSync(mirror)) {
        expect(existsSync(join(mirror, 'hooks'))).toBe(false);
        expect(readdirSync(join(mirror, 'refs'))).not.toContain('heads/--upload-pack=x');
      }
      await remote.index.remove(named.scope, named.repository);
    }
    await expectNothingStored();
  });

  it.each(['', 'x'.repeat(2 * 1024 ** 2), '{"scope":', 'null\n', `${JSON.stringify({})}\n`])(
    'with an invalid header is refused (%#)',
    async (head) => {
      expect((await index(head, await bundleOf())).status).toBe(400);
      await expectNothingStored();
    },
  );

  it.each([
    { branches: [] },
    { branches: Array.from({ length: 65 }, () => ({ name: 'main', commit: tip })) },
    { branches: [{ name: 'main', commit: 'HEAD' }] },
    { branches: [{ name: 'main', commit: '--all' }] },
    { shallow: ['x\ny'] },
    { shallow: [`${tip}\n${tip}`] },
  ])('with %j in its header is refused', async (more) => {
    expect((await index(headOf(more), await bundleOf())).status).toBe(400);
    await expectNothingStored();
  });

  it('leaves nothing when its sender disconnects midway', async () => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const headers = `authorization: Bearer ${serviceSecret}\r\n${protocolHeader}: ${protocolNumber}`;
    socket.write(
      `POST /index HTTP/1.1\r\nhost: x\r\n${headers}\r\ncontent-type: application/octet-stream\r\ncontent-length: 99999999\r\n\r\n`,
    );
    socket.write(`${JSON.stringify(headOf())}\n# v2 git bundle\n`);
    await expect.poll(() => readdirSync(join(folder, 'incoming'))).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => readdirSync(join(folder, 'incoming'))).toEqual([]);
    await expectNothingStored();
  });
});

it('the log contains neither the secret nor the searched text', async () => {
  await remote.search.search(theirs, ask(literal('aVerySpecialNeedle')), patient);
  await send('/status?access_token=querySecret', { method: 'GET', secret: 'wrongSecretOfSomebody' });
  expect(service.output()).toContain('"path":"/search"');
  expect(service.output()).not.toMatch(
    new RegExp(`${serviceSecret}|aVerySpecialNeedle|querySecret|wrongSecretOfSomebody`),
  );
});
