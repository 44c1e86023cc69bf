import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../../src/app/processes/serve.ts';
import { startWorker } from '../../../src/app/processes/worker.ts';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { mirrorPath } from '../../../src/features/repositories/indexing/mirror-path.ts';
import { getRepository } from '../../../src/features/repositories/repository-store.ts';
import { addRepository } from '../../../src/features/repositories/setup/add-repository.ts';
import { syncRepository } from '../../../src/features/repositories/sync-repository.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { mirroredRef } from '../../../src/foundation/git/mirror/mirrored-branches.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { copyRepository } from './copied-repository.ts';

/** Thresholds of the 95th percentile, in milliseconds. */
export const freshnessThresholds = { mustMs: 500, goalMs: 300 };

export interface Pushes {
  /** Number of pushes; each must be found. */
  readonly rounds: number;
  /** Maximum number of files that a push changes; the minimum is one. */
  readonly files: number;
}

/** Maximum time until a push is found, in milliseconds. */
const findTimeoutMs = 30_000;
const firstIndexTimeoutMs = 600_000;
/** Number of users that search in turn, because the requests of each are limited. */
const users = 4;

interface Deployment {
  readonly sync: () => Promise<void>;
  readonly isIndexed: () => Promise<boolean>;
  /** Returns whether the definitions of all files are read. */
  readonly isDefined: () => Promise<boolean>;
  readonly isFound: (word: string) => Promise<boolean>;
  /** Path of the ref whose modification time is the time of the last fetch. */
  readonly ref: string;
}

interface Freshness {
  /** Milliseconds from the end of each fetch until GET /search finds the pushed word. */
  readonly hits: readonly number[];
  /** Milliseconds from the end of each fetch until the record says that all definitions are read. */
  readonly definitions: readonly number[];
}

/**
 * Pushes to a copy of a repository and measures from the end of each fetch (the modification time of the mirror's ref)
 * until the pushed word is found and until the definitions of the pushed files are read. Server and worker run in this process and are called over
 * HTTP; the copy is a folder.
 * @throws when a push is not found
 */
export async function measureFreshness(repository: string, { rounds, files }: Pushes): Promise<Freshness> {
  await using opened = new AsyncDisposableStack();
  const source = copyRepository(repository);
  const { sync, isIndexed, isDefined, isFound, ref } = await deploy(opened, source.folder);
  await until(isDefined, 50, firstIndexTimeoutMs, `${repository} is indexed`);
  await isFound('warm');
  const [hits, definitions]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const word = `pushed${round}word${process.pid}`;
    source.push(word, 1 + ((round * 7) % files));
    await sync();
    await until(() => isFound(word), 5, findTimeoutMs, `push ${round + 1} to ${repository} is found`);
    hits.push(Date.now() - statSync(ref).mtimeMs);
    await until(isIndexed, 5, findTimeoutMs, `${repository} is indexed after push ${round + 1}`);
    await until(isDefined, 5, findTimeoutMs, `${repository} is defined after push ${round + 1}`);
    definitions.push(Date.now() - statSync(ref).mtimeMs);
  }
  return { hits, definitions };
}

async function until(
  holds: () => Promise<boolean>,
  everyMs: number,
  timeoutMs: number,
  what: string,
): Promise<void> {
  for (const end = performance.now() + timeoutMs; !(await holds()); ) {
    if (performance.now() > end) throw new Error(`timed out after ${timeoutMs / 1000} s: ${what}`);
    await sleep(everyMs);
  }
}

/** Starts server and worker as in production, and adds the repository for a user with an API key. */
async function deploy(opened: AsyncDisposableStack, source: string): Promise<Deployment> {
  const dataDir = temporaryFolder();
  const env = {
    DATA_DIR: dataDir,
    AUTH_SECRET: 'x'.repeat(40),
    ALLOW_LOCAL_REPOSITORIES: 'true',
    LOG_LEVEL: 'error',
  };
  const settings = loadConfig({ env, flags: { PORT: '0' }, cwd: dataDir, homeDir: dataDir });
  const service = await startService(settings, silentLog);
  opened.defer(() => service.stop());
  const worker = await startWorker(settings, silentLog);
  opened.defer(() => worker.stop(1_000));
  const { database, config } = service;
  const admitted = await admitUser({ database, clock }, { email: 'ada@example.com', orgSlug: 'acme' });
  const scope: OrgScope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
  const apiKeys: string[] = [];
  for (let user = 0; user < users; user += 1) {
    const { id: userId } = (
      await admitUser({ database, clock }, { email: `user-${user}@example.com`, orgSlug: 'acme' })
    ).user;
    apiKeys.push((await createApiKey(database.queries, { userId, name: 'bench' }, clock)).apiKey);
  }
  let searches = 0;
  const deps = { database, clock, allowLocal: true, allowHosts: [], dataDir };
  const { id } = await addRepository(deps, scope, { kind: 'host' }, { source });
  return {
    sync: async () => {
      await syncRepository({ database, clock }, scope, { kind: 'host' }, id);
    },
    isIndexed: async () => {
      const row = await getRepository(database.queries, scope, id);
      if (row?.state === 'failed') throw new Error(row.error?.message);
      return row?.state === 'indexed';
    },
    isDefined: async () => {
      const row = await getRepository(database.queries, scope, id);
      return row?.state === 'indexed' && row.filesWithoutDefinitions === 0;
    },
    isFound: (word) => {
      searches += 1;
      return finds(`${config.baseUrl}/acme/api/v1/search?limit=1&q=${word}`, apiKeys[searches % users] ?? '');
    },
    ref: join(mirrorPath(dataDir, scope, id), mirroredRef),
  };
}

async function finds(url: string, apiKey: string): Promise<boolean> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  const answer = (await response.json()) as { items?: unknown[] };
  if (answer.items === undefined) throw new Error(JSON.stringify(answer));
  return answer.items.length > 0;
}
