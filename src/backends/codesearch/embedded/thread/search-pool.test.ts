import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRepository } from '../../../../../test/support/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId, RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { CodeSearch, Query, SearchRequest, SearchResult } from '../../port.ts';
import { openCodeIndex, openCodeSearch } from '../open-embedded-code-search.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const { signal } = new AbortController();
const root = temporaryFolder();
const index = openCodeIndex({ root, log: silentLog });
const repository = createRepository({
  'evil.txt': `${'x'.repeat(60)}\n`,
  'a.ts': 'const needle = 1;\n',
});
let search: CodeSearch;

const hostile: Query = { kind: 'regex', source: '(x+x+)+y|(x+x+)+z', caseSensitive: true, field: 'content' };
const harmless: Query = { kind: 'literal', text: 'needle', caseSensitive: true, field: 'content' };

function ask(query: Query, deadlineMs: number, within = signal): Promise<SearchResult> {
  const request: SearchRequest = { query, limit: 10, matchesPerFile: 1, contextLines: 0, deadlineMs };
  return search.search(scope, request, within);
}

async function apply(id: string): Promise<void> {
  const to = repository.git('rev-parse', 'HEAD');
  const gitDir = `${repository.folder}/.git`;
  await index.apply({ scope, repository: id as RepositoryId, gitDir, to }, signal);
}

beforeAll(async () => {
  await apply('repo');
  search = openCodeSearch({ root, log: silentLog, threads: 2 });
  await ask(harmless, 5000);
});
afterAll(async () => {
  await search.close();
});

describe('a search thread', () => {
  it('that hangs in a pattern is ended at the deadline', async () => {
    const started = performance.now();
    const result = await ask(hostile, 300);
    expect(result).toMatchObject({ files: [], incomplete: 'deadline' });
    expect(performance.now() - started).toBeLessThan(300 + 100 + 100);
    expect((await ask(harmless, 5000)).files).toHaveLength(1);
  });

  it('that hangs delays no other search', async () => {
    await ask(harmless, 5000);
    const stuck = ask(hostile, 1000);
    const started = performance.now();
    for (let count = 0; count < 5; count++) expect((await ask(harmless, 2000)).files).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(1000);
    expect((await stuck).incomplete).toBe('deadline');
  });

  it('is replaced again and again', async () => {
    for (let round = 0; round < 3; round++) {
      const stuck = Promise.all([ask(hostile, 100), ask(hostile, 100), ask(hostile, 100)]);
      expect((await stuck).map((result) => result.incomplete)).toEqual(['deadline', 'deadline', 'deadline']);
    }
    expect((await ask(harmless, 5000)).files).toHaveLength(1);
  });

  it('is left to itself when the caller is gone', async () => {
    const gone = new AbortController();
    const stuck = ask(hostile, 500, gone.signal);
    gone.abort(new Error('gone'));
    await expect(stuck).rejects.toThrow('gone');
  });

  it('answers searches while repositories come and go', async () => {
    const changing = (async () => {
      for (let round = 0; round < 10; round++) {
        await apply('passing');
        await index.remove(scope, 'passing' as RepositoryId);
      }
    })();
    const state = { over: false };
    void changing.then(() => (state.over = true));
    while (!state.over) {
      const { files } = await ask(harmless, 5000);
      expect(files.map((file) => file.repository)).toContain('repo');
    }
    await changing;
    expect((await ask(harmless, 5000)).files).toHaveLength(1);
  });

  it('refuses work once it is closed', async () => {
    const other = openCodeSearch({ root, log: silentLog, threads: 1 });
    const waiting = other.rank(scope, { terms: ['needle'], identifiers: [], paths: [], limit: 1 }, signal);
    const closing = other.close();
    await expect(waiting).rejects.toThrow('shutting down');
    await closing;
    const late = other.rank(scope, { terms: ['needle'], identifiers: [], paths: [], limit: 1 }, signal);
    await expect(late).rejects.toThrow('shutting down');
  });
});
