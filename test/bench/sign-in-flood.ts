import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from './statistics.ts';

/**
 * `node test/bench/sign-in-flood.ts`: how long authenticated requests take (the 95th of 100) while 50 connections sign
 * in with wrong passwords, against the same without, in turns.
 */
const rounds = 5;
const roundMs = 3000;
const connections = 2;

const program = (name: string): ChildProcess => fork(fileURLToPath(new URL(name, import.meta.url)));
const server = program('./sign-in-server.ts');
const [{ baseUrl, apiKey }] = (await once(server, 'message')) as [
  { readonly baseUrl: string; readonly apiKey: string },
];
const flooder = program('./sign-in-flooder.ts');
await once(flooder, 'message');
flooder.send(baseUrl);

const calm: number[] = [];
const flooded: number[] = [];
const answers: Record<string, number> = {};
// The first round warms up.
for (let round = 0; round <= rounds; round += 1) {
  const before = await measure();
  flooder.send('start');
  const during = await measure();
  flooder.send('stop');
  const [counted] = (await once(flooder, 'message')) as [Record<string, number>];
  if (round === 0) continue;
  calm.push(before);
  flooded.push(during);
  for (const [status, count] of Object.entries(counted)) answers[status] = (answers[status] ?? 0) + count;
}
server.disconnect();
flooder.disconnect();

const ratios = flooded.map((during, round) => during / (calm[round] ?? during));
const shown = Object.entries(answers).map(([status, count]) => `${count} x ${status}`);
console.log(`calm     p95 ${median(calm).toFixed(2)} ms (median of ${rounds} rounds)`);
console.log(`flooded  p95 ${median(flooded).toFixed(2)} ms`);
console.log(`sign-ins answered meanwhile: ${shown.join(', ')}`);
console.log(`flooded / calm ${median(ratios).toFixed(2)} (1.00 is unchanged)`);

/** The 95th percentile of one round, in milliseconds. */
async function measure(): Promise<number> {
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
