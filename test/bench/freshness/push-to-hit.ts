import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../../../src/app/serve.ts';
import { startWorker } from '../../../src/app/worker.ts';
import { createApiKey } from '../../../src/features/identity/api-keys/create-api-key.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { addRepository } from '../../../src/features/repositories/add-repository.ts';
import { mirrorPath } from '../../../src/features/repositories/mirror-path.ts';
import { getRepository } from '../../../src/features/repositories/repository-store.ts';
import { syncRepository } from '../../../src/features/repositories/sync-repository.ts';
import { loadConfig } from '../../../src/foundation/config/load-config.ts';
import { mirroredRef } from '../../../src/foundation/git/mirrored-branches.ts';
import { systemClock as clock } from '../../../src/foundation/kernel/clock.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { copyRepository } from './copied-repository.ts';

/** Of the 95th percentile. */
export const freshnessBars = { mustMs: 500, goalMs: 300 };

export interface Pushes {
  /** How many; each must be found. */
  readonly rounds: number;
  /** Files that a push changes at most; pushes change one to so many. */
  readonly files: number;
}

/** A push that is not found by then never will be. */
const PATIENCE_MS = 30_000;
const FIRST_INDEX_MS = 600_000;

interface Deployment {
  readonly sync: () => Promise<void>;
  readonly isIndexed: () => Promise<boolean>;
  readonly isFound: (word: string) => Promise<boolean>;
  /** Where the time of the last fetch is read. */
  readonly ref: string;
}

/**
 * Pushes to a copy of a repository, and the milliseconds from the end of each fetch (the time on the mirror's ref) until
 * GET /search gives the pushed word. Server and worker run in this process, over real HTTP; the copy is a folder.
 * @throws when a push is not found
 */
export async function measureFreshness(
  repository: string,
  { rounds, files }: Pushes,
): Promise<readonly number[]> {
  await using opened = new AsyncDisposableStack();
  const source = copyRepository(repository);
  const { sync, isIndexed, isFound, ref } = await deploy(opened, source.folder);
  await until(isIndexed, 50, FIRST_INDEX_MS, `${repository} is indexed`);
  await isFound('warm');
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const word = `pushed${round}word${process.pid}`;
    source.push(word, 1 + ((round * 7) % files));
    await sync();
    await until(() => isFound(word), 2, PATIENCE_MS, `push ${round + 1} to ${repository} is found`);
    times.push(Date.now() - statSync(ref).mtimeMs);
    await until(isIndexed, 10, PATIENCE_MS, `${repository} is indexed after push ${round + 1}`);
  }
  return times;
}

async function until(
  holds: () => Promise<boolean>,
  everyMs: number,
  patienceMs: number,
  what: string,
): Promise<void> {
  for (const end = performance.now() + patienceMs; !(await holds()); ) {
    if (performance.now() > end) throw new Error(`waited ${patienceMs / 1000} s in vain until ${what}`);
    await sleep(everyMs);
  }
}

/** Server and worker as they run in production, and the repository added by a person with an API key. */
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
  const { apiKey } = await createApiKey(database.queries, { userId: admitted.user.id, name: 'bench' }, clock);
  const deps = { database, clock, allowLocal: true, allowHosts: [], dataDir };
  const { id } = await addRepository(deps, scope, { source });
  return {
    sync: async () => {
      await syncRepository({ database, clock }, scope, id);
    },
    isIndexed: async () => {
      const row = await getRepository(database.queries, scope, id);
      if (row?.state === 'failed') throw new Error(row.error?.message);
      return row?.state === 'indexed';
    },
    isFound: (word) => finds(`${config.baseUrl}/acme/api/v1/search?limit=1&q=${word}`, apiKey),
    ref: join(mirrorPath(dataDir, scope, id), mirroredRef),
  };
}

async function finds(url: string, apiKey: string): Promise<boolean> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${apiKey}` } });
  const answer = (await response.json()) as { items?: unknown[] };
  if (answer.items === undefined) throw new Error(JSON.stringify(answer));
  return answer.items.length > 0;
}
