import { afterEach, beforeEach, expect, it } from 'vitest';
import { compare } from '../../../src/features/connectors/sync/compare.ts';
import { openRefusals } from '../../../src/features/connectors/sync/refusals.ts';
import type { Family, SyncReader } from '../../../src/features/connectors/sync/source.ts';
import { syncTasks } from '../../../src/features/connectors/sync/tasks.ts';
import type { JobContext } from '../../../src/foundation/jobs/handler.ts';
import { toy } from '../../standins/toy-connector.ts';
import { seedOrganization } from '../../support/codesearch/seeded-repositories.ts';
import { seedBoundConnection } from '../../support/connectors/entity-stores.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import { targetFor } from '../../support/mirror/mirroring.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await openTestDatabase('sqlite');
});
afterEach(() => database.close());

/** Returns a function that runs one job, which compares a list. */
async function stepsOf(readPage: Family['readPage']): Promise<() => Promise<void>> {
  const scope = await seedOrganization(database, 'acme');
  const { id: targetId } = await targetFor(database, scope, 'https://git.example.com/a/b');
  const connectionId = await seedBoundConnection(database, scope, 'c-1', targetId);
  const context = {
    signal: new AbortController().signal,
    assertHeld: async () => undefined,
    attempt: 1,
    maxAttempts: 1,
  } as unknown as JobContext;
  const reader: SyncReader = {
    mirror: { database, connectionId, records: toy.records, context },
    configuration: {},
    families: [{ name: 'pages', readPage }],
    refusals: openRefusals({
      context,
      refused: new Set(),
      probe: async () => undefined,
      isOther: () => true,
    }),
    fetchSize: 1,
    familiesOf: () => ['pages'],
    ask: () => undefined,
    places: async () => [],
    scopeTest: async () => () => true,
    widenedBy: () => ({ families: [] }),
    targetsOf: async () => [],
    fetch: async () => ({}),
  };
  return () => compare({ clock: Date.now }, syncTasks('toy'), reader, false);
}

it('a list ends with an error if the place of its next page is that of the same page', async () => {
  const step = await stepsOf(async () => ({ next: { page: 1 } }));
  await step();
  await step();
  await expect(step()).rejects.toMatchObject({ reason: 'protocol', retryable: false });
});

it('a job goes on while the next page is being read, and leaves the page after that to another job', async () => {
  const read: unknown[] = [];
  const step = await stepsOf(async ({ cursor = 0 }) => {
    read.push(cursor);
    return { next: Number(cursor) + 1, isNextRead: read.length % 3 !== 0 };
  });
  await step();
  expect(read).toEqual([]);
  await step();
  expect(read).toEqual([0, 1, 2]);
  await database.queries.deleteFrom('jobs').execute();
  await step();
  expect(read).toEqual([0, 1, 2, 3, 4, 5]);
  const jobs = await database.queries.selectFrom('jobs').select('task').execute();
  expect(jobs).toEqual([{ task: 'toy-sync-content' }]);
});
