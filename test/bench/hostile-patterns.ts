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
import { percentile } from './statistics.ts';

/**
 * `node test/bench/hostile-patterns.ts [git folder]...`: asks what was written to hang, of a line of 64 KB and of the
 * repositories given, and prints how late the latest answer came (must: 100 ms behind its deadline); then what a flood of
 * it costs the harmless searches of another organization, beside the same searches before and after it (must: p95 within
 * the noise). Exits with 1 when either is missed.
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
const hostile: OrgScope = { organizationId: 'hostile' as OrganizationId, orgSlug: 'hostile' };
const harmless: OrgScope = { organizationId: 'harmless' as OrganizationId, orgSlug: 'harmless' };
const { signal } = new AbortController();
const root = temporaryFolder();

await build();
const search = openCodeSearch({ root, log: silentLog });
await ask(search, hostile, literal('needle'));
await answersInTime();
await neighboursDuringFlood();
await search.close();

async function build(): Promise<void> {
  const index = openCodeIndex({ root, log: silentLog });
  const text = Array.from({ length: line }, (_, at) => 'xw'[(Math.imul(at, 2654435761) >>> 13) & 1]).join('');
  const planted = createRepository({ 'long.txt': `${text}\n`, 'short.txt': `${'x'.repeat(60)}\nneedle\n` });
  const folders = [`${planted.folder}/.git`, ...process.argv.slice(2)];
  for (const [number, gitDir] of folders.entries()) {
    const to = execFileSync('git', ['--git-dir', gitDir, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    for (const scope of [hostile, harmless]) {
      await index.apply(indexRequest({ scope, repository: `r${number}`, gitDir, to }), signal);
    }
  }
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
  console.log('kind                   first ms  again ms  ended');
  let latest = 0;
  for (const { kind, source } of patterns) {
    const query: Query = { kind: 'regex', source, caseSensitive: true, field: 'content' };
    const first = await ask(search, hostile, query);
    const again = await ask(search, hostile, query);
    latest = Math.max(latest, first.milliseconds, again.milliseconds);
    const times = [first, again].map(({ milliseconds }) => milliseconds.toFixed(0).padStart(10)).join('');
    console.log(`${kind.padEnd(20)}${times}  ${again.ended}  ${source.slice(0, 40)}`);
  }
  const over = latest - deadlineMs;
  console.log(
    `\nlatest answer ${latest.toFixed(0)} ms, deadline ${deadlineMs} ms: ${over.toFixed(0)} ms behind it`,
  );
  judge('at most 100 ms behind the deadline', over <= 100);
}

/** Noise is how far the two halves without a flood lie apart: one before it, one after. */
async function neighboursDuringFlood(): Promise<void> {
  const before = await harmlessTimes();
  const state = { over: false };
  const flood = Array.from({ length: 8 }, async (_, start) => {
    for (let next = start; !state.over; next++) {
      const { source } = patterns[next % patterns.length]!;
      await ask(search, hostile, { kind: 'regex', source, caseSensitive: true, field: 'content' });
    }
  });
  const beside = await harmlessTimes();
  state.over = true;
  await Promise.all(flood);
  const after = await harmlessTimes();
  const at = (share: number): readonly number[] =>
    [before, after, beside].map((times) => percentile(times, share));
  const print = (share: number): string => {
    const [first, second, during] = at(share).map((ms) => ms.toFixed(1));
    return `${first} before, ${second} after, ${during} beside`;
  };
  console.log(`\nharmless searches of another organization, ms: p50 ${print(0.5)}; p95 ${print(0.95)}`);
  const [first = 0, second = 0, during = Number.POSITIVE_INFINITY] = at(0.95);
  const noise = Math.abs(first - second);
  judge(
    `p95 beside a flood within the noise (${noise.toFixed(1)} ms)`,
    during <= Math.max(first, second) + noise,
  );
}

function judge(what: string, isHeld: boolean): void {
  console.log(`${what}: ${isHeld ? 'held' : 'MISSED'}`);
  if (!isHeld) process.exitCode = 1;
}

async function harmlessTimes(): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < 60; count++) {
    times.push((await ask(search, harmless, literal('needle'))).milliseconds);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return times;
}
