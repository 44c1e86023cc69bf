import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { mirrorEntities } from '../../src/features/connectors/entities/mirror-entities.ts';
import { renderEntity } from '../../src/features/connectors/tracker/render/render-entity.ts';
import { migrateToLatest } from '../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { seedOrganization } from '../support/codesearch/seeded-repositories.ts';
import { seedBoundConnection, withStore } from '../support/connectors/entity-stores.ts';
import { targetFor } from '../support/mirror/mirroring.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { someEntity } from '../support/tracker/entity-arbitrary.ts';

/**
 * `node test/bench/entities.ts`: renders 20,000 issues with two comments each and stores them in pages of 50, as a
 * backfill does: once new, once unchanged. A tenth of them refer to another issue.
 */
const [count, pageSize] = [20_000, 50];
const issue = someEntity('issue');
const options = { uploadsOrigin: 'https://uploads.example', uploads: true, embedded: true };
const comments = ['First.', 'Second.'].map((body, n) => ({ ...someEntity('comment'), body, n }));

const database = await openDatabase(
  { dialect: 'sqlite', file: join(temporaryFolder(), 'orgctx.db') },
  silentLog,
);
await migrateToLatest(database, { migrations, log: silentLog });
const scope = await seedOrganization(database, 'acme');
const target = await targetFor(database, scope, 'https://git.example.com/a/b');
const connection = await seedBoundConnection(database, scope, 'c-1', target.id);

for (const run of ['new', 'unchanged']) {
  const times = { render: 0, store: 0 };
  const cpu = process.cpuUsage();
  for (let first = 0; first < count; first += pageSize) {
    const start = performance.now();
    const page = Array.from({ length: pageSize }, (_, index) => rendered(first + index));
    const between = performance.now();
    await withStore(database, connection, (store) => mirrorEntities(store, page, 'backfill'));
    times.render += between - start;
    times.store += performance.now() - between;
  }
  const { user, system } = process.cpuUsage(cpu);
  const rate = (ms: number) => `${Math.round(count / (ms / 1_000))}/s`;
  console.log(
    `${run.padEnd(10)} rendered ${rate(times.render)}, stored ${rate(times.store)}, both ${rate(times.render + times.store)}; by CPU time ${rate((user + system) / 1_000)}`,
  );
}
console.log(`peak memory ${Math.round(process.resourceUsage().maxRSS / 1_024)} MiB`);
await database.close();

function rendered(n: number) {
  const link = n % 10 === 0 ? `See https://linear.app/acme/issue/ENG-${(n * 7) % count}.` : '';
  const description = `${link}\n${'All amounts are kept in minor units. '.repeat(30)}`;
  const entity = { ...issue, id: `issue-${n}`, identifier: `ENG-${n}`, description };
  const own = comments.map(({ n: index, ...comment }) => ({ ...comment, id: `comment-${n}-${index}` }));
  return renderEntity({ kind: 'issue', entity }, { comments: own, needs: [] }, options);
}
