import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureFreshness, freshnessThresholds as thresholds } from './freshness/push-to-hit.ts';
import { percentile } from './statistics.ts';

/**
 * `node test/bench/freshness.ts [--rounds 40] [--files 50] REPOSITORY…`: pushes one to N files to a copy of each
 * repository and measures the time from the end of the fetch until GET /search finds the pushed word, and
 * until its definitions are read. Prints p50 and p95 of each repository (must: p95 of 500 ms, goal: 300 ms). Exits with 1 when one is above, or when a push is never
 * found.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '40' }, files: { type: 'string', default: '50' } },
});
const pushes = { rounds: Number(values.rounds), files: Number(values.files) };
if (
  positionals.length === 0 ||
  !Object.values(pushes).every((count) => Number.isInteger(count) && count > 0)
) {
  console.error('usage: node test/bench/freshness.ts [--rounds 40] [--files 50] REPOSITORY…');
  process.exit(2);
}

for (const repository of positionals) {
  const { hits, definitions } = await measureFreshness(resolve(repository), pushes);
  const [p50, p95] = [percentile(hits, 0.5), percentile(hits, 0.95)];
  const outcome = p95 <= thresholds.goalMs ? 'goal' : p95 <= thresholds.mustMs ? 'must' : 'MISSED';
  console.log(
    `${repository}: ${hits.length} pushes, p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (${outcome}); definitions: p50 ${percentile(definitions, 0.5).toFixed(0)} ms, p95 ${percentile(definitions, 0.95).toFixed(0)} ms`,
  );
  if (outcome === 'MISSED') process.exitCode = 1;
}
