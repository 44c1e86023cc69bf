import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { BranchHead } from '../../port.ts';
import { printText } from '../query/print-regex.ts';
import { printQuery } from '../query/zoekt-query.ts';
import type { ListedRepository, ZoektClient } from '../zoekt-client.ts';

const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 500;
const LIST_MS = 10_000;

interface Wanted {
  readonly name: string;
  readonly branches: readonly BranchHead[];
  readonly symbols: boolean;
}

/**
 * Waits until the webserver has taken up the shards of a repository: what is indexed is then also found.
 * @throws Unavailable after `timeoutMs`, and where the webserver does not answer.
 */
export async function awaitServed(
  client: ZoektClient,
  { name, branches, symbols }: Wanted,
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
    'zoekt-webserver does not serve what was indexed. See that its -index is the folder that ZOEKT_INDEX_DIR names here.',
    { retryAfter: 30 },
  );
}

/** Waits until the webserver answers with nothing of a repository any more; false where it still did at the end. */
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

/** Zoekt tells nobody when it has read its folder again, so it is asked, soon at first. */
async function poll<T>(
  client: ZoektClient,
  name: string,
  timeoutMs: number,
  signal: AbortSignal,
  judge: (listed: ListedRepository | undefined) => T | undefined,
): Promise<T | undefined> {
  const query = printQuery({ kind: 'repository', pattern: printText(name) });
  const until = performance.now() + timeoutMs;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    const listed = await client.list(query, LIST_MS, signal);
    const judged = judge(listed.find(({ Repository }) => Repository.Name === name));
    if (judged !== undefined || performance.now() >= until) return judged;
    await sleep(waitMs, undefined, { signal });
  }
}
