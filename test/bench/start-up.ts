import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRepository } from '../support/git/git-repository.ts';
import { program, start } from '../support/program/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median } from './statistics.ts';
import { sized } from './support/sized.ts';

/**
 * `npm run build && node test/bench/start-up.ts`: measures the time until `serve` responds to `/.status` and refuses an
 * unauthenticated request to `/mcp` (warm: with a used data folder and cached code) and until `quickstart` has made a
 * repository of 1,000 files searchable. A bare `node -e 0` of the same run is the baseline.
 */
const runs = sized(5, 1);
const files = sized(1_000, 10);
const thresholds = { serveMs: 1_000, quickstartMs: 15_000 };

const bare = median(await repeat(startNode));
const dataDir = temporaryFolder();
const home = { HOME: temporaryFolder() };
await startServe();
const serve = median(await repeat(startServe));
const source = createRepository(corpus(files));
const quickstart = await runQuickstart();

console.log(`node alone                     ${bare.toFixed(0).padStart(6)} ms (median of ${runs})`);
report('serve to /.status and /mcp', serve, thresholds.serveMs);
console.log(`serve / node alone             ${(serve / bare).toFixed(1).padStart(6)}`);
report(`quickstart, ${files} files`, quickstart, thresholds.quickstartMs);

function report(name: string, milliseconds: number, threshold: number): void {
  const outcome = milliseconds <= threshold ? 'holds' : 'MISSED';
  console.log(`${name.padEnd(30)} ${milliseconds.toFixed(0).padStart(6)} ms (must ${threshold}: ${outcome})`);
}

async function repeat(measure: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await measure());
  return times;
}

async function startNode(): Promise<number> {
  const started = performance.now();
  await once(spawn(process.execPath, ['-e', '0']), 'exit');
  return performance.now() - started;
}

/** Measures the time until the first response; sends a request every 5 ms once the port is known. */
async function startServe(): Promise<number> {
  const started = performance.now();
  const running = start(['serve', '--port', '0', '--data-dir', dataDir], { env: home });
  const line = await running.line((stdout) => stdout.includes('"listening"'));
  const { baseUrl } = JSON.parse(line.split('\n')[0] ?? '') as { baseUrl: string };
  while (!(await isReady(baseUrl))) await sleep(5);
  const refused = await fetch(`${baseUrl}/mcp`, { method: 'POST' });
  if (refused.status !== 401) throw new Error(`/mcp responded with ${refused.status}`);
  const elapsed = performance.now() - started;
  await running.stop();
  return elapsed;
}

async function isReady(baseUrl: string): Promise<boolean> {
  return await fetch(`${baseUrl}/.status`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function runQuickstart(): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [
    program,
    'quickstart',
    source.folder,
    '--port',
    '0',
    '--exit',
    '--json',
    '--data-dir',
    temporaryFolder(),
  ]);
  await once(child.stdout, 'data');
  const elapsed = performance.now() - started;
  await once(child, 'exit');
  return elapsed;
}

function corpus(count: number): Record<string, string> {
  const body = (index: number): string =>
    Array.from(
      { length: 100 },
      (_, line) => `export const value${index}x${line} = compute(${index * line});\n`,
    ).join('');
  return Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`src/module-${index % 30}/file-${index}.ts`, body(index)]),
  );
}
