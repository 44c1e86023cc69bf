import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cloneMirror, fetchMirror, type MirrorRequest } from '../../../src/foundation/git/mirror/mirror.ts';
import { defaultMirrorLimits } from '../../../src/foundation/git/mirror/mirror-limits.ts';
import { gitEnvironment } from '../../../src/foundation/git/process/environment.ts';
import { pinned } from '../../../src/foundation/git/remote/reach-source.ts';
import { parseSource } from '../../../src/foundation/git/source/parse-source.ts';
import {
  type CertificateAuthority,
  createCertificateAuthority,
} from '../../standins/certificate-authority.ts';
import { type GitHttpServer, startGitHttpServer } from '../../standins/git-http-server.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = temporaryFolder();
const repository = createRepository({ 'a.txt': 'one\n', 'noise.bin': randomBytes(2_000_000) });
const commit = repository.git('rev-parse', 'HEAD');
let authority: CertificateAuthority;
const servers: GitHttpServer[] = [];

beforeAll(() => {
  execFileSync('git', ['clone', '--quiet', '--bare', repository.folder, join(root, 'owner', 'name.git')]);
  authority = createCertificateAuthority();
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(names?: readonly string[]): Promise<GitHttpServer> {
  const server = await startGitHttpServer({
    root,
    ...(names === undefined ? {} : { tls: authority.issue(names) }),
  });
  servers.push(server);
  return server;
}

function requestOf(
  url: string,
  options: Partial<MirrorRequest> = {},
  allowHosts = ['127.0.0.1'],
): MirrorRequest {
  const data = temporaryFolder();
  return {
    source: parseSource(url, { allowLocal: false, allowHosts }),
    gitDir: join(data, 'git', 'r.git'),
    signal: new AbortController().signal,
    deps: { dataDir: data, allowHosts, caFile: authority.file },
    ...options,
  };
}

const nothingLeft = ({ gitDir }: MirrorRequest) => expect(readdirSync(join(gitDir, '..'))).toEqual([]);

/**
 * Finds the Git processes that work in a folder, by working directory: the command line of a transport names no
 * folder.
 */
function processesAt(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
      } catch {
        return false;
      }
    });
}

describe('a correct Git host', () => {
  it('is cloned and fetched over http if the operator allows it', async () => {
    const server = await start();
    const request = requestOf(`${server.origin}/owner/name.git`);
    expect(await cloneMirror(request)).toEqual({ commit, branch: 'main', skippedBranches: {} });
    expect(await fetchMirror(request)).toEqual({ commit, branch: 'main', skippedBranches: {} });
  });

  it('is verified over https: it needs a trusted authority and the right name', async () => {
    const good = await start(['127.0.0.1']);
    const request = requestOf(`${good.origin}/owner/name.git`);
    expect((await cloneMirror(request)).commit).toBe(commit);
    await expect(
      cloneMirror({ ...request, deps: { ...request.deps, caFile: '/dev/null' } }),
    ).rejects.toMatchObject({
      reason: 'untrusted',
      retryable: false,
      message: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
    });
    const otherName = await start(['git.example.com']);
    await expect(cloneMirror(requestOf(`${otherName.origin}/owner/name.git`))).rejects.toMatchObject({
      reason: 'untrusted',
    });
  });

  it('is reached at the pinned address, with TLS verified for the name, without a resolver', async () => {
    const server = await start(['git.example.com']);
    const remote = { host: 'git.example.com', port: server.port };
    const env = gitEnvironment({
      protocol: 'https',
      config: [...pinned(remote, [{ address: '127.0.0.1', family: 4 }]), ['http.sslCAInfo', authority.file]],
    });
    const url = `https://git.example.com:${server.port}/owner/name.git`;
    const child = spawn('git', ['ls-remote', '--', url, 'HEAD'], { env });
    expect(String(Buffer.concat(await child.stdout.toArray()))).toBe(`${commit}\tHEAD\n`);
  });

  it('may redirect: the target is checked like the source, then cloned', async () => {
    const target = await start();
    const server = await start();
    server.behaviour = { kind: 'redirect', to: target.origin };
    expect((await cloneMirror(requestOf(`${server.origin}/owner/name.git`))).commit).toBe(commit);
  });
});

