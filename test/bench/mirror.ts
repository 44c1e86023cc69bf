import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import type { DatabaseOptions } from '../../src/foundation/db/database.ts';
import { migrateToLatest } from '../../src/foundation/db/migrations/migrate.ts';
import { openDatabase } from '../../src/foundation/db/open-database.ts';
import { seedOrganization } from '../support/codesearch/seeded-repositories.ts';
import { findServerBinaries, startServer } from '../support/database/postgres-server.ts';
import { createRemote } from '../support/mirror/mirror-remote.ts';
import {
  mirrorDeps,
  mirrorWorker,
  queueFiles,
  runCommit,
  targetFor,
  waitingPaths,
} from '../support/mirror/mirroring.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median } from './statistics.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/mirror.ts [sqlite|postgres]`: mirrors 10,000 rendered files through the database to a local
 * repository and measures the throughput, the memory stopWatching, and the time of one edit from its transaction to the
 * push.
 */
const [files, bytes, perTransaction, edits] = sized([10_000, 1_460, 200, 15], [100, 1_460, 50, 1]);
/** 10,000 files of 16 KiB are 156 MiB: more than one run may hold in memory. */
const [large, maxGrowth] = [16 * 1_024, 100];
const MiB = 1_024 ** 2;

const chosen = process.argv[2];
if (chosen !== 'postgres') {
  await measure({ dialect: 'sqlite', file: join(temporaryFolder(), 'orgctx.db') });
}
const bin = chosen === 'sqlite' ? undefined : await findServerBinaries();
if (bin !== undefined) {
  const server = await startServer(bin);
  try {
    await measure({ dialect: 'postgres', url: server.url, poolSize: 4, applicationName: 'bench' });
  } finally {
    await server.stop();
  }
}

async function measure(options: DatabaseOptions): Promise<void> {
  const database = await openDatabase(options, silentLog);
  await migrateToLatest(database, { migrations, log: silentLog });
  const scope = await seedOrganization(database, 'acme');
  const deps = mirrorDeps(database);
  const print = (what: string, text: string): void =>
    console.log(`${options.dialect.padEnd(9)} ${what.padEnd(34)} ${text}`);

  for (const size of [bytes, large]) {
    const remote = createRemote();
    const { id } = await targetFor(database, scope, remote.folder);
    const queued = await timed(() => queueAll(id, size));
    const stopWatching = watchMemory();
    const committed = await timed(() => runCommit(deps, id));
    const growth = stopWatching();
    const found = remote.git('ls-tree', '-r', '--name-only', 'main').split('\n').length - 1;
    if (found !== files || (await waitingPaths(database)).length > 0) throw new Error('files are missing');
    const what = `${files} files of ${size} bytes`;
    print(what, `queued ${perSecond(queued)} files/s, committed and pushed ${perSecond(committed)} files/s`);
    print(
      '',
      `peak memory stopWatching ${growth.toFixed(0)} MiB (must ${maxGrowth}: ${growth <= maxGrowth ? 'holds' : 'MISSED'})`,
    );
  }

  const { id } = await targetFor(database, scope, createRemote().folder);
  const worker = mirrorWorker(deps);
  worker.start();
  const times: number[] = [];
  for (let edit = 0; edit < edits; edit += 1) {
    // Simulates an idle period: otherwise the commit is delayed, to combine it with later changes.
    await database.queries.updateTable('mirror_targets').set({ committed_at: null }).execute();
    times.push(await timed(() => pushEdit(id, edit)));
  }
  await worker.stop(5_000);
  const sorted = times.toSorted((a, b) => a - b);
  print(
    'one edit, queued to pushed',
    `p50 ${median(times).toFixed(0)} ms, maximum ${sorted.at(-1)?.toFixed(0)} ms`,
  );
  await database.close();

  async function queueAll(target: typeof id, size: number): Promise<void> {
    for (let from = 0; from < files; from += perTransaction) {
      const names = Array.from({ length: perTransaction }, (_, index) => from + index);
      const entries = names.map((n) => [
        `tracker/f${n % 100}/issue-${n}.md`,
        randomBytes(size / 2).toString('hex'),
      ]);
      await queueFiles(database, target, Object.fromEntries(entries) as Record<string, string>);
    }
  }

  async function pushEdit(target: typeof id, edit: number): Promise<void> {
    await queueFiles(database, target, { 'tracker/edited.md': `edit ${edit}` });
    while ((await waitingPaths(database)).length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function perSecond(ms: number): string {
  return ((files / ms) * 1_000).toFixed(0);
}

/** Watches the memory of this process; the returned function returns its peak stopWatching in MiB. */
function watchMemory(): () => number {
  const before = process.memoryUsage.rss();
  let max = before;
  const timer = setInterval(() => {
    max = Math.max(max, process.memoryUsage.rss());
  }, 5);
  return () => {
    clearInterval(timer);
    return (max - before) / MiB;
  };
}
