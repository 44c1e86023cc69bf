import { execFileSync } from 'node:child_process';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { CodeSearch, Query } from '../../src/backends/codesearch/port.ts';
import { Unavailable } from '../../src/foundation/kernel/errors.ts';
import type { OrganizationId } from '../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../src/foundation/kernel/org-scope.ts';
import { createRepository } from '../support/git-repository.ts';
import { indexRequest } from '../support/index-request.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median, percentile } from './statistics.ts';

/**
 * `node test/bench/hostile-patterns.ts [git folder]...`: asks what was written to hang, of a line of 64 KB and of the
 * repositories given, and prints how late the latest answer came (must: 100 ms behind its deadline); then what floods of
 * it cost the harmless searches of another organization (must: p95 within the noise). Calm and floods take turns; a flood
 * comes from one organization or from two at once, each new to the engine. Noise is how far the p95s of calm turns lie
 * apart, at least 2 ms and at most a quarter of a calm p95: a machine that is noisier cannot show it. After each flood those
 * who flooded ask a pattern that does its work (must: whole, before its deadline). Exits with 1 when one is missed.
 */
const deadlineMs = 1000;
const line = 64 * 1024;
const patterns: readonly { readonly kind: string; readonly source: string }[] = [
  { kind: 'nested quantifiers', source: '(x+x+)+y' },
  { kind: 'nested quantifiers', source: '(?:(?:[a-z]+)*)*[^\\x00-\\x7f]' },
  { kind: 'huge classes', source: `(?:[\\w\\p{L}\\p{N}\\p{S}]+\\s?)+${'[\\p{L}\\d]?'.repeat(20)}~~` },
  { kind: 'gaps', source: '.*.*.*z~' },
  { kind: 'gaps', source: '(?:.*[xy]){12}~' },
  { kind: 'alternation', source: `(?:${Array.from({ length: 100 }, (_, n) => `x{1,3}${n}`).join('|')})+~` },
  { kind: 'alternation', source: '(?:x|xx|xxx|w|ww|[xw]+)+~' },
  { kind: 'repetitions', source: '(?:x?){500}(?:w?){400}~' },
  { kind: 'repetitions', source: '(?:x.{0,20}){40}[^a-z]' },
  { kind: 'repetitions', source: '[^y]{1,1000}~' },
];
const asking = 8;
const harmlessSearches = 250;
const noiseFloorMs = 2;
const harmless = scopeOf('harmless');
const hostile = scopeOf('hostile');
const floods: readonly (readonly OrgScope[])[] = [['one'], ['two', 'three'], ['four'], ['five', 'six']].map(
  (names) => names.map(scopeOf),
);
const { signal } = new AbortController();
const root = temporaryFolder();

await build();
const search = openCodeSearch({ root, log: silentLog });
await ask(search, hostile, literal('needle'));
await answersInTime();
await neighboursOfFloods();
await search.close();

