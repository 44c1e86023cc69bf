import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { codeSearchProbe } from '../../../src/app/doctor/probe-code-search.ts';
import { protocolNumber } from '../../../src/backends/codesearch/remote/protocol/version.ts';
import { codesearchCheck } from '../../../src/features/doctor/host/checks/codesearch.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import {
  type CodeSearchProcess,
  remoteAt,
  serviceSecret,
  startCodeSearchProcess,
} from '../../support/codesearch/codesearch-process.ts';
import { indexRequest } from '../../support/codesearch/index-request.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, literal, ours, patient } from './query.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function started(dataDir = temporaryFolder(), port = 0): Promise<CodeSearchProcess> {
  const service = await startCodeSearchProcess(dataDir, port);
  closing.push(() => service.kill());
  return service;
}

function adapter(url: string) {
  const remote = remoteAt(url);
  closing.push(() => remote.close());
  return remote;
}

const id = 'repo-one' as RepositoryId;
const headOf = (of: TestRepository): string => of.git('rev-parse', 'HEAD');
const requestOf = (of: TestRepository, more: { repository?: string; to?: string } = {}) =>
  indexRequest({ scope: ours, repository: id, gitDir: join(of.folder, '.git'), to: headOf(of), ...more });

/** Enough files that indexing them takes a moment. */
function largeRepository(): TestRepository {
  const content = (file: number): string => `export const value${file} = needle${file}();\n`.repeat(400);
  return createRepository(
    Object.fromEntries(Array.from({ length: 200 }, (_, file) => [`src/file${file}.ts`, content(file)])),
  );
}

/** Waits until something that is to be indexed has arrived. */
async function beingSent(dataDir: string): Promise<void> {
  const incoming = join(dataDir, 'codesearch-service/incoming');
  await expect.poll(() => readdirSync(incoming).length, { interval: 5 }).toBeGreaterThan(0);
}

