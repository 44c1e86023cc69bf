import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dataFolder } from '../../kernel/data-folder.ts';
import { type ProxyRoute, proxyFor } from '../../kernel/outbound-proxy.ts';
import { pathExists } from '../../kernel/path-exists.ts';
import { isAllowedHost } from '../../net/allow-hosts.ts';
import { classifyFailure } from '../../net/classify-failure.ts';
import { RefusedDestination } from '../../net/outbound-error.ts';
import { type ResolvedAddress, refusePrivate, resolveForTenant } from '../../net/resolve-public.ts';
import type { GitProcess } from '../process/environment.ts';
import type { GitDeps } from '../process/git-deps.ts';
import { GitError } from '../process/git-error.ts';
import type { GitSource, RemoteHost } from '../source/git-source.ts';
import { askpassVariables } from './askpass.ts';
import type { GitCredentials } from './git-credentials.ts';
import { sshCommand } from './ssh-command.ts';

/**
 * Prepares the Git process that connects to a source. A host from tenant data is resolved here, all its addresses
 * must be public, and Git is pinned to them without another look-up (contract section 2, "Outbound"). Through a proxy
 * nothing is pinned, because the proxy resolves the host. Credentials are only used over http(s).
 * @throws RefusedDestination, OutboundError when the name has no address, GitError without a usable ssh key.
 */
export async function reachSource(
  source: GitSource,
  deps: GitDeps,
  credentials?: GitCredentials,
): Promise<GitProcess> {
  if (source.remote === undefined) return { protocol: 'file' };
  const proxy = source.kind === 'https' ? proxyFor(new URL(source.url), deps.proxies) : undefined;
  const addresses = await checkedAddresses(source.remote, deps, proxy);
  if (source.kind === 'ssh') return reachOverSsh(source.remote, addresses, deps);
  return {
    protocol: source.url.startsWith('http:') ? 'http' : 'https',
    config: [
      ...pinned(source.remote, addresses),
      // Stops a transfer whose parent was killed; a stalled host would otherwise keep it running for ever.
      ['http.lowSpeedLimit', '1'],
      ['http.lowSpeedTime', '150'],
      ...(deps.caFile === undefined ? [] : [['http.sslCAInfo', deps.caFile] as const]),
      ...(proxy === undefined ? [] : proxyConfig(proxy, deps.caFile)),
    ],
    ...(proxy === undefined ? {} : { proxy }),
    ...(credentials === undefined
      ? {}
      : { variables: await askpassVariables(source, credentials, deps.dataDir) }),
  };
}

/** Resolves and checks the addresses; empty for a host that OUTBOUND_ALLOW_HOSTS names and for a proxied one. */
async function checkedAddresses(
  remote: RemoteHost,
  deps: GitDeps,
  proxy: ProxyRoute | undefined,
): Promise<readonly ResolvedAddress[]> {
  if (isAllowedHost(deps.allowHosts, remote.host, remote.port)) return [];
  try {
    if (proxy !== undefined) {
      await refusePrivate(remote.host, deps.lookup);
      return [];
    }
    return await resolveForTenant(remote.host, deps.lookup);
  } catch (error) {
    throw error instanceof RefusedDestination ? error : classifyFailure(remote.host, error);
  }
}

/**
 * Returns the configuration that pins a host, `HOST:PORT:ADDRESS[,ADDRESS]…` (curl, CURLOPT_RESOLVE). A literal needs
 * no pin.
 * @internal Exported for the test that Git obeys it, since no public address is available there.
 */
export function pinned(
  { host, port }: RemoteHost,
  addresses: readonly ResolvedAddress[],
): readonly (readonly [string, string])[] {
  if (addresses.length === 0 || isIP(host) !== 0) return [];
  const list = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address)).join(',');
  return [['http.curloptResolve', `${host}:${port}:${list}`]];
}

/**
 * Returns the configuration of a proxy. It is passed in the environment, so the password is in no argument list.
 * Without a port, curl would use 1080.
 */
function proxyConfig(
  { url }: ProxyRoute,
  caFile: string | undefined,
): readonly (readonly [string, string])[] {
  const userinfo = url.username === '' ? '' : `${url.username}:${url.password}@`;
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : url.port;
  return [
    ['http.proxy', `${url.protocol}//${userinfo}${url.hostname}:${port}`],
    ['http.proxyAuthMethod', 'basic'],
    ...(caFile === undefined ? [] : [['http.proxySSLCAInfo', caFile] as const]),
  ];
}

async function reachOverSsh(
  remote: RemoteHost,
  addresses: readonly ResolvedAddress[],
  deps: GitDeps,
): Promise<GitProcess> {
  const files = dataFolder(deps.dataDir).ssh;
  await mkdir(files.folder, { recursive: true, mode: 0o700 });
  const command = sshCommand({
    knownHosts: files.knownHosts,
    identity: deps.sshIdentity ?? (await sharedIdentity(files.identity, deps)),
    remote,
    address: (addresses.find(({ family }) => family === 4) ?? addresses[0])?.address,
  });
  return { protocol: 'ssh', sshCommand: command };
}

/**
 * Returns the key that the operator shares between organizations; `undefined` if there is none. Whoever may use it can
 * read every repository that it can read. @throws GitError `authentication` for an organization that may not use it
 */
async function sharedIdentity(
  identity: string,
  { organizationId, mayUseSharedSshKey }: GitDeps,
): Promise<string | undefined> {
  if (!(await pathExists(identity))) return undefined;
  if (organizationId !== undefined && (await mayUseSharedSshKey?.(organizationId)) === true) return identity;
  throw new GitError(
    'authentication',
    'This organization has no ssh key, and may not use the key of this service. Create one with "orgctx githost key", or have the operator name the organization in SSH_KEY_ORGANIZATIONS.',
  );
}
