import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dataFolder } from '../kernel/data-folder.ts';
import { pathExists } from '../kernel/path-exists.ts';
import { isAllowedHost } from '../net/allow-hosts.ts';
import { classifyFailure } from '../net/classify-failure.ts';
import { RefusedDestination } from '../net/outbound-error.ts';
import { type ResolvedAddress, resolveForTenant } from '../net/resolve-public.ts';
import { askpassVariables } from './askpass.ts';
import type { GitProcess } from './environment.ts';
import type { GitCredentials } from './git-credentials.ts';
import type { GitDeps } from './git-deps.ts';
import type { GitSource, RemoteHost } from './git-source.ts';
import { sshCommand } from './ssh-command.ts';

/**
 * Prepares the one process that goes to a source. A host that data named is resolved here, all its addresses must be
 * public, and Git is pinned to them: it asks no resolver again (contract section 2, "Outbound"). Credentials serve over
 * http(s) alone.
 * @throws RefusedDestination, OutboundError when the name has no address.
 */
export async function reachSource(
  source: GitSource,
  deps: GitDeps,
  credentials?: GitCredentials,
): Promise<GitProcess> {
  if (source.remote === undefined) return { protocol: 'file' };
  const addresses = await checkedAddresses(source.remote, deps);
  if (source.kind === 'ssh') return reachOverSsh(source.remote, addresses, deps.dataDir);
  return {
    protocol: source.url.startsWith('http:') ? 'http' : 'https',
    config: [
      ...pinned(source.remote, addresses),
      // Stops a transfer whose parent was killed: a stalled host would hold it for ever.
      ['http.lowSpeedLimit', '1'],
      ['http.lowSpeedTime', '150'],
      ...(deps.caFile === undefined ? [] : [['http.sslCAInfo', deps.caFile] as const]),
    ],
    ...(credentials === undefined
      ? {}
      : { variables: await askpassVariables(source, credentials, deps.dataDir) }),
  };
}

/** Empty for a host that OUTBOUND_ALLOW_HOSTS names. */
async function checkedAddresses(remote: RemoteHost, deps: GitDeps): Promise<readonly ResolvedAddress[]> {
  if (isAllowedHost(deps.allowHosts, remote.host, remote.port)) return [];
  try {
    return await resolveForTenant(remote.host, deps.lookup);
  } catch (error) {
    throw error instanceof RefusedDestination ? error : classifyFailure(remote.host, error);
  }
}

/**
 * `HOST:PORT:ADDRESS[,ADDRESS]…` (curl, CURLOPT_RESOLVE). A literal is its own pin.
 * @internal Exported for the test that Git obeys it: no public address is at hand there.
 */
export function pinned(
  { host, port }: RemoteHost,
  addresses: readonly ResolvedAddress[],
): readonly (readonly [string, string])[] {
  if (addresses.length === 0 || isIP(host) !== 0) return [];
  const list = addresses.map(({ address, family }) => (family === 6 ? `[${address}]` : address)).join(',');
  return [['http.curloptResolve', `${host}:${port}:${list}`]];
}

async function reachOverSsh(
  remote: RemoteHost,
  addresses: readonly ResolvedAddress[],
  dataDir: string,
): Promise<GitProcess> {
  const files = dataFolder(dataDir).ssh;
  await mkdir(files.folder, { recursive: true, mode: 0o700 });
  const hasKey = await pathExists(files.identity);
  const command = sshCommand({
    knownHosts: files.knownHosts,
    identity: hasKey ? files.identity : undefined,
    remote,
    address: (addresses.find(({ family }) => family === 4) ?? addresses[0])?.address,
  });
  return { protocol: 'ssh', sshCommand: command };
}
