import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from './statistics.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/sign-in-flood.ts`: measures the 95th percentile of authenticated requests per round. Three
 * conditions alternate: idle; while 50 connections sign in with wrong passwords; and while they do so at a server that
 * does not hash but waits on a timer as long as a hash took. The last shows the cost of the requests themselves; the
 * hashes may add a fifth to it.
 */
const rounds = sized(5, 1);
const roundMs = sized(3000, 300);
const connections = 2;
const threshold = 1.2;

interface Server {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  readonly apiKey: string;
}

const program = (name: string, ...args: string[]): ChildProcess =>
  fork(fileURLToPath(new URL(name, import.meta.url)), args);
const hashing = await openServer();
const timing = await openServer('timer');
const flooder = program('./support/sign-in-flooder.ts');
await once(flooder, 'message');

const p95: Record<'idle' | 'hash' | 'timer', number[]> = { idle: [], hash: [], timer: [] };
const lengths: number[] = [];
const answers: Record<'hash' | 'timer', Record<string, number>> = { hash: {}, timer: {} };
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  const idle = await measure(hashing);
  await hashesOf(hashing);
  const hash = await flooded(hashing);
  const { meanMs } = await hashesOf(hashing);
  timing.process.send({ timerMs: meanMs });
  const timer = await flooded(timing);
  if (round === 0) continue;
  p95.idle.push(idle);
  p95.hash.push(hash.slowest);
  p95.timer.push(timer.slowest);
  lengths.push(meanMs);
  add(answers.hash, hash.answered);
  add(answers.timer, timer.answered);
}
for (const child of [hashing.process, timing.process, flooder]) child.disconnect();

const ratio = (above: readonly number[], below: readonly number[]): number =>
  median(above.map((value, round) => value / (below[round] ?? value)));
const describe = (counted: Readonly<Record<string, number>>): string =>
  Object.entries(counted)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');
const added = ratio(p95.hash, p95.timer);
console.log(`idle              p95 ${median(p95.idle).toFixed(2)} ms (median of ${rounds} rounds)`);
console.log(`flooded, hashes   p95 ${median(p95.hash).toFixed(2)} ms; responses ${describe(answers.hash)}`);
console.log(`flooded, timers   p95 ${median(p95.timer).toFixed(2)} ms; responses ${describe(answers.timer)}`);
console.log(`a hash took ${median(lengths).toFixed(0)} ms, and each timer as long`);
console.log(`hashes / idle     ${ratio(p95.hash, p95.idle).toFixed(2)}`);
console.log(`timers / idle     ${ratio(p95.timer, p95.idle).toFixed(2)} (cost of the requests themselves)`);
console.log(
  `hashes / timers   ${added.toFixed(2)} (1.00 is unchanged, must ${threshold}) ${added <= threshold ? 'holds' : 'MISSED'}`,
);

async function openServer(...args: string[]): Promise<Server> {
  const process = program('./support/sign-in-server.ts', ...args);
  const [address] = (await once(process, 'message')) as [Omit<Server, 'process'>];
  return { process, ...address };
}

async function hashesOf({ process }: Server): Promise<{ readonly count: number; readonly meanMs: number }> {
  process.send('hashes');
  const [report] = (await once(process, 'message')) as [{ readonly count: number; readonly meanMs: number }];
  return report;
}

async function flooded(server: Server): Promise<{ slowest: number; answered: Record<string, number> }> {
  flooder.send({ baseUrl: server.baseUrl });
  const slowest = await measure(server);
  flooder.send('stop');
  const [answered] = (await once(flooder, 'message')) as [Record<string, number>];
  return { slowest, answered };
}

function add(sum: Record<string, number>, counted: Readonly<Record<string, number>>): void {
  for (const [status, count] of Object.entries(counted)) sum[status] = (sum[status] ?? 0) + count;
}

/** The 95th percentile of one round, in milliseconds. */
async function measure({ baseUrl, apiKey }: Server): Promise<number> {
  const times: number[] = [];
  const until = performance.now() + roundMs;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const started = performance.now();
        const response = await fetch(`${baseUrl}/acme/api/v1/repositories`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`the response had status ${response.status}`);
        times.push(performance.now() - started);
      }
    }),
  );
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}