describe('an index request', () => {
  it('sends only the objects that the service lacks, and everything after it lost its mirror', async () => {
    const dataDir = temporaryFolder();
    const service = await started(dataDir);
    const remote = adapter(service.url);
    const source = createRepository({ 'a.ts': 'const one = 1;\n', 'large.bin': Buffer.alloc(3e6, 'x') });
    await remote.index.apply(requestOf(source), patient);
    const mirror = join(dataDir, 'codesearch-service/repositories', ours.organizationId, `${id}.git`);
    const packs = () => readdirSync(join(mirror, 'objects/pack')).filter((name) => name.endsWith('.pack'));
    expect(packs()).toHaveLength(1);
    source.commit({ 'a.ts': 'const two = 2;\n' });
    const next = await remote.index.apply(requestOf(source), patient);
    expect(next).toMatchObject({ commit: headOf(source), generation: 2, files: 1 });
    expect(packs()).toHaveLength(2);

    rmSync(mirror, { recursive: true });
    source.commit({ 'a.ts': 'const three = 3;\n' });
    const after = await remote.index.apply(requestOf(source), patient);
    expect(after).toMatchObject({ commit: headOf(source), files: 1 });
    expect(packs()).toHaveLength(1);
  });

  it('follows a force push and adds and removes branches', async () => {
    const service = await started();
    const remote = adapter(service.url);
    const source = createRepository({ 'a.ts': 'const base = 1;\n' });
    const base = headOf(source);
    source.commit({ 'b.ts': 'const gone = 1;\n' });
    await remote.index.apply(requestOf(source), patient);
    source.git('reset', '--quiet', '--hard', base);
    source.commit({ 'c.ts': 'const forced = 1;\n' });
    await remote.index.apply(requestOf(source), patient);
    const found = async (text: string) =>
      (await remote.search.search(ours, ask(literal(text)), patient)).files.map(({ path }) => path);
    expect(await found('forced')).toEqual(['c.ts']);
    expect(await found('gone')).toEqual([]);
    // Back to a commit that the service has: only the header line is sent.
    expect(await remote.index.apply(requestOf(source, { to: base }), patient)).toMatchObject({
      commit: base,
    });
    expect(await found('forced')).toEqual([]);
  });

  it('sends everything after the service lost one object of its mirror or cannot read it', async () => {
    const dataDir = temporaryFolder();
    const service = await started(dataDir);
    const remote = adapter(service.url);
    const text = Array.from({ length: 5000 }, (_, line) => `const x${line * 7919} = 1;\n`).join('');
    const source = createRepository({ 'a.ts': text });
    await remote.index.apply(requestOf(source), patient);
    const mirror = join(dataDir, 'codesearch-service/repositories', ours.organizationId, `${id}.git`);
    const packs = join(mirror, 'objects/pack');
    const contents = readdirSync(packs)
      .filter((name) => name.endsWith('.pack'))
      .map((name) => readFileSync(join(packs, name)));
    rmSync(packs, { recursive: true });
    for (const input of contents)
      execFileSync('git', [`--git-dir=${mirror}`, 'unpack-objects', '-q'], { input });
    const lost = source.git('rev-parse', 'HEAD:a.ts');
    rmSync(join(mirror, 'objects', lost.slice(0, 2), lost.slice(2)), { force: true });
    source.commit({ 'a.ts': `${text}const two = 2;\n` });
    expect(await remote.index.apply(requestOf(source), patient)).toMatchObject({ commit: headOf(source) });
    writeFileSync(join(mirror, 'HEAD'), 'damaged');
    source.commit({ 'a.ts': `${text}const three = 3;\n` });
    expect(await remote.index.apply(requestOf(source), patient)).toMatchObject({ commit: headOf(source) });
    const read = await remote.sources.readFile(ours, { repository: id, path: 'a.ts' }, patient);
    expect(read?.content).toContain('const three');
  });

  it('is required again after the service lost its disk: searches report it, and the index is rebuilt', async () => {
    const dataDir = temporaryFolder();
    const service = await started(dataDir);
    const remote = adapter(service.url);
    const source = createRepository({ 'a.ts': 'const one = 1;\n' });
    await remote.index.apply(requestOf(source), patient);
    expect(await remote.index.isDamaged(ours, id)).toBe(false);
    for (const part of readdirSync(join(dataDir, 'codesearch-service')))
      rmSync(join(dataDir, 'codesearch-service', part, ours.organizationId), {
        recursive: true,
        force: true,
      });
    expect(await remote.index.isDamaged(ours, id)).toBe(true);
    const named = ask(literal('one'), { repositories: [requestOf(source).repository] });
    const answer = () => remote.search.search(ours, named, patient);
    await expect.poll(answer).toMatchObject({ files: [], incomplete: 'damaged' });
    await remote.index.apply(requestOf(source), patient);
    expect((await answer()).files).toHaveLength(1);
    expect((await answer()).incomplete).toBeUndefined();
    expect(await remote.index.isDamaged(ours, id)).toBe(false);
  });

  it('rebuilds the mirror at the service when it is damaged', async () => {
    const dataDir = temporaryFolder();
    const service = await started(dataDir);
    const remote = adapter(service.url);
    const source = createRepository({ 'a.ts': 'const one = 1;\n' });
    await remote.index.apply(requestOf(source), patient);
    const pack = join(
      dataDir,
      'codesearch-service/repositories',
      ours.organizationId,
      `${id}.git/objects/pack`,
    );
    for (const name of readdirSync(pack)) {
      chmodSync(join(pack, name), 0o600);
      writeFileSync(join(pack, name), 'damaged');
    }
    source.commit({ 'a.ts': 'const two = 2;\n' });
    expect(await remote.index.apply(requestOf(source), patient)).toMatchObject({ commit: headOf(source) });
    const read = await remote.sources.readFile(ours, { repository: id, path: 'a.ts' }, patient);
    expect(read).toMatchObject({ content: 'const two = 2;\n' });
  });
});

