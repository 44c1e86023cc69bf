import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { languageOf, maxFileBytes } from '../../src/backends/codesearch/port.ts';
import { ParseQueue } from '../../src/backends/languages/parse/parse-queue.ts';
import type { ModuleRoots, ParsedFile, SourceText } from '../../src/backends/languages/port.ts';
import { languages, rootsOf } from '../../src/backends/languages/port.ts';
import { type ResolvedFile, resolveFile } from '../../src/features/knowledge/symbols/resolve/resolve-file.ts';
import { tableOf } from '../support/graph/resolving.ts';
import { silentLog } from '../support/silent-log.ts';
import { readManifests } from './calls/graph-calls.ts';
import { sized } from './support/sized.ts';
import { openTags, readTags } from './symbols/tags.ts';

/**
 * `node test/bench/symbols.ts [--sample COUNT] FOLDER...`: the throughput of parsing and resolving the files of each
 * folder in one thread, against parsing and the tags query of the grammar alone; the memory; and how the calls of each
 * language resolve. `--sample` prints calls that resolved with a confidence of at least 60, drawn by a fixed rule, to
 * judge them. Both sides run in turns, each after one round that is not counted.
 */
const { values, positionals: folders } = parseArgs({
  options: { sample: { type: 'string' }, language: { type: 'string' } },
  allowPositionals: true,
});
if (folders.length === 0) {
  console.error('usage: node test/bench/symbols.ts [--sample COUNT] [--language NAME] FOLDER...');
  process.exit(2);
}
const rounds = sized(3, 1);
const { signal } = new AbortController();

for (const folder of folders) await measure(folder);

async function measure(folder: string): Promise<void> {
  const files = sourcesIn(folder);
  const manifests = readManifests(folder);
  const megabytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) / 1e6;
  console.log(`\n${folder}: ${files.length} files, ${megabytes.toFixed(1)} MB`);
  const tags = await openTags();
  const queue = new ParseQueue({ log: silentLog });
  const times = { tags: [] as number[], ours: [] as number[] };
  let resolved: readonly [ParsedFile, ResolvedFile][] = [];
  for (let round = 0; round <= rounds; round++) {
    const tagsMs = await timed(async () => readTags(tags, files));
    const oursMs = await timed(async () => {
      resolved = await project(queue, files, rootsOf(manifests));
    });
    if (round > 0) {
      times.tags.push(tagsMs);
      times.ours.push(oursMs);
    }
  }
  await queue.close();
  const [tagsMs, oursMs] = [median(times.tags), median(times.ours)];
  console.log(`parse and tags alone ${rate(megabytes, tagsMs)}, ours ${rate(megabytes, oursMs)}`);
  console.log(`ratio ${(tagsMs / oursMs).toFixed(2)} (must 0.4, goal 0.7)`);
  console.log(`memory of the process ${Math.round(process.resourceUsage().maxRSS / 1024)} MB at most`);
  printTiers(resolved);
  if (values.sample !== undefined) printSample(folder, resolved, Number(values.sample));
}

function sourcesIn(folder: string): SourceText[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => languages.has(languageOf(path)) && statSync(path).size <= maxFileBytes)
    .filter((path) => values.language === undefined || languageOf(path) === values.language)
    .toSorted()
    .map((path) => ({
      path: relative(folder, path),
      language: languageOf(path),
      text: readFileSync(path, 'utf8'),
    }));
}

async function project(
  queue: ParseQueue,
  files: readonly SourceText[],
  roots: ModuleRoots,
): Promise<readonly [ParsedFile, ResolvedFile][]> {
  const results = await queue.parseFiles(files, signal);
  const parsed = results.flatMap((result) => ('failed' in result ? [] : [result]));
  if (parsed.length < files.length) console.log(`failed: ${files.length - parsed.length} files`);
  const table = tableOf(parsed);
  table.roots = roots;
  return parsed.map((file) => [file, resolveFile(table, file)]);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

function rate(megabytes: number, milliseconds: number): string {
  return `${(megabytes / (milliseconds / 1000)).toFixed(1)} MB/s`;
}

function printTiers(resolved: readonly [ParsedFile, ResolvedFile][]): void {
  for (const [language, files] of Map.groupBy(resolved, ([{ language: name }]) => name)) {
    const calls = files.flatMap(([, { uses }]) => uses.filter(({ use }) => isCall(use.kind)));
    const leaves = files.flatMap(([, { unresolved }]) => unresolved.filter((use) => isCall(use.kind)));
    const rules = [...Map.groupBy(calls, ({ rule }) => rule)].map(([rule, of]) => `${rule} ${of.length}`);
    const imports = files.flatMap(([, each]) => each.imports);
    const known = imports.filter(({ paths }) => paths.length > 0).length;
    console.log(
      `${language}: ${calls.length + leaves.length} calls, ${rules.join(', ')}, unresolved ${leaves.length}; ${known} of ${imports.length} imports`,
    );
  }
}

function isCall(kind: string): boolean {
  return kind === 'call' || kind === 'new';
}

function printSample(folder: string, resolved: readonly [ParsedFile, ResolvedFile][], count: number): void {
  const edges = resolved.flatMap(([{ path }, { uses }]) =>
    uses
      .filter(({ use, confidence }) => isCall(use.kind) && confidence >= 60)
      .map((found) => ({ path, ...found })),
  );
  const step = edges.length / count;
  for (let index = 0; index < Math.min(count, edges.length); index++) {
    const { path, use, targets, confidence } = edges[Math.floor(index * step)]!;
    const { path: to, symbol } = targets[0]!;
    const line = readFileSync(join(folder, path), 'utf8').split('\n')[use.line - 1]!.trim().slice(0, 110);
    console.log(
      `${confidence} ${path}:${use.line} ${line}\n      -> ${to}:${symbol.line} ${symbol.kind} ${symbol.qualifiedName}`,
    );
  }
}
