import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { BranchHead } from '../../port.ts';
import { printText } from '../query/print-regex.ts';
import { printQuery } from '../query/zoekt-query.ts';
import type { ListedRepository, ZoektClient } from '../zoekt-client.ts';

const firstWaitMs = 20;
const maxWaitMs = 500;
const listMs = 10_000;

interface ExpectedIndex {
  readonly name: string;
  readonly branches: readonly BranchHead[];
  readonly symbols: boolean;
}

/**
 * Waits until the webserver serves the shards of a repository, so that indexed files can be found.
 * @throws Unavailable after `timeoutMs`, or if the webserver does not respond
 */
export async function awaitServed(
  client: ZoektClient,
  { name, branches, symbols }: ExpectedIndex,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ListedRepository> {
  const served = await poll(client, name, timeoutMs, signal, (listed) => {
    const heads = listed?.Repository.Branches ?? [];
    const isCurrent =
      heads.length === branches.length &&
      listed?.Repository.HasSymbols === symbols &&
      branches.every((branch, at) => heads[at]?.Name === branch.name && heads[at].Version === branch.commit);
    return isCurrent ? listed : undefined;
  });
  if (served !== undefined) return served;
  throw new Unavailable(
    'unavailable',
    'zoekt-webserver does not serve the new index. Check that its -index folder is the folder of ZOEKT_INDEX_DIR.',
    { retryAfter: 30 },
  );
}

/** Waits until the webserver no longer serves a repository. Returns false if it still does after `timeoutMs`. */
export async function awaitGone(
  client: ZoektClient,
  name: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const gone = await poll(client, name, timeoutMs, signal, (listed) =>
    listed === undefined ? true : undefined,
  );
  return gone === true;
}

/**
 * Polls the webserver, since Zoekt sends no notification after reading its folder. The interval grows from a short
 * first one.
 */
async function poll<T>(
  client: ZoektClient,
  name: string,
  timeoutMs: number,
  signal: AbortSignal,
  check: (listed: ListedRepository | undefined) => T | undefined,
): Promise<T | undefined> {
  const query = printQuery({ kind: 'repository', pattern: printText(name) });
  const until = performance.now() + timeoutMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(waitMs * 2, maxWaitMs)) {
    const listed = await client.list(query, listMs, signal);
    const result = check(listed.find(({ Repository }) => Repository.Name === name));
    if (result !== undefined || performance.now() >= until) return result;
    await sleep(waitMs, undefined, { signal });
  }
}
