import { parseArgs } from 'node:util';
import { measureMerges } from './following/merge-to-connected.ts';
import { measurePolling } from './following/poll-unchanged.ts';
import { measurePushes, type PushTimes } from './following/push-to-search.ts';
import { startFollowing } from './following/service.ts';
import { median, percentile } from './statistics.ts';

/**
 * `npm run build && node test/bench/following.ts [--pushes 40] [--repositories 1000] [--merges 3]`: the built service
 * follows repositories of a Git host, and connects a tracker, both on loopback. Measures the time from the push webhook
 * of 10 files to the first hit over REST, against `git fetch` of the same push and ripgrep, also beside three clones
 * that never end; the time from the merge of a configuration pull request to `connected`, by webhook and by polling;
 * and the CPU of polling unchanged repositories at the default SYNC_INTERVAL, against `git ls-remote` alone. A count of
 * 0 skips a part. Exits with 1 when a bound is exceeded.
 */
const bounds = { pushMs: 2_000, pollingShare: 0.05, mergeByHookMs: 3_000, mergeByPollMs: 35_000 };

const { values } = parseArgs({
  options: {
    pushes: { type: 'string', default: '40' },
    repositories: { type: 'string', default: '1000' },
    merges: { type: 'string', default: '3' },
  },
});
const [pushes, repositories, merges] = [values.pushes, values.repositories, values.merges].map(Number) as [
  number,
  number,
  number,
];

await using service = await startFollowing();

if (pushes > 0) reportPushes(await measurePushes(service, pushes));
if (merges > 0) {
  reportMerges('webhook', await measureMerges(service, merges, 'hook'), bounds.mergeByHookMs);
  reportMerges('polling', await measureMerges(service, merges, 'poll'), bounds.mergeByPollMs);
}
if (repositories > 0) reportPolling(await measurePolling(service, repositories));

function reportPushes({ product, besideClones, anchor }: PushTimes): void {
  for (const [name, times] of [
    ['push webhook to searchable, p95', product],
    ['  beside three endless clones, p95', besideClones],
  ] as const) {
    const p95 = percentile(times, 0.95);
    report(name, `${ms(p95)} (p50 ${ms(median(times))})`, {
      value: p95,
      bound: bounds.pushMs,
      shown: ms(bounds.pushMs),
    });
  }
  const ratio = (median(product) / median(anchor)).toFixed(1);
  say('  git fetch and rg, p95', `${ms(percentile(anchor, 0.95))}; ratio of the medians ${ratio}`);
}

function reportMerges(by: string, times: readonly number[], bound: number): void {
  const maxMs = Math.max(...times);
  const text = `${ms(maxMs)} of ${times.length}`;
  report(`merge to connected by ${by}, maximum`, text, { value: maxMs, bound, shown: ms(bound) });
}

function reportPolling(polling: Awaited<ReturnType<typeof measurePolling>>): void {
  report(`polling of ${polling.repositories} repositories`, `${percent(polling.share)} of one core`, {
    value: polling.share,
    bound: bounds.pollingShare,
    shown: percent(bounds.pollingShare),
  });
  say('  CPU of a poll', `${ms(polling.pollMs)}; git ls-remote alone ${ms(polling.lsRemoteMs)}`);
  const without = `${percent(polling.idleShare)} of one core; without the repositories ${percent(polling.emptyShare)}`;
  say('  server and worker without polls', without);
  say('  one round', `${polling.polled} polled in ${polling.roundSeconds.toFixed(0)} s, no state changed`);
}

interface Bar {
  readonly value: number;
  readonly bound: number;
  readonly shown: string;
}

function report(name: string, text: string, { value, bound, shown }: Bar): void {
  const holds = value <= bound;
  say(name, `${text} (must ${shown}: ${holds ? 'holds' : 'MISSED'})`);
  if (!holds) process.exitCode = 1;
}

function say(name: string, text: string): void {
  console.log(`${name.padEnd(40)} ${text}`);
}

function ms(value: number): string {
  return `${value < 100 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
