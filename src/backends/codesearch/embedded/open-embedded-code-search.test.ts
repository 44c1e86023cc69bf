import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository } from '../../../../test/support/git-repository.ts';
import { indexRequest } from '../../../../test/support/index-request.ts';
import { silentLog } from '../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { CodeSearch, Query, SearchResult } from '../port.ts';
import { openCodeIndex, openCodeSearch } from './open-embedded-code-search.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const { signal } = new AbortController();
const root = temporaryFolder();
const repository = createRepository({ 'a.ts': 'const needle = 1;\n' });
let search: CodeSearch;

function ask(query: Query): Promise<SearchResult> {
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
  const index = openCodeIndex({ root, log: silentLog });
  await index.apply(indexRequest({ scope, repository: 'repo', gitDir, to }), signal);
  search = openCodeSearch({ root, log: silentLog, threads: 2 });
  await ask(literal('needle'));
});
afterAll(async () => {
  await search.close();
});

/** Milliseconds that the event loop was held up at worst while the queries were asked. */
async function longestDelay(queries: readonly Query[]): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first delay is measured from the first turn on.
  await pause(20);
  const asked = queries.map((query) => ask(query));
  const answers = await Promise.allSettled(asked);
  await pause(20);
  for (const answer of answers) {
    if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'overloaded' });
  }
  delay.disable();
  return delay.max / 1e6;
}

/** As many classes as a pattern may hold. No two are alike: the engine remembers what it has compiled. */
function hostile(seed: number): string {
  const letters = Array.from({ length: 50 }, (_, at) => String.fromCodePoint(0x4e00 + seed * 50 + at));
  return letters.map((letter) => `[\\W${letter}]`).join('');
}

describe('the process that asks', () => {
  it('is not held up by patterns that are slow to compile', async () => {
    const queries = Array.from({ length: 50 }, (_, seed) => pattern(hostile(seed)));
    expect(await longestDelay(queries)).toBeLessThan(250);
  });

  it('is told at once what cannot be searched', async () => {
    await expect(ask(pattern('(a'))).rejects.toThrow(InvalidInput);
    await expect(ask(literal('a\nb'))).rejects.toThrow(InvalidInput);
    for (const element of ['[a-z]', '\\w', '\\b', '\\p{L}', '[\\d]']) {
      await expect(ask(pattern(element.repeat(101)))).rejects.toThrow(/100 character classes/);
    }
    await expect(ask({ kind: 'or', operands: Array(21).fill(literal('a')) })).rejects.toThrow(/20 terms/);
  });
});
