import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { derivedSchemas } from '../../../src/app/open/open-database.ts';
import { splitKey } from '../../../src/backends/graph/sql/packed-text.ts';
import { symbolKey } from '../../../src/features/knowledge/links/keys.ts';
import { openDerived } from '../../../src/foundation/db/derived/open-derived.ts';
import { type Quickstart, type RunningProgram, startQuickstart } from '../../support/program/program.ts';
import { silentLog } from '../../support/silent-log.ts';
import { percentile } from '../statistics.ts';
import { openTags, readTags } from '../symbols/tags.ts';
import { type CodeFile, type Corpus, mergeRepositories } from './corpus.ts';
import { findWorker, watchWorker } from './watch-worker.ts';

/**
 * `npm run build && node test/bench/projection/run.ts [--pushes COUNT] REPOSITORY...`: projects the files of the
 * repositories, as one repository, by the built program. Prints the throughput against parsing and the tags query of
 * the grammars alone, the peak memory of the worker meanwhile, and the time from the request to fetch a push of one
 * changed file until the graph has its new function. Exits with 1 when a bound is exceeded.
 */
const { values, positionals: repositories } = parseArgs({
  options: { pushes: { type: 'string', default: '40' } },
  allowPositionals: true,
});
if (repositories.length === 0) {
  console.error('usage: node test/bench/projection/run.ts [--pushes COUNT] REPOSITORY...');
  process.exit(2);
}
const bounds = { ratio: 0.4, memory: 512 * 2 ** 20, visibleMs: 2_000 };
/** Maximum number of bytes that are read for the throughput of the tags queries. */
const maxTagBytes = 40e6;
const projectTimeoutMs = 3_600_000;

/** A function with a name in the languages that pushes change. */
const functions: readonly (readonly [RegExp, (name: string) => string])[] = [
  [/\.go$/, (name) => `func ${name}() int { return 1 }\n`],
  [/\.[cm]?[jt]s$/, (name) => `export function ${name}() { return 1; }\n`],
  [/\.py$/, (name) => `def ${name}():\n    return 1\n`],
];

const corpus = mergeRepositories(repositories);
const bytes = bytesOf(corpus.files);
console.log(`${corpus.files.length} files of code, ${(bytes / 1e6).toFixed(1)} MB`);
/** Seconds of the processor for each megabyte of the tags queries, in the last measurement. */
let tagsCpu = 0;
const tagsBefore = await tagsRate(corpus);
const running = await startQuickstart([corpus.folder], { timeoutMs: projectTimeoutMs });
const service = await openService(running.result);
let measured: Awaited<ReturnType<typeof measure>>;
try {
  measured = await measure(running);
} finally {
  await service.close();
  await running.stop();
}

const { projectMs, peak, tagsAfter, times, peakOfPushes } = measured;
const [ours, tags] = [bytes / projectMs / 1e3, (tagsBefore + tagsAfter) / 2];
console.log(`parse and tags alone ${tags.toFixed(2)} MB/s, projection ${ours.toFixed(2)} MB/s`);
const isHeld = [
  report(
    'processor s per MB',
    (peak.cpuSeconds / bytes) * 1e6,
    () => true,
    `tags alone ${tagsCpu.toFixed(2)}`,
  ),
  report('ratio', ours / tags, (value) => value >= bounds.ratio, `must ${bounds.ratio}, goal 0.7`),
  report(
    'peak resident MB',
    megabytes(peak.resident),
    () => peak.resident <= bounds.memory,
    'must 512, goal 384',
  ),
  report('peak anonymous MB', megabytes(peak.anonymous), () => true, 'without mapped files'),
  report(
    'peak resident MB while pushing',
    megabytes(peakOfPushes.resident),
    () => peakOfPushes.resident <= bounds.memory,
    'must 512',
  ),
  report('processor s of a push', peakOfPushes.cpuSeconds / times.length, () => true, 'worker'),
  report('visible p50 s', percentile(times, 0.5) / 1e3, () => true, `${times.length} pushes`),
  report(
    'visible p95 s',
    percentile(times, 0.95) / 1e3,
    (value) => value * 1e3 <= bounds.visibleMs,
    'must 2, goal 0.5',
  ),
];
process.exitCode = isHeld.includes(false) ? 1 : 0;