async function build(): Promise<void> {
  const index = openCodeIndex({ root, log: silentLog });
  const text = Array.from({ length: line }, (_, at) => 'xw'[(Math.imul(at, 2654435761) >>> 13) & 1]).join('');
  const planted = createRepository({ 'long.txt': `${text}\n`, 'short.txt': `${'x'.repeat(60)}\nneedle\n` });
  const folders = [`${planted.folder}/.git`, ...process.argv.slice(2)];
  for (const [number, gitDir] of folders.entries()) {
    const to = execFileSync('git', ['--git-dir', gitDir, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    for (const scope of [hostile, harmless, ...floods.flat()]) {
      await index.apply(indexRequest({ scope, repository: `r${number}`, gitDir, to }), signal);
    }
  }
}

function scopeOf(name: string): OrgScope {
  return { organizationId: name as OrganizationId, orgSlug: name };
}

function literal(text: string): Query {
  return { kind: 'literal', text, caseSensitive: true, field: 'content' };
}

/** Milliseconds, and how the answer ended. */
async function ask(
  engine: CodeSearch,
  scope: OrgScope,
  query: Query,
): Promise<{ readonly milliseconds: number; readonly ended: string }> {
  const started = performance.now();
  const request = { query, limit: 50, matchesPerFile: 5, contextLines: 0, deadlineMs };
  const ended = await engine
    .search(scope, request, signal)
    .then(({ incomplete, stats }) => `${incomplete ?? 'whole'}, ${stats.matched} files`)
    .catch((error: unknown) => {
      if (error instanceof Unavailable) return error.code;
      throw error;
    });
  return { milliseconds: performance.now() - started, ended };
}

async function answersInTime(): Promise<void> {
  console.log('kind                   first ms  again ms  ended; again');
  let latest = 0;
  for (const { kind, source } of patterns) {
    const query: Query = { kind: 'regex', source, caseSensitive: true, field: 'content' };
    const first = await ask(search, hostile, query);
    const again = await ask(search, hostile, query);
    latest = Math.max(latest, first.milliseconds, again.milliseconds);
    const times = [first, again].map(({ milliseconds }) => milliseconds.toFixed(0).padStart(10)).join('');
    console.log(`${kind.padEnd(20)}${times}  ${first.ended}; ${again.ended}  ${source.slice(0, 40)}`);
  }
  const over = latest - deadlineMs;
  console.log(
    `\nlatest answer ${latest.toFixed(0)} ms, deadline ${deadlineMs} ms: ${over.toFixed(0)} ms behind it`,
  );
  judge('at most 100 ms behind the deadline', over <= 100);
}

async function neighboursOfFloods(): Promise<void> {
  // What has just started is no calm.
  await harmlessTimes();
  const calm = [await harmlessTimes()];
  const beside = { one: [] as number[], two: [] as number[] };
  for (const from of floods) {
    const stop = flood(from);
    (from.length === 1 ? beside.one : beside.two).push(...(await harmlessTimes()));
    await stop();
    for (const scope of from) await honestAnswer(scope);
    calm.push(await harmlessTimes());
  }
  const p95 = (times: readonly number[]): number => percentile(times, 0.95);
  const print = (what: string, times: readonly number[]): void =>
    console.log(
      `${what.padEnd(24)}${[median(times), p95(times)].map((ms) => ms.toFixed(1).padStart(8)).join('')}`,
    );
  console.log('\nharmless searches, ms        p50     p95');
  print('calm', calm.flat());
  print('one organization floods', beside.one);
  print('two organizations flood', beside.two);
  const ofTurns = calm.map(p95);
  const usual = p95(calm.flat());
  const spread = Math.max(...ofTurns) - Math.min(...ofTurns);
  const noise = Math.max(noiseFloorMs, Math.min(spread, usual / 4));
  console.log(`p95 of each calm turn: ${ofTurns.map((ms) => ms.toFixed(1)).join(', ')}`);
  const most = (usual + noise).toFixed(1);
  judge(`p95 beside a flood of one at most ${most} ms`, p95(beside.one) <= usual + noise);
  judge(`p95 beside a flood of two at most ${most} ms`, p95(beside.two) <= usual + noise);
}

/** What did its work before the flood still does so, if in another place. */
async function honestAnswer(scope: OrgScope): Promise<void> {
  const query: Query = { kind: 'regex', source: 'needl[e]', caseSensitive: true, field: 'content' };
  const { milliseconds, ended } = await ask(search, scope, query);
  const isWhole = ended.startsWith('whole') && milliseconds < deadlineMs;
  judge(
    `a harmless pattern of "${scope.orgSlug}" after its flood: ${ended}, ${milliseconds.toFixed(0)} ms`,
    isWhole,
  );
}

/** The function returned ends it. */
function flood(from: readonly OrgScope[]): () => Promise<void> {
  const state = { over: false };
  const asked = Array.from({ length: asking * from.length }, async (_, start) => {
    for (let next = start; !state.over; next++) {
      const { source } = patterns[next % patterns.length]!;
      const query: Query = { kind: 'regex', source, caseSensitive: true, field: 'content' };
      await ask(search, from[start % from.length]!, query);
    }
  });
  return async () => {
    state.over = true;
    await Promise.all(asked);
  };
}

function judge(what: string, isHeld: boolean): void {
  console.log(`${what}: ${isHeld ? 'held' : 'MISSED'}`);
  if (!isHeld) process.exitCode = 1;
}

async function harmlessTimes(): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < harmlessSearches; count++) {
    times.push((await ask(search, harmless, literal('needle'))).milliseconds);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
}
