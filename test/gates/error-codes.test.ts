import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../support/run/gates.ts';
import { readPage, tableRows } from '../support/run/readme.ts';

/** Codes that no response over HTTP has, with the place where they are shown. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  'printed by a command': ['backup_failed', 'migration_running', 'not_configured', 'schema_changed'],
  'in the `error` of a record, or an error of a job': [
    'asset_unavailable',
    'authorization_revoked',
    'bundle_refused',
    'git_timed_out',
    'index_busy',
    'index_damaged',
    'index_superseded',
    'job_failed',
    'job_retried',
    'mirror_dropped',
    'mirror_incomplete',
    'path_refused',
    'pull_request_closed',
    'reauthorization_due',
    'scope_unknown',
    'too_many_branches',
    'too_many_files',
    'upload_stalled',
    'worker_lost',
  ],
  'in a note on the record of a connection': [
    'family_skipped',
    'private_teams_compared',
    'provider_limited',
    'webhook_disabled',
    'webhook_silent',
  ],
  'no code of an error, but quoted at such a place': ['custom', 'git', 'timeout'],
};

const sources = globSync('src/{features,backends,surfaces,foundation}/**/*.ts', { cwd: projectRoot })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(join(projectRoot, file), 'utf8'));

/** Returns the texts in quotes that have the form of a code, in the matches of a pattern. */
function codesIn(pattern: RegExp): ReadonlySet<string> {
  const places = sources.flatMap((source) => [...source.matchAll(pattern)].map(([place]) => place));
  return new Set(
    places.flatMap((place) => [...place.matchAll(/'([a-z]+(?:_[a-z]+)*)'/g)].map(([, code = '']) => code)),
  );
}

const conflicts = codesIn(/new Conflict\(\s*[^,]+,/g);
/** Names of the providers whose errors are made alike, by `providerErrors`. */
const providers = [...codesIn(/\bproviderErrors\(\s*[^,]+,/g)];
const unavailable = new Set([
  ...codesIn(/new Unavailable\(\s*[^,]+,/g),
  ...providers.map((service) => `${service}_unavailable`),
]);
const others = new Set([
  ...codesIn(/\bsuper\(\s*'[^']+'|\bcode: [^,;{}\n]+/g),
  ...providers.map((service) => `${service}_failed`),
]);

const listed = tableRows(readPage('docs/api.md'), 'status').flatMap(([status = '', text = '']) =>
  [
    ...text.matchAll(
      /\b[a-z]+(?:_[a-z]+)+\b|\b(?:unauthenticated|forbidden|conflict|internal|overloaded|unavailable)\b/g,
    ),
  ].map(([code]) => ({ code, status: status.slice(0, 3) })),
);

it('docs/api.md lists every code of an error over HTTP, and no other', () => {
  const known = new Set([...conflicts, ...unavailable, ...others]);
  const excused = Object.values(elsewhere).flat();
  expect(excused.filter((code) => !known.has(code))).toEqual([]);
  const served = [...known].filter((code) => !excused.includes(code));
  expect([...new Set(listed.map(({ code }) => code))].toSorted()).toEqual(served.toSorted());
});

it('docs/api.md lists conflicts under 409 and the rest of what may be retried under 503', () => {
  const under = (status: string) => listed.filter((row) => row.status === status).map(({ code }) => code);
  for (const { code, status } of listed) {
    if (conflicts.has(code) && !unavailable.has(code)) expect([code, status]).toEqual([code, '409']);
    if (unavailable.has(code)) expect([code, status]).toEqual([code, '503']);
  }
  expect(under('409')).toContain('repository_exists');
});
