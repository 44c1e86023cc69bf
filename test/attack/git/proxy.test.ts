import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cloneMirror, fetchMirror, type MirrorRequest } from '../../../src/foundation/git/mirror/mirror.ts';
import type { GitDeps } from '../../../src/foundation/git/process/git-deps.ts';
import { GitError } from '../../../src/foundation/git/process/git-error.ts';
import { parseSource } from '../../../src/foundation/git/source/parse-source.ts';
import { pushCommit } from '../../../src/foundation/git/writing/push-commit.ts';
import { RefusedDestination } from '../../../src/foundation/net/outbound-error.ts';
import type { Lookup } from '../../../src/foundation/net/resolve-public.ts';
import { createCertificateAuthority } from '../../standins/certificate-authority.ts';
import { type ConnectProxy, startConnectProxy } from '../../standins/connect-proxy.ts';
import { type GitHttpServer, startGitHttpServer } from '../../standins/git-http-server.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const root = temporaryFolder();
const repository = createRepository({ 'a.txt': 'one\n' });
const commit = repository.git('rev-parse', 'HEAD');
execFileSync('git', ['clone', '--quiet', '--bare', repository.folder, join(root, 'owner', 'name.git')]);
const authority = createCertificateAuthority();
const url = 'https://git.example.com/owner/name.git';
let host: GitHttpServer;
let proxy: ConnectProxy;

beforeEach(async () => {
  host = await startGitHttpServer({ root, tls: authority.issue(['git.example.com']) });
  proxy = await startConnectProxy();
  proxy.hosts.set('git.example.com', host.port);
});
afterEach(() => Promise.all([host.close(), proxy[Symbol.asyncDispose]()]));

/** No name resolves here, as behind a firewall, but for those of private addresses. */
const lookup: Lookup = async (name) => {
  if (name === 'inside.example.com') return [{ address: '10.0.0.7', family: 4 }];
  throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
};

function requestOf(source: string, deps: Partial<GitDeps> = {}): MirrorRequest & { readonly deps: GitDeps } {
  const data = temporaryFolder();
  const through = proxy.url.replace('//', '//bot:p%40ss-hush@');
  const allowHosts = ['plain.example.com'];
  return {
    source: parseSource(source, { allowLocal: false, allowHosts }),
    gitDir: join(data, 'git', 'r.git'),
    signal: new AbortController().signal,
    deps: {
      dataDir: data,
      allowHosts,
      lookup,
      caFile: authority.file,
      proxies: { https: through, http: through, noProxy: [] },
      ...deps,
    },
  };
}

it('clones and fetches through the proxy a host that does not resolve here', async () => {
  proxy.credentials = 'bot:p@ss-hush';
  const request = requestOf(url);
  expect((await cloneMirror(request)).commit).toBe(commit);
  expect((await fetchMirror(request)).commit).toBe(commit);
  expect(new Set(proxy.requests)).toEqual(new Set(['CONNECT git.example.com:443']));
});

it('verifies the host behind the proxy, and a proxy over TLS', async () => {
  proxy.hosts.set('other.example.com', host.port);
  await expect(cloneMirror(requestOf('https://other.example.com/owner/name.git'))).rejects.toMatchObject({
    reason: 'untrusted',
  });
  await using secure = await startConnectProxy(authority.issue(['localhost']));
  secure.hosts.set('git.example.com', host.port);
  const proxies = { https: secure.url, http: undefined, noProxy: [] };
  expect((await cloneMirror(requestOf(url, { proxies }))).commit).toBe(commit);
  await using wrong = await startConnectProxy(authority.issue(['proxy.example']));
  const unverified = { ...proxies, https: wrong.url };
  await expect(cloneMirror(requestOf(url, { proxies: unverified }))).rejects.toMatchObject({
    reason: 'untrusted',
  });
  expect(wrong.requests).toEqual([]);
});

