import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { signTracker, trackerEvent } from '../standins/webhook-sender.ts';
import { findServerBinaries, startServer } from '../support/database/postgres-server.ts';
import { median } from './statistics.ts';
import { sized } from './support/sized.ts';

/**
 * `node test/bench/intake.ts [sqlite|postgres]`: sends signed webhooks of 1.6 KB over 50 connections to the product's
 * route in three forms, rounds interleaved: verify only, one transaction per request, group commit. Every delivery is a
 * different one and concerns a different entity.
 */
const connections = sized(50, 2);
const rounds = sized(3, 1);
const seconds = sized(4, 1);
const bodiesPerConnection = 700;

type Form = 'verify' | 'single' | 'group';
const forms: readonly Form[] = ['verify', 'single', 'group'];
const thresholds = {
  sqlite: { verify: [0.2, 0.25], single: [5, 8] },
  postgres: { verify: [0.12, 0.15], single: [2.5, 3.5] },
} as const;
type Dialect = keyof typeof thresholds;

const chosen = process.argv[2];
for (const dialect of ['sqlite', 'postgres'] as const) {
  if (chosen === undefined || chosen === dialect) await measure(dialect);
}

interface Measured {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

async function measure(dialect: Dialect): Promise<void> {
  const bin = dialect === 'postgres' ? await findServerBinaries() : undefined;
  const postgres = bin === undefined ? undefined : await startServer(bin);
  if (dialect === 'postgres' && postgres === undefined) return;
  const args = postgres === undefined ? [] : [postgres.url];
  const server = fork(fileURLToPath(new URL('./support/intake-server.ts', import.meta.url)), args);
  const [urls] = (await once(server, 'message')) as [Readonly<Record<Form, string>>];
  const seen: Record<Form, Measured[]> = { verify: [], single: [], group: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const form of forms) {
      server.send('clear');
      await once(server, 'message');
      const measured = await load(urls[form], round === 0 ? 1 : seconds);
      // The first round warms up.
      if (round > 0) seen[form].push(measured);
    }
  }
  server.disconnect();
  await once(server, 'exit');
  await postgres?.stop();
  report(dialect, seen);
}

async function load(url: string, duration: number): Promise<Measured> {
  const result = await autocannon({
    url,
    connections,
    duration,
    setupClient: (client) => client.setRequests(newRequests()),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} failed`);
  return { rate: result.requests.average, p50: result.latency.p50, p99: result.latency.p99 };
}

function newRequests(): autocannon.Request[] {
  return Array.from({ length: bodiesPerConnection }, () => {
    const { headers, body } = signTracker(trackerEvent(), {
      secret: 'bench-secret',
      deliveryId: randomUUID(),
    });
    return { method: 'POST', headers: { ...headers }, body };
  });
}

function report(dialect: Dialect, seen: Readonly<Record<Form, readonly Measured[]>>): void {
  const medianOf = (form: Form, of: keyof Measured): number => median(seen[form].map((one) => one[of]));
  for (const form of forms) {
    console.log(
      `${dialect.padEnd(8)} ${form.padEnd(6)} ${Math.round(medianOf(form, 'rate')).toString().padStart(6)}/s  ` +
        `p50 ${medianOf(form, 'p50')} ms  p99 ${medianOf(form, 'p99')} ms  (median of ${rounds})`,
    );
  }
  for (const under of ['verify', 'single'] as const) {
    const ratios = seen.group.map(({ rate }, index) => rate / (seen[under][index]?.rate ?? rate));
    const [must, goal] = thresholds[dialect][under];
    const value = median(ratios);
    console.log(
      `${dialect.padEnd(8)} group / ${under.padEnd(6)} ${value.toFixed(2)}  (must ${must}: ${value >= must ? 'holds' : 'MISSED'}; goal ${goal})`,
    );
  }
}
