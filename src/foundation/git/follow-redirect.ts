import type { HttpClient } from '../net/http.ts';
import { createHttpClient } from '../net/http-client.ts';
import type { GitDeps } from './git-deps.ts';
import type { GitSource } from './git-source.ts';
import { parseSource } from './parse-source.ts';

const discovery = '/info/refs?service=git-upload-pack';

/**
 * Where a Git host sends the discovery request of a source (gitprotocol-http(5)): renamed repositories, and addresses
 * without `.git`, move this way. Git itself follows nothing, since it would resolve the target unchecked; the target
 * is parsed like any source. `undefined` when the answer leads to no repository.
 */
export async function redirectTarget(
  source: GitSource,
  deps: GitDeps,
  signal: AbortSignal,
): Promise<GitSource | undefined> {
  const client = createHttpClient({
    allowHosts: deps.allowHosts,
    ...(deps.lookup === undefined ? {} : { lookup: deps.lookup }),
  });
  try {
    const location = await locationOf(client, `${source.url}${discovery}`, signal);
    if (!location?.endsWith(discovery)) return undefined;
    const target = location.slice(0, -discovery.length);
    const downgrade = source.url.startsWith('https:') && !target.startsWith('https:');
    return downgrade ? undefined : parseSource(target, { allowLocal: false, allowHosts: deps.allowHosts });
  } finally {
    await client.close();
  }
}

async function locationOf(client: HttpClient, url: string, signal: AbortSignal): Promise<string | undefined> {
  const { status, headers } = await client.request({
    url,
    destination: 'tenant',
    headers: { 'git-protocol': 'version=2', accept: '*/*' },
    signal,
  });
  const location = headers['location'];
  return status >= 300 && status < 400 && location !== undefined ? URL.parse(location, url)?.href : undefined;
}