it('forwards http to a host that the operator allows', async () => {
  const plain = await startGitHttpServer({ root });
  proxy.hosts.set('plain.example.com', plain.port);
  proxy.credentials = 'bot:p@ss-hush';
  expect((await cloneMirror(requestOf('http://plain.example.com/owner/name.git'))).commit).toBe(commit);
  expect(proxy.requests[0]).toMatch(/^GET http:\/\/plain\.example\.com\/owner\/name\.git\/info\/refs/);
  await plain.close();
});

it('refuses a name of a private address, also after a redirect, and asks the proxy nothing', async () => {
  await expect(cloneMirror(requestOf('https://inside.example.com/owner/name.git'))).rejects.toThrow(
    RefusedDestination,
  );
  expect(proxy.requests).toEqual([]);
  host.behaviour = { kind: 'redirect', to: 'https://inside.example.com' };
  await expect(cloneMirror(requestOf(url))).rejects.toThrow();
  expect(new Set(proxy.requests)).toEqual(new Set(['CONNECT git.example.com:443']));
});

it('connects directly to what NO_PROXY names, at the checked address only', async () => {
  const proxies = { https: proxy.url, http: proxy.url, noProxy: ['.example.com'] };
  await expect(cloneMirror(requestOf(url, { proxies }))).rejects.toMatchObject({ reason: 'dns' });
  expect(proxy.requests).toEqual([]);
});

it('reports what the proxy refuses by setting, without its credentials', async () => {
  const failed = () => cloneMirror(requestOf(url)).catch((error: unknown) => error);
  proxy.credentials = 'bot:other';
  const refused = await failed();
  expect(refused).toMatchObject({
    reason: 'unreachable',
    message: expect.stringMatching(/^The outbound proxy \(HTTPS_PROXY\) refused its credentials/) as string,
    // Only the log has the address of the proxy.
    detail: { proxy: `localhost:${proxy.port}` },
  });
  expect(String(refused)).not.toContain(String(proxy.port));
  expect(JSON.stringify(refused)).not.toContain('hush');
  proxy.behaviour = { kind: 'refuse', status: 403 };
  expect(await failed()).toMatchObject({
    message: expect.stringContaining('did not connect to git.example.com: it returned 403') as string,
  });
  proxy.behaviour = { kind: 'reset' };
  expect(await failed()).toMatchObject({ message: expect.stringContaining('cannot be reached') as string });
  const { source, signal, deps } = requestOf(url);
  const push = pushCommit({ source, signal, deps, gitDir: repository.folder, branch: 'main', commit });
  await expect(push).rejects.toThrow(/^The outbound proxy \(HTTPS_PROXY\) cannot be reached/);
});

it.each([407, 502])(
  'keeps a host that repeats the credentials with %d out of the log and the proxy',
  async (status) => {
    host.behaviour = { kind: 'echo', status };
    const credentials = { username: 'bot', password: 'git-token-hush' };
    const request = { ...requestOf(url), credentials };
    const { source, signal, deps } = request;
    const push = { source, signal, deps, credentials, gitDir: repository.folder, branch: 'main', commit };
    for (const work of [() => cloneMirror(request), () => pushCommit(push)]) {
      const failure = await work().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(GitError);
      expect(String(failure)).not.toContain('HTTPS_PROXY');
      const { detail } = failure as GitError;
      expect(detail?.['stderr']).toContain(`returned error: ${status}`);
      expect(JSON.stringify(detail)).not.toMatch(/git-token-hush|Ym90Omdpd/);
    }
  },
);

it('passes the password of the proxy in no argument list', async () => {
  proxy.behaviour = { kind: 'silent' };
  const stop = new AbortController();
  const cloned = cloneMirror({ ...requestOf(url), signal: stop.signal }).catch((error: unknown) => error);
  await expect.poll(() => proxy.requests.length).toBe(1);
  const lines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
  expect(lines.filter((line) => line.includes('git.example.com'))).not.toEqual([]);
  expect(lines.filter((line) => line.includes('p%40ss-hush'))).toEqual([]);
  stop.abort(new Error('enough'));
  await cloned;
});
