import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { appPages } from '../../src/surfaces/pages/app/page-list.ts';
import { script } from '../../src/surfaces/pages/kit/assets/script.ts';
import { stylesheet } from '../../src/surfaces/pages/kit/assets/stylesheet.ts';
import { type FoundFile, startFaultyZoekt } from '../standins/faulty-zoekt.ts';
import { httpBrowser } from '../support/http/http-browser.ts';
import { percentile } from './statistics.ts';
import type { ServedPages } from './support/pages-server.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/pages.ts [REPOSITORIES]`: times each page that an owner opens, in an organization of 10,000 indexed
 * repositories and 100 connections on SQLite, without a browser. Compares the processor time of the service, which is
 * the time on an idle machine, and the size of the page, uncompressed and with stylesheet and script, with their
 * bounds. Exits with 1 when one is exceeded. A stand-in of Zoekt, the engine for thousands of repositories, answers the
 * searches.
 */
const repositories = process.argv[2] ?? sized('10000', '20');
const connections = sized('100', '2');
const samples = sized(50, 1);
const bounds = { milliseconds: 50, bytes: 60 * 1024 };

const zoekt = await startFaultyZoekt();
const program = fileURLToPath(new URL('support/pages-server.ts', import.meta.url));
// The service logs each request to its standard output.
const server = fork(program, [zoekt.url, repositories, connections], {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
});
server.once('exit', () => {
  throw new Error('the service ended');
});
const served = (await nextMessage(server)) as ServedPages;
zoekt.behaviour = { kind: 'find', files: foundFiles(served) };
const assets = (await sizeOf(stylesheet.path)) + (await sizeOf(script.path));
console.log(
  `${repositories} repositories, ${connections} connections; stylesheet and script: ${assets} bytes\n`,
);
console.log(`${'page'.padEnd(46)}  processor p50    p95  elapsed p50    p95    max   bytes`);
let exceeded = 0;
for (const [name, path] of Object.entries(pathsOf(served, await conversation()))) {
  if (!(await measure(name, path))) exceeded += 1;
}
server.removeAllListeners('exit');
server.disconnect();
await zoekt[Symbol.asyncDispose]();
console.log(`\n${exceeded} pages exceed ${bounds.milliseconds} ms (p95) or ${bounds.bytes} bytes`);
process.exitCode = exceeded === 0 ? 0 : 1;

/** Returns the addresses to measure. @throws Error if a page of the list has none */
function pathsOf(
  { repositoryId, connectionId, githostId, symbol }: ServedPages,
  thread: string,
): Record<string, string> {
  const below: Readonly<Record<string, readonly string[]>> = {
    '/repositories': ['', '?name=service-9&state=indexed'],
    '/repositories/:id/file': ['?path=src/worker/worker.ts&lines=30-36'],
    '/search': ['', '?q=lease', '?q=repo:team/service+openWorker', '?q=zzzzzz'],
    '/entities': ['', '?q=worker'],
    '/settings/git-hosts/add': ['?kind=github'],
  };
  const idOf = (path: string): string => {
    if (path.startsWith('/settings/git-hosts')) return githostId;
    return path.startsWith('/connections') ? connectionId : repositoryId;
  };
  const pages = appPages.filter(({ method }) => method === 'GET');
  const own = pages.flatMap(({ path }) => {
    const filled = path
      .replace(':id', idOf(path))
      .replace(':key', encodeURIComponent(symbol))
      .replace(':conversationId', thread);
    if (filled.includes(':')) throw new Error(`no address for ${path}`);
    return (below[path] ?? ['']).map((query) => [path + query, `/app/acme${filled}${query}`]);
  });
  const outside = ['/.auth/account', '/.auth/account/password', '/.auth/device', '/.auth/sign-in'];
  return Object.fromEntries([...own, ...outside.map((path) => [path, path])]);
}

/** Returns what the stand-in of Zoekt finds: three lines in each of 20 files. */
function foundFiles({ indexName, commit }: ServedPages): readonly FoundFile[] {
  const text = '    const lease = await renewLease(queries, { lane, holder }, clock() + leaseMs);\n';
  const line = (number: number) => ({
    Line: Buffer.from(text).toString('base64'),
    LineNumber: number,
    FileName: false,
    Score: 1,
    LineFragments: [{ LineOffset: text.indexOf('lease'), MatchLength: 'lease'.length }],
  });
  return Array.from({ length: 20 }, (_, number) => ({
    FileName: number === 0 ? 'src/worker/worker.ts' : `src/worker/part-${number}.ts`,
    Repository: indexName,
    Version: commit,
    Branches: ['HEAD'],
    Score: 20 - number,
    LineMatches: [30, 32, 36].map(line),
  }));
}

/** Prints the times and the size of a page. Returns whether they are within the bounds. */
async function measure(name: string, path: string): Promise<boolean> {
  const [processor, elapsed]: [number[], number[]] = [[], []];
  let bytes = 0;
  // The first request of each page warms up.
  for (let sample = -1; sample < samples; sample += 1) {
    const before = await processorTime();
    const started = performance.now();
    const answer = await get(path, sample + 1);
    bytes = (await answer.arrayBuffer()).byteLength + assets;
    const ended = performance.now();
    const used = (await processorTime()) - before;
    if (![200, 303].includes(answer.status)) throw new Error(`${path}: ${answer.status}`);
    if (sample < 0) continue;
    processor.push(used);
    elapsed.push(ended - started);
  }
  const p95 = percentile(processor, 0.95);
  const isWithin = p95 <= bounds.milliseconds && bytes <= bounds.bytes;
  const cells = [percentile(processor, 0.5), p95, percentile(elapsed, 0.5), percentile(elapsed, 0.95)];
  const [median, p95Text, elapsedMedian, elapsedP95] = cells.map((cell) => cell.toFixed(1).padStart(6));
  console.log(
    `${name.padEnd(46)}         ${median} ${p95Text}       ${elapsedMedian} ${elapsedP95} ${Math.max(
      ...elapsed,
    )
      .toFixed(0)
      .padStart(6)} ${String(bytes).padStart(7)}${isWithin ? '' : '  exceeded'}`,
  );
  return isWithin;
}

function get(path: string, turn: number): Promise<Response> {
  const cookie = `orgctx_session=${served.sessions[turn % served.sessions.length]}`;
  return fetch(served.baseUrl + path, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' });
}

/** Asks a question and a follow-up question, and returns the id of their conversation. */
async function conversation(): Promise<string> {
  const jar = new Map([['/\norgctx_session', { value: served.sessions[0] ?? '', path: '/' }]]);
  const browser = httpBrowser(served.baseUrl, jar);
  const first = await browser.submit(await browser.open('/app/acme/ask'), {
    prompt: 'Where is the lease renewed?',
  });
  await browser.submit(first, { prompt: 'And what happens when it expires?' });
  return new URL(first.url).pathname.split('/').at(-1) ?? '';
}

async function sizeOf(path: string): Promise<number> {
  return (await (await fetch(served.baseUrl + path)).arrayBuffer()).byteLength;
}

/** Returns the processor time of the service so far, in milliseconds. */
async function processorTime(): Promise<number> {
  server.send('cpu');
  return (await nextMessage(server)) as number;
}

async function nextMessage(child: ChildProcess): Promise<unknown> {
  const [message] = (await once(child, 'message')) as [unknown];
  return message;
}
