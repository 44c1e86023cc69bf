import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { migrations } from '../../migrations/index.ts';
import { workerFlags } from '../../src/app/processes/process-flags.ts';
import { mirrorEntities } from '../../src/features/connectors/entities/mirror-entities.ts';
import { issue as kind } from '../../src/features/connectors/tracker/kinds/issue.ts';
import { comment as commentKind } from '../../src/features/connectors/tracker/kinds/part-kinds.ts';
import { renderEntity } from '../../src/features/connectors/tracker/render/render-entity.ts';
import type { Database } from '../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { seedOrganization } from '../support/codesearch/seeded-repositories.ts';
import { seedBoundConnection, withStore } from '../support/connectors/entity-stores.ts';
import { targetFor } from '../support/mirror/mirroring.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { someEntity } from '../support/tracker/entity-arbitrary.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/entities.ts`: renders 20,000 issues with two comments each and stores them in pages of 50, as a
 * backfill does: once new, once unchanged. A tenth of them refer to another issue. Compares new ones with their anchor:
 * printing the same records as JSON and inserting the same rows, with nothing else. Runs with the flags of a worker.
 * Exits with 1 below 5,000 new issues per second of CPU time, or above 300 MiB.
 */
const [count, pageSize] = sized([20_000, 50], [100, 50]);
const [minRate, maxMiB] = [5_000, 300];
const issue = someEntity(kind);
const options = { uploadsOrigin: 'https://uploads.example', uploads: true, embedded: true };
const comments = ['First.', 'Second.'].map((body, n) => ({ ...someEntity(commentKind), body, n }));

if (!workerFlags.every((flag) => process.execArgv.includes(flag))) {
  const [node = '', ...words] = process.argv;
  process.execve?.(node, [node, ...process.execArgv, ...workerFlags, ...words]);
}

const file = join(temporaryFolder(), 'orgctx.db');
const database = await openMigrated(file);
const scope = await seedOrganization(database, 'acme');
const target = await targetFor(database, scope, 'https://git.example.com/a/b');
const connection = await seedBoundConnection(database, scope, 'c-1', target.id);

const newRate = await mirrorAll('new');
await mirrorAll('unchanged');
const peak = Math.round(process.resourceUsage().maxRSS / 1_024);
await database.close();
const anchorRate = await insertAll();
const isReached = newRate >= minRate && peak <= maxMiB;
console.log(
  `anchor     ${anchorRate}/s by CPU time: new ones take ${(anchorRate / newRate).toFixed(1)} times as much`,
);
console.log(
  `peak memory ${peak} MiB (must ${minRate}/s and ${maxMiB} MiB: ${isReached ? 'holds' : 'MISSED'})`,
);
if (!isReached) process.exitCode = 1;

async function openMigrated(path: string): Promise<Database> {
  const opened = await openDatabase({ dialect: 'sqlite', file: path }, silentLog);
  await migrateToLatest(opened, { migrations, log: silentLog });
  return opened;
}

/** Returns the number of issues per second of CPU time. */
async function mirrorAll(run: string): Promise<number> {
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
  const byCpu = perSecond(cpuMs(cpu));
  console.log(
    `${run.padEnd(10)} rendered ${perSecond(times.render)}/s, stored ${perSecond(times.store)}/s, both ${perSecond(times.render + times.store)}/s; by CPU time ${byCpu}/s`,
  );
  return byCpu;
}

function perSecond(ms: number): number {
  return Math.round(count / (ms / 1_000));
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

function entityOf(n: number) {
  const link = n % 10 === 0 ? `See https://linear.app/acme/issue/ENG-${(n * 7) % count}.` : '';
  const description = `${link}\n${'All amounts are kept in minor units. '.repeat(30)}`;
  return { ...issue, id: `issue-${n}`, identifier: `ENG-${n}`, description };
}

function rendered(n: number) {
  const own = comments.map(({ n: index, ...comment }) => ({ ...comment, id: `comment-${n}-${index}` }));
  return renderEntity(kind, entityOf(n), { comments: own, needs: [] }, options);
}

/** Prints the records as JSON and inserts the rows of the mirror into an empty database, a page in each transaction. */
async function insertAll(): Promise<number> {
  const copy = join(temporaryFolder(), 'copy.db');
  await (await openMigrated(copy)).close();
  const from = new BetterSqlite3(file, { readonly: true });
  const to = new BetterSqlite3(copy);
  for (const pragma of ['synchronous = FULL', 'cache_size = -16000', 'foreign_keys = OFF']) to.pragma(pragma);
  const tables = ['entities', 'entity_names', 'entity_references', 'mirror_changes'].map((table) => {
    const [sample = {}] = from.prepare(`select * from ${table} limit 1`).all() as object[];
    const names = Object.keys(sample);
    const marks = names.map(() => '?').join(', ');
    return {
      insert: to.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`),
      rows: from.prepare(`select * from ${table} limit ? offset ?`).raw(),
      perPage: Math.ceil(
        Number(from.prepare(`select count(*) from ${table}`).pluck().get()) / (count / pageSize),
      ),
    };
  });
  let ms = 0;
  let printed = 0;
  for (let page = 0; page < count / pageSize; page += 1) {
    const pages = tables.map(({ rows, perPage }) => rows.all(perPage, page * perPage));
    const cpu = process.cpuUsage();
    for (let n = page * pageSize; n < (page + 1) * pageSize; n += 1)
      printed += Buffer.from(JSON.stringify({ entity: entityOf(n), comments })).length;
    to.transaction(() => {
      for (const [index, { insert }] of tables.entries())
        for (const row of pages[index] ?? []) insert.run(row);
    }).immediate();
    ms += cpuMs(cpu);
  }
  const [before, after] = [from, to].map((each) =>
    each.prepare('select count(*) from entities').pluck().get(),
  );
  if (before !== after || printed === 0) throw new Error('the anchor lost rows');
  from.close();
  to.close();
  return perSecond(ms);
}