describe('a misbehaving Git host', () => {
  it('may redirect endlessly', async () => {
    const server = await start();
    server.behaviour = { kind: 'redirect', to: server.origin };
    await expect(cloneMirror(requestOf(`${server.origin}/owner/name.git`))).rejects.toMatchObject({
      reason: 'redirected',
    });
  });

  it('may redirect to a forbidden target, which is never connected to', async () => {
    const target = await start();
    const server = await start();
    server.behaviour = { kind: 'redirect', to: target.origin };
    const allowed = [`127.0.0.1:${server.port}`];
    const clone = cloneMirror(requestOf(`${server.origin}/owner/name.git`, {}, allowed));
    await expect(clone).rejects.toThrow(/only be called with https/);
    expect(target.connections).toBe(0);
  });

  it('that asks for a password is reported at once, without a retry', async () => {
    const server = await start();
    server.behaviour = { kind: 'ask-password' };
    const begin = performance.now();
    await expect(cloneMirror(requestOf(`${server.origin}/owner/name.git`))).rejects.toMatchObject({
      reason: 'not_found',
      retryable: false,
      message: expect.stringContaining('requires credentials') as string,
      // With a terminal, Git would wait for input there.
      detail: { stderr: expect.stringContaining('terminal prompts disabled') as string },
    });
    expect(performance.now() - begin).toBeLessThan(30_000);
  });

  it('may have no such repository', async () => {
    const server = await start();
    await expect(cloneMirror(requestOf(`${server.origin}/owner/absent.git`))).rejects.toMatchObject({
      reason: 'not_found',
      retryable: false,
    });
  });

  it('that is temporarily down is reported as retryable', async () => {
    const server = await start();
    server.behaviour = { kind: 'fail', status: 503 };
    await expect(cloneMirror(requestOf(`${server.origin}/owner/name.git`))).rejects.toMatchObject({
      reason: 'unreachable',
      retryable: true,
    });
  });

  it.each([{ kind: 'silent' }, { kind: 'stall', afterBytes: 100_000 }] as const)(
    'that sends nothing more ($kind) is given up after the stall limit, without leftovers',
    async (behaviour) => {
      const server = await start();
      server.behaviour = behaviour;
      const limits = { ...defaultMirrorLimits, stallMs: 400 };
      const request = requestOf(`${server.origin}/owner/name.git`, { limits });
      await expect(cloneMirror(request)).rejects.toMatchObject({ reason: 'timed_out', retryable: true });
      nothingLeft(request);
    },
  );

  it.each([20, 100_000])('may send too slowly: %i bytes per second', async (bytesPerSecond) => {
    const server = await start();
    server.behaviour = { kind: 'slow', bytesPerSecond };
    const request = requestOf(`${server.origin}/owner/name.git`, {
      limits: { ...defaultMirrorLimits, totalMs: 700 },
    });
    await expect(cloneMirror(request)).rejects.toMatchObject({ reason: 'timed_out' });
    nothingLeft(request);
  });

  it('that sends too much is stopped while the data grows, without leftovers', async () => {
    const server = await start();
    server.behaviour = { kind: 'slow', bytesPerSecond: 200_000 };
    const limits = { ...defaultMirrorLimits, maxBytes: 300_000 };
    const request = requestOf(`${server.origin}/owner/name.git`, { limits });
    const begin = performance.now();
    await expect(cloneMirror(request)).rejects.toMatchObject({ reason: 'too_large', retryable: false });
    expect(performance.now() - begin).toBeLessThan(8_000);
    nothingLeft(request);
  });

  it('may send too much so fast that only the final check detects it', async () => {
    const server = await start();
    const request = requestOf(`${server.origin}/owner/name.git`, {
      limits: { ...defaultMirrorLimits, maxBytes: 300_000 },
    });
    await expect(cloneMirror(request)).rejects.toMatchObject({ reason: 'too_large' });
    nothingLeft(request);
  });
});

describe('a clone that is stopped', () => {
  it('by its caller ends at once, with its processes and files', async () => {
    const server = await start();
    server.behaviour = { kind: 'stall', afterBytes: 100_000 };
    const controller = new AbortController();
    const request = requestOf(`${server.origin}/owner/name.git`, { signal: controller.signal });
    const reason = new Error('the worker drains');
    const clone = expect(cloneMirror(request)).rejects.toBe(reason);
    while (server.requests.length < 3) await sleep(20);
    expect(processesAt(request.gitDir)).not.toEqual([]);
    controller.abort(reason);
    await clone;
    nothingLeft(request);
    for (let waited = 0; processesAt(request.gitDir).length > 0 && waited < 3_000; waited += 50)
      await sleep(50);
    expect(processesAt(request.gitDir)).toEqual([]);
  });

  it('by kill -9 leaves no partial mirror, and the next attempt completes and cleans up', async () => {
    const server = await start();
    server.behaviour = { kind: 'stall', afterBytes: 500_000 };
    const request = requestOf(`${server.origin}/owner/name.git`);
    const script = new URL('../../standins/clone-in-process.ts', import.meta.url).pathname;
    const args = [script, `${server.origin}/owner/name.git`, request.gitDir, '127.0.0.1'];
    const child: ChildProcess = spawn(process.execPath, args, { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const parent = join(request.gitDir, '..');
    while (!existsSync(parent) || readdirSync(parent).length === 0 || server.requests.length < 3)
      await sleep(20);
    await sleep(100);
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(request.gitDir)).toBe(false);
    expect(readdirSync(parent)).toHaveLength(1);

    server.behaviour = { kind: 'well' };
    expect((await cloneMirror(request)).commit).toBe(commit);
    expect(readdirSync(parent)).toEqual(['r.git']);
  });
});
