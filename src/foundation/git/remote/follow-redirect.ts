import type { HttpClient } from '../../net/http.ts';
import { createHttpClient } from '../../net/http-client.ts';
import type { GitDeps } from '../process/git-deps.ts';
import type { GitSource } from '../source/git-source.ts';
import { parseSource } from '../source/parse-source.ts';
import type { GitCredentials } from './git-credentials.ts';

/** The Git service of a request: read from a repository or write to it (gitprotocol-http(5)). */
export type GitService = 'git-upload-pack' | 'git-receive-pack';

/**
 * Returns the target to which a Git host redirects the discovery request of a source (gitprotocol-http(5)), as for
 * renamed repositories and addresses without `.git`. Git itself does not follow redirects, since it would resolve the
 * target unchecked; here the target is parsed like any source. Returns `undefined` if the response does not lead to a
 * repository.
 */
export async function redirectTarget(
  source: GitSource,
  deps: GitDeps,
  signal: AbortSignal,
  { service = 'git-upload-pack', credentials }: { service?: GitService; credentials?: GitCredentials } = {},
): Promise<GitSource | undefined> {
  const discovery = `/info/refs?service=${service}`;
  const client = createHttpClient({
    allowHosts: deps.allowHosts,
    proxies: deps.proxies,
    ...(deps.lookup === undefined ? {} : { lookup: deps.lookup }),
  });
  try {
    const location = await locationOf(client, `${source.url}${discovery}`, signal, credentials);
    if (!location?.endsWith(discovery)) return undefined;
    const target = location.slice(0, -discovery.length);
    const downgrade = source.url.startsWith('https:') && !target.startsWith('https:');
    return downgrade ? undefined : parseSource(target, { allowLocal: false, allowHosts: deps.allowHosts });
  } finally {
    await client.close();
  }
}

async function locationOf(
  client: HttpClient,
  url: string,
  signal: AbortSignal,
  credentials: GitCredentials | undefined,
): Promise<string | undefined> {
  const { status, headers } = await client.request({
    url,
    destination: 'tenant',
    headers: { 'git-protocol': 'version=2', accept: '*/*', ...authorization(credentials) },
    signal,
  });
  const location = headers['location'];
  return status >= 300 && status < 400 && location !== undefined ? URL.parse(location, url)?.href : undefined;
}

/** Returns Basic credentials (RFC 7617). A host may reveal the new address only to authorized clients. */
function authorization(credentials: GitCredentials | undefined): Record<string, string> {
  if (credentials === undefined) return {};
  const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  return { authorization: `Basic ${pair}` };
}