async function measure({ process: quickstart }: RunningProgram) {
  const worker = findWorker(quickstart.pid ?? 0);
  if (worker === undefined) throw new Error('no worker was found');
  const started = performance.now();
  const projecting = watchWorker(worker);
  await until(() => service.isProjected(), 100, projectTimeoutMs);
  const elapsed = performance.now() - started;
  const highest = projecting.stop();
  console.log(
    `projected in ${(elapsed / 1e3).toFixed(0)} s, peak ${megabytes(highest.resident).toFixed(0)} MB`,
  );
  const rate = await tagsRate(corpus);
  const pushing = watchWorker(worker);
  const visible = await pushes(corpus, Number(values.pushes));
  return {
    projectMs: elapsed,
    peak: highest,
    tagsAfter: rate,
    times: visible,
    peakOfPushes: pushing.stop(),
  };
}

function report(name: string, value: number, holds: (value: number) => boolean, bound: string): boolean {
  const outcome = holds(value);
  console.log(`${name.padEnd(32)} ${value.toFixed(2).padStart(8)}  (${bound}${outcome ? '' : ': MISSED'})`);
  return outcome;
}

function megabytes(count: number): number {
  return count / 2 ** 20;
}

function bytesOf(files: readonly CodeFile[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0);
}

/** Returns the megabytes per second of parsing and the tags queries, measured on every n-th file. */
async function tagsRate({ files, read }: Corpus): Promise<number> {
  const every = Math.ceil(bytes / maxTagBytes);
  const sources = read(files.filter((_, index) => index % every === 0));
  const tagged = sources.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const opened = await openTags();
  readTags(opened, sources.slice(0, 200));
  const [from, cpu] = [performance.now(), process.cpuUsage()];
  readTags(opened, sources);
  const { user, system } = process.cpuUsage(cpu);
  tagsCpu = (user + system) / tagged;
  return tagged / (performance.now() - from) / 1e3;
}

interface Service {
  isProjected(): Promise<boolean>;
  /** Asks for a fetch of the repository. */
  sync(): Promise<void>;
  /** Returns whether the graph has a function. */
  has(path: string, name: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Reads the graph from its file, as the service does, because requests are limited. */
async function openService({ baseUrl, orgSlug, apiKey, repository, dataDir }: Quickstart): Promise<Service> {
  const derived = await openDerived(
    { dialect: 'sqlite', file: join(dataDir, 'graph.db') },
    derivedSchemas,
    silentLog,
  );
  const { id } = repository;
  return {
    isProjected: async () => {
      const marks = derived.queries.selectFrom('projection_marks').selectAll();
      const mark = await marks.where('repository_id', '=', id).executeTakeFirst();
      return mark?.commit_id === corpus.head() && mark.target === null;
    },
    sync: async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const url = `${baseUrl}/${orgSlug}/api/v1/repositories/${id}/sync`;
      const response = await fetch(url, { method: 'POST', headers });
      if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
    },
    has: async (path, name) => {
      // The name is found nowhere else; the path begins the key, which is stored in two parts.
      const [, rest] = splitKey(symbolKey(id, path, { qualifiedName: name, kind: 'function' }));
      const nodes = derived.queries.selectFrom('graph_nodes').select('id');
      return (
        (await nodes.where('rest', '=', rest).where('kind', 'is not', null).executeTakeFirst()) !== undefined
      );
    },
    close: () => derived.close(),
  };
}

/** Pushes changes of one file each, and returns the milliseconds until the graph has the new function of each. */
async function pushes({ files, append }: Corpus, count: number): Promise<readonly number[]> {
  const editable = files.filter(({ path, bytes: size }) => size < 50_000 && functionOf(path) !== undefined);
  const measuredMs: number[] = [];
  for (let round = 0; round < count; round++) {
    const { path } = editable[(round * 7919) % editable.length]!;
    const name = `pushedFunction${round}x${process.pid}`;
    append(path, functionOf(path)!(name));
    const from = performance.now();
    await service.sync();
    await until(() => service.has(path, name), 5, 600_000);
    measuredMs.push(performance.now() - from);
    await until(() => service.isProjected(), 20, 600_000);
  }
  return measuredMs;
}

function functionOf(path: string): ((name: string) => string) | undefined {
  return functions.find(([ending]) => ending.test(path))?.[1];
}

async function until(holds: () => Promise<boolean>, everyMs: number, timeoutMs: number): Promise<void> {
  for (const end = performance.now() + timeoutMs; !(await holds()); ) {
    if (performance.now() > end) throw new Error(`timed out after ${timeoutMs / 1000} s`);
    await sleep(everyMs);
  }
}