describe('work on one repository', () => {
  it('is refused as retryable while other work on it is running', async () => {
    const service = await started();
    const remote = adapter(service.url);
    const source = largeRepository();
    const first = remote.index.apply(requestOf(source), patient);
    const second = remote.index.apply(requestOf(source), patient);
    const outcomes = await Promise.allSettled([first, second]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(1);
    expect(refused[0]?.reason).toMatchObject({ code: 'index_busy', status: 503, retryAfter: 10 });
  });

  it('ends when its caller disconnects and when the repository is removed', async () => {
    const dataDir = temporaryFolder();
    const service = await started(dataDir);
    const remote = adapter(service.url);
    const source = largeRepository();
    for (const end of ['abort', 'remove'] as const) {
      const leaving = new AbortController();
      const work = remote.index.apply(requestOf(source), leaving.signal).catch((error: unknown) => error);
      await beingSent(dataDir);
      if (end === 'abort') leaving.abort(new Error('gone'));
      else await remote.index.remove(ours, id);
      const outcome = await work;
      if (end === 'abort') expect(outcome).toMatchObject({ message: 'gone' });
      // The next request is not delayed by the abandoned one.
      await expect
        .poll(() => remote.index.remove(ours, id).then(() => remote.index.status(ours, id)))
        .toBeUndefined();
      await expect.poll(() => readdirSync(join(dataDir, 'codesearch-service/incoming'))).toEqual([]);
    }
    expect(await remote.index.apply(requestOf(source), patient)).toMatchObject({ files: 200 });
  });

  it('continues after a kill of the service', async () => {
    const dataDir = temporaryFolder();
    const source = largeRepository();
    const first = headOf(source);
    const before = await started(dataDir);
    const remote = adapter(before.url);
    await remote.index.apply(requestOf(source), patient);
    source.commit({ 'src/file1.ts': 'const afterTheKill = 1;\n' });
    const { port } = new URL(before.url);
    let service = before;
    for (const wait of [0, 60, 120]) {
      const work = remote.index.apply(requestOf(source), patient).catch((error: unknown) => error);
      await new Promise((resolve) => setTimeout(resolve, wait));
      await service.kill();
      const outcome = await work;
      if (outcome instanceof Error) expect(outcome).toMatchObject({ status: 503 });
      service = await started(dataDir, Number(port));
      const { files } = await remote.search.search(ours, ask(literal('needle7()')), patient);
      expect(files).toHaveLength(1);
      expect([first, headOf(source)]).toContain(files[0]?.commit);
      expect(readdirSync(join(dataDir, 'codesearch-service/incoming'))).toEqual([]);
    }
    expect(await remote.index.apply(requestOf(source), patient)).toMatchObject({ commit: headOf(source) });
    const { files } = await remote.search.search(ours, ask(literal('afterTheKill')), patient);
    expect(files.map(({ path }) => path)).toEqual(['src/file1.ts']);
  });
});

describe('a service that shuts down', () => {
  it('reports it at /readyz, aborts indexing, and exits with 0', async () => {
    const dataDir = temporaryFolder();
    const service = await started(dataDir);
    const remote = adapter(service.url);
    const work = remote.index.apply(requestOf(largeRepository()), patient).catch((error: unknown) => error);
    await beingSent(dataDir);
    const code = await service.stop();
    expect(code).toBe(0);
    expect(await work).toMatchObject({ status: 503 });
    expect(service.output()).toContain('"msg":"stopped"');
  });
});

describe('a host that is not a code search service', () => {
  async function answering(listener: Parameters<typeof createServer>[1]): Promise<string> {
    const server: Server = createServer(listener as never);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const search = (url: string) =>
    adapter(url).search.search(ours, ask(literal('x'), { deadlineMs: 200 }), patient);

  it('is reported with the setting to check: no host, another service, an invalid response, no response', async () => {
    const nobody = 'http://127.0.0.1:1';
    await expect(search(nobody)).rejects.toMatchObject({
      status: 503,
      code: 'codesearch_unreachable',
      message: expect.stringContaining('Check CODESEARCH_URL'),
      retryAfter: 5,
    });
    const page = await answering((_request, response) => void response.end('<html>'));
    await expect(search(page)).rejects.toMatchObject({ status: 503, code: 'codesearch_protocol' });
    const newer = await answering((_request, response) => {
      response.writeHead(200, { 'orgctx-codesearch-protocol': String(protocolNumber + 1) }).end('{}\n');
    });
    await expect(search(newer)).rejects.toThrow('upgrade the backend and workers');
    const head = { 'orgctx-codesearch-protocol': String(protocolNumber) };
    const nonsense = await answering(
      (_request, response) => void response.writeHead(200, head).end('{"x":\n'),
    );
    await expect(search(nonsense)).rejects.toMatchObject({ status: 503, code: 'codesearch_answer' });
    const half = await answering(
      (_request, response) => void response.writeHead(200, head).end('\n'.slice(1)),
    );
    await expect(search(half)).rejects.toMatchObject({ status: 503, code: 'codesearch_unreachable' });
    const silent = await answering(() => undefined);
    await expect(search(silent)).rejects.toMatchObject({ status: 503, code: 'codesearch_timeout' });
    const proxy = await answering((_request, response) => void response.writeHead(502).end('Bad gateway'));
    await expect(search(proxy)).rejects.toMatchObject({ status: 503, code: 'codesearch_unreachable' });
  });

  it('is not called for a while after three failures, and is called again after the pause', async () => {
    let requests = 0;
    const url = await answering((request) => {
      requests += 1;
      request.socket.destroy();
    });
    const remote = adapter(url);
    const once = () => remote.search.search(ours, ask(literal('x')), patient).catch((error: Error) => error);
    for (let call = 0; call < 6; call++)
      expect(await once()).toMatchObject({ code: 'codesearch_unreachable' });
    // Each of the first three calls was tried twice.
    expect(requests).toBe(6);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    await once();
    expect(requests).toBeGreaterThan(6);
  });

  it('is cut off when its answer does not end', async () => {
    const url = await answering((_request, response) => {
      response.writeHead(200, { 'orgctx-codesearch-protocol': String(protocolNumber) });
      const more = (): void => {
        while (response.write(Buffer.alloc(1024 ** 2, 'x')));
        response.once('drain', more);
      };
      more();
    });
    const answer = adapter(url).search.search(ours, ask(literal('x'), { deadlineMs: 20_000 }), patient);
    await expect(answer).rejects.toMatchObject({ code: 'codesearch_answer' });
  });

  it('does not get an upload a second time automatically', async () => {
    let uploads = 0;
    const url = await answering((request, response) => {
      if (request.url?.startsWith('/status') === true) {
        response
          .writeHead(200, { 'orgctx-codesearch-protocol': String(protocolNumber) })
          .end('{"commits":[]}\n');
        return;
      }
      uploads += 1;
      request.socket.destroy();
    });
    const source = createRepository({ 'a.ts': 'x\n' });
    await expect(adapter(url).index.apply(requestOf(source), patient)).rejects.toMatchObject({ status: 503 });
    expect(uploads).toBe(1);
  });
});

describe('orgctx doctor', () => {
  const check = async (env: Record<string, string>) => {
    const settings = loadConfig({ env, cwd: '/nowhere', homeDir: temporaryFolder() });
    const { config, secrets } = settings;
    const askCodeSearch = codeSearchProbe(settings, patient);
    return codesearchCheck.run({ config, secrets, clock: systemClock, askCodeSearch });
  };

  it('distinguishes a service that answers from one that is down, refuses the secret or cannot write', async () => {
    const dataDir = temporaryFolder();
    const service = await started(dataDir);
    const env = { CODESEARCH_URL: service.url, CODESEARCH_SECRET: serviceSecret };
    // A new service on a busy machine needs a moment before its threads answer in time.
    await expect
      .poll(() => check(env))
      .toMatchObject({
        status: 'pass',
        evidence: { engine: 'remote', url: service.url },
      });
    expect(await check({ ...env, CODESEARCH_SECRET: 'x'.repeat(32) })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('CODESEARCH_SECRET'),
    });
    expect(await check({ ...env, CODESEARCH_URL: 'http://127.0.0.1:1' })).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('Check CODESEARCH_URL'),
    });
    rmSync(join(dataDir, 'codesearch-service/incoming'), { recursive: true });
    expect(await check(env)).toMatchObject({ status: 'warning' });
    const readyz = await fetch(`${service.url}/readyz`);
    expect([readyz.status, await readyz.json()]).toEqual([503, { status: 'unavailable', reason: 'disk' }]);
  });

  it('explains what several hosts with Postgres need', async () => {
    const env = { DATABASE_URL: 'postgres://orgctx@db.example/orgctx', AUTH_SECRET: 'x'.repeat(32) };
    expect((await check(env)).message).toContain('CODESEARCH_URL');
    expect((await check({})).message).toBe('The embedded engine uses DATA_DIR.');
  });
});

it('does not start without a secret of 32 characters', () => {
  const launcher = join(import.meta.dirname, '../../../bin/orgctx.ts');
  for (const secret of ['', 'too-short']) {
    const run = () =>
      execFileSync(
        process.execPath,
        [launcher, 'codesearch', '--port', '0', '--data-dir', temporaryFolder()],
        {
          cwd: temporaryFolder(),
          env: { PATH: process.env['PATH'], CODESEARCH_SECRET: secret },
          encoding: 'utf8',
          stdio: 'pipe',
          timeout: 30_000,
        },
      );
    expect(run).toThrow(
      expect.objectContaining({ status: 3, stderr: expect.stringContaining('CODESEARCH_SECRET') }),
    );
  }
});
