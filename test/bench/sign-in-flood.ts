import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from './statistics.ts';

/**
 * `node test/bench/sign-in-flood.ts`: what the slowest of twenty authenticated requests takes (the 95th percentile of a
 * round), in turns: in calm, while 50 connections sign in with wrong passwords, and while they do so at a server that
 * hashes nothing but waits on a timer as long as a hash took. The last is what so many requests cost by themselves; the
 * hashes may add a fifth to it.
 */
const rounds = 5;
const roundMs = 3000;
const connections = 2;
const bar = 1.2;

interface Server {
  readonly process: ChildProcess;
  readonly baseUrl: string;
  readonly apiKey: string;
}

const program = (name: string, ...args: string[]): ChildProcess =>
  fork(fileURLToPath(new URL(name, import.meta.url)), args);
const hashing = await openServer();
const timing = await openServer('timer');
const flooder = program('./sign-in-flooder.ts');
await once(flooder, 'message');

const p95: Record<'calm' | 'hash' | 'timer', number[]> = { calm: [], hash: [], timer: [] };
const lengths: number[] = [];
const answers: Record<'hash' | 'timer', Record<string, number>> = { hash: {}, timer: {} };
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  const calm = await measure(hashing);
  await hashesOf(hashing);
  const hash = await flooded(hashing);
  const { meanMs } = await hashesOf(hashing);
  timing.process.send({ timerMs: meanMs });
  const timer = await flooded(timing);
  if (round === 0) continue;
  p95.calm.push(calm);
  p95.hash.push(hash.slowest);
  p95.timer.push(timer.slowest);
  lengths.push(meanMs);
  add(answers.hash, hash.answered);
  add(answers.timer, timer.answered);
}
for (const child of [hashing.process, timing.process, flooder]) child.disconnect();

const ratio = (above: readonly number[], below: readonly number[]): number =>
  median(above.map((value, round) => value / (below[round] ?? value)));
const shown = (counted: Readonly<Record<string, number>>): string =>
  Object.entries(counted)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ');
const added = ratio(p95.hash, p95.timer);
console.log(`calm              p95 ${median(p95.calm).toFixed(2)} ms (median of ${rounds} rounds)`);
console.log(`flooded, hashes   p95 ${median(p95.hash).toFixed(2)} ms; answered ${shown(answers.hash)}`);
console.log(`flooded, timers   p95 ${median(p95.timer).toFixed(2)} ms; answered ${shown(answers.timer)}`);
console.log(`a hash took ${median(lengths).toFixed(0)} ms, and so did a timer`);
console.log(`hashes / calm     ${ratio(p95.hash, p95.calm).toFixed(2)}`);
console.log(
  `timers / calm     ${ratio(p95.timer, p95.calm).toFixed(2)} (what the requests cost by themselves)`,
);
console.log(
  `hashes / timers   ${added.toFixed(2)} (1.00 is unchanged, bar ${bar}) ${added <= bar ? 'HOLDS' : 'MISSED'}`,
);

async function openServer(...args: string[]): Promise<Server> {
  const process = program('./sign-in-server.ts', ...args);
  const [address] = (await once(process, 'message')) as [Omit<Server, 'process'>];
  return { process, ...address };
}

async function hashesOf({ process }: Server): Promise<{ readonly count: number; readonly meanMs: number }> {
  process.send('hashes');
  const [told] = (await once(process, 'message')) as [{ readonly count: number; readonly meanMs: number }];
  return told;
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
        const began = performance.now();
        const response = await fetch(`${baseUrl}/acme/api/v1/repositories`, {
          headers: { authorization: `Bearer ${apiKey}` },
        });
        await response.arrayBuffer();
        if (response.status !== 200) throw new Error(`the request was answered ${response.status}`);
        times.push(performance.now() - began);
      }
    }),
  );
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
}
