import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { CodeSearch } from '../../../src/backends/codesearch/port.ts';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import type { Repository, RepositoryState } from '../../../src/features/repositories/repository.ts';
import { getRepository } from '../../../src/features/repositories/repository-store.ts';
import { addRepository } from '../../../src/features/repositories/setup/add-repository.ts';
import { syncRepository } from '../../../src/features/repositories/sync-repository.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import { describeEachDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const program = join(import.meta.dirname, '../../support/jobs/repository-worker.ts');
const fileCount = 200;
const leaseMs = 600;
/** Times at which each worker is killed: milliseconds after the repository reached the state. */
const kills: readonly (readonly [RepositoryState, number])[] = [
  ['cloning', 0],
  ['cloning', 60],
  ['indexing', 0],
  ['indexed', 0],
  ['indexing', 0],
  ['indexing', 25],
];

/** Every file changes with each version, so that a partial index shows up as a number of files in between. */
function version(number: number): Record<string, string> {
  const filler = 'lorem ipsum dolor sit amet\n'.repeat(100);
  const files = Array.from({ length: fileCount }, (_, file) => [
    `src/file-${file}.txt`,
    `${filler}marker-${number} ${file}\n`,
  ]);
  return Object.fromEntries(files) as Record<string, string>;
}

describeEachDatabase('a worker killed at any moment', (open) => {
  let database: TestDatabase;
  let dataDir: string;
  let scope: OrgScope;
  let source: TestRepository;
  let repository: Repository;
  let codeSearch: CodeSearch;

  beforeAll(async () => {
    database = await open();
    dataDir = temporaryFolder();
    const deps = { database, clock: systemClock, allowLocal: true, allowHosts: [], dataDir };
    const admitted = await admitUser(deps, { email: 'ada@example.com', orgSlug: 'acme' });
    scope = { organizationId: admitted.organization.id, orgSlug: 'acme' };
    source = createRepository(version(0));
    repository = await addRepository(deps, scope, { kind: 'host' }, { source: source.folder });
    codeSearch = openCodeSearch({ root: join(dataDir, 'codesearch'), log: silentLog, threads: 1 });
  });
  afterAll(async () => {
    await codeSearch.close();
    await database.close();
  });

  const startWorker = async (): Promise<ChildProcess> => {
    const args = [program, JSON.stringify(database.options), dataDir, String(leaseMs)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout ?? child, 'data');
    return child;
  };
  const kill = async (child: ChildProcess): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  const row = (): Promise<Repository | undefined> => getRepository(database.queries, scope, repository.id);
  const state = async (): Promise<string | undefined> => (await row())?.state;
  const filesWith = async (number: number): Promise<number> => {
    const literal = {
      kind: 'literal',
      text: `marker-${number} `,
      caseSensitive: true,
      field: 'content',
    } as const;
    const request = { query: literal, limit: 1000, matchesPerFile: 1, contextLines: 0, deadlineMs: 10_000 };
    const result = await codeSearch.search(scope, request, new AbortController().signal);
    expect(result.incomplete).toBeUndefined();
    return result.files.length;
  };
  /** Returns the one version that answers completely. Is `undefined` before the first. */
  const answering = async (latest: number): Promise<number | undefined> => {
    const counts = await Promise.all(Array.from({ length: latest + 1 }, (_, number) => filesWith(number)));
    const found = counts.flatMap((count, number) => (count === 0 ? [] : [{ number, count }]));
    expect(found.length).toBeLessThanOrEqual(1);
    for (const { count } of found) expect(count).toBe(fileCount);
    return found[0]?.number;
  };

  it('leaves no partial index that answers, and the next worker completes the work', async () => {
    let former: number | undefined;
    for (const [latest, [reached, ms]] of kills.entries()) {
      if (latest > 0) {
        source.commit(version(latest));
        await syncRepository({ database, clock: systemClock }, scope, { kind: 'host' }, repository.id);
      }
      const child = await startWorker();
      await expect.poll(state, { timeout: 120_000, interval: 2 }).toBe(reached);
      await sleep(ms);
      await kill(child);
      const present = await answering(latest);
      expect(present ?? -1).toBeGreaterThanOrEqual(former ?? -1);
      former = present;
    }
    const last = await startWorker();
    // An index job of a killed worker may set the state 'indexed' once before the last sync is done.
    const done = { state: 'indexed', indexedCommit: source.git('rev-parse', 'HEAD') };
    await expect.poll(row, { timeout: 120_000, interval: 50 }).toMatchObject(done);
    await kill(last);
    expect(await answering(kills.length - 1)).toBe(kills.length - 1);
  });
});
