import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexRequest } from '../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { CodeSearch, Query, SearchResult } from '../port.ts';
import { openCodeSearch } from './open-embedded-code-search.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const { signal } = new AbortController();
const root = temporaryFolder();
const repository = createRepository({ 'a.ts': 'const needle = 1;\n' });
let search: CodeSearch;

function runSearch(query: Query): Promise<SearchResult> {
  const request = { query, limit: 10, matchesPerFile: 1, contextLines: 0, deadlineMs: 2000 };
  return search.search(scope, request, signal);
}

function pattern(source: string): Query {
  return { kind: 'regex', source, caseSensitive: false, field: 'content' };
}

function literal(text: string): Query {
  return { kind: 'literal', text, caseSensitive: false, field: 'content' };
}

beforeAll(async () => {
  const to = repository.git('rev-parse', 'HEAD');
  const gitDir = `${repository.folder}/.git`;
  const index = openTestIndex({ root, log: silentLog });
  await index.apply(indexRequest({ scope, repository: 'repo', gitDir, to }), signal);
  search = openCodeSearch({ root, log: silentLog, threads: 2 });
  await runSearch(literal('needle'));
});
afterAll(async () => {
  await search.close();
});

/** Returns the processor time that this thread uses while the queries run, in milliseconds. */
async function ownTime(queries: readonly Query[]): Promise<number> {
  const started = process.threadCpuUsage();
  const outcomes = await Promise.allSettled(queries.map((query) => runSearch(query)));
  const { user, system } = process.threadCpuUsage(started);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'overloaded' });
  }
  return (user + system) / 1000;
}

/**
 * Returns a pattern with the maximum number of classes. No two are alike, because the engine caches compiled
 * patterns.
 */
function expensivePattern(seed: number): string {
  const letters = Array.from({ length: 50 }, (_, at) => String.fromCodePoint(0x4e00 + seed * 50 + at));
  return letters.map((letter) => `[\\W${letter}]`).join('');
}

describe('the calling process', () => {
  it('is not blocked by patterns that are slow to compile', async () => {
    const queries = Array.from({ length: 50 }, (_, seed) => pattern(expensivePattern(seed)));
    expect(await ownTime(queries)).toBeLessThan(250);
  });

  it('gets an error at once for an invalid query', async () => {
    await expect(runSearch(pattern('(a'))).rejects.toThrow(InvalidInput);
    await expect(runSearch(literal('a\nb'))).rejects.toThrow(InvalidInput);
    for (const element of ['[a-z]', '\\w', '\\b', '\\p{L}', '[\\d]']) {
      await expect(runSearch(pattern(element.repeat(101)))).rejects.toThrow(/100 character classes/);
    }
    await expect(runSearch({ kind: 'or', operands: Array(21).fill(literal('a')) })).rejects.toThrow(
      /20 terms/,
    );
  });
});
