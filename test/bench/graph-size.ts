import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { derivedSchemas } from '../../src/app/open/open-database.ts';
import { openGraphWriter } from '../../src/backends/graph/sql/open-graph-writer.ts';
import { ParseQueue } from '../../src/backends/languages/port.ts';
import { FilesCache } from '../../src/features/knowledge/projection/files-cache.ts';
import { projectRepository } from '../../src/features/knowledge/projection/project-repository.ts';
import type { ProjectedRepositories } from '../../src/features/knowledge/projection/projected-repositories.ts';
import { readText } from '../../src/features/knowledge/projection/read-files.ts';
import { openDerived } from '../../src/foundation/db/derived/open-derived.ts';
import { openBlobReader } from '../../src/foundation/git/objects/blob-reader.ts';
import { listTree, resolveCommit } from '../../src/foundation/git/objects/objects.ts';
import { newId, type OrganizationId, type RepositoryId } from '../../src/foundation/kernel/ids.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * `node test/bench/graph-size.ts REPOSITORY...`: the size of the graph of bare repositories with their history on
 * SQLite, in one file, against the text of their files. Prints the bytes and rows of each table and index. Exits with 1
 * when the bound is exceeded.
 */
const repositories = process.argv.slice(2);
if (repositories.length === 0) {
  console.error('usage: node test/bench/graph-size.ts REPOSITORY...');
  process.exit(2);
}
const bounds = { must: 1.5, goal: 1.2 };
const { signal } = new AbortController();
const scope = { organizationId: newId<OrganizationId>(), orgSlug: 'bench' };
const file = join(temporaryFolder(), 'graph.db');

const derived = await openDerived({ dialect: 'sqlite', file }, derivedSchemas, silentLog);
const parser = new ParseQueue({ log: silentLog });
let text = 0;
const started = process.cpuUsage();
for (const gitDir of repositories) text += await project(gitDir);
const { user, system } = process.cpuUsage(started);
await parser.close();
await derived.close();
console.log(`projected in ${((user + system) / 1e6).toFixed(0)} s of the processor`);
report();

/** Projects a repository with its whole history; returns the bytes of its text. */
async function project(gitDir: string): Promise<number> {
  const commit = await resolveCommit(gitDir, 'HEAD');
  if (commit === undefined) throw new Error(`${gitDir} has no commit`);
  const repository = {
    id: newId<RepositoryId>(),
    name: gitDir,
    source: gitDir,
    hosted: 'git.example.com/bench/repository',
    gitDir,
    commit,
    sources: [],
  };
  let isComplete = false;
  const found: ProjectedRepositories = {
    find: async () => ({ scope, repository }),
    recordGraph: async () => {},
    list: async function* () {},
    hasStopper: async () => false,
    enqueue: async () => {
      isComplete = false;
    },
  };
  const graph = openGraphWriter(derived);
  const deps = { repositories: found, graph, derived, parser, parseMs: 3_600_000 };
  const payload = { organizationId: scope.organizationId, repositoryId: repository.id };
  const cache = new FilesCache();
  while (!isComplete) {
    isComplete = true;
    await projectRepository(deps, cache, payload, { signal });
  }
  return textBytes(gitDir, commit);
}

async function textBytes(gitDir: string, commit: string): Promise<number> {
  await using reader = openBlobReader(gitDir, signal);
  let bytes = 0;
  for await (const { type, oid } of listTree(gitDir, commit, signal))
    if (type === 'blob') bytes += Buffer.byteLength((await readText(reader, oid)) ?? '');
  return bytes;
}

function report(): void {
  const db = new BetterSqlite3(file);
  const sizes = db
    .prepare(
      `select coalesce(s.tbl_name, p.name) as owner, p.name, sum(p.pgsize) as bytes, sum(p.unused) as unused
      from dbstat as p left join sqlite_schema as s on s.name = p.name group by p.name order by bytes desc`,
    )
    .all() as { owner: string; name: string; bytes: number; unused: number }[];
  for (const { owner, name, bytes, unused } of sizes) {
    const rows =
      owner === name && !owner.startsWith('sqlite_')
        ? String(db.prepare(`select count(*) from ${name}`).pluck().get())
        : '';
    const megabytes = `${(bytes / 1e6).toFixed(2)} MB`.padStart(9);
    console.log(`${name.padEnd(32)} ${megabytes}, ${(unused / 1e6).toFixed(2)} MB unused  ${rows} rows`);
  }
  db.close();
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const ratio = total / text;
  const outcome = ratio <= bounds.goal ? 'goal' : ratio <= bounds.must ? 'holds' : 'MISSED';
  console.log(
    `graph ${(total / 1e6).toFixed(1)} MB, text ${(text / 1e6).toFixed(1)} MB: ratio ${ratio.toFixed(2)}` +
      `  must ${bounds.must}, goal ${bounds.goal}: ${outcome}`,
  );
  if (ratio > bounds.must) process.exitCode = 1;
}
