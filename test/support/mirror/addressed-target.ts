import { realpath } from 'node:fs/promises';
import {
  hostedKey,
  type RepositoryKey,
  type TargetRepository,
} from '../../../src/features/mirror/repository-key.ts';
import { parseSource } from '../../../src/foundation/git/source/parse-source.ts';

/**
 * Returns a target whose host is not asked: a folder of this host, or a repository of a loopback host in `allowHosts`.
 * Connections are bound to repositories that a Git host knows by an id.
 */
export async function addressedTarget(
  text: string,
  allowHosts: readonly string[] = [],
): Promise<TargetRepository> {
  const source = parseSource(text, { allowLocal: true, allowHosts });
  const { url, remote } = source;
  const key = remote === undefined ? ((await realpath(url)) as RepositoryKey) : hostedKey(url, remote);
  return { source, key, hostRepositoryId: undefined };
}
