import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  folderOf,
  id,
  manifestOf,
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/codesearch/indexed-repository.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { type CodeIndex, type CodeSearch, type IndexRequest, packPaths } from '../../port.ts';
import { openCodeSearch } from '../open-embedded-code-search.ts';
import { wordsFile } from './words-file.ts';

const { signal } = new AbortController();
const opened: CodeSearch[] = [];
afterEach(async () => {
  for (const search of opened.splice(0)) await search.close();
});

function openSearch(root: string): (limit?: number) => Promise<unknown> {
  const search = openCodeSearch({ root, log: silentLog, threads: 1 });
  opened.push(search);
  return async (limit = 10) => {
    const request = { matchesPerFile: 0, contextLines: 0, deadlineMs: 30_000, everyLine: true } as const;
    const { listed, incomplete } = await search.search(
      scope,
      { query: { kind: 'word', text: 'i' }, limit, ...request },
      signal,
    );
    return { listed, incomplete };
  };
}

interface Indexed {
  readonly root: string;
  readonly index: CodeIndex;
  readonly request: IndexRequest;
  /** Returns the path of the only table. */
  table(): string;
}

/** Indexes files without their table of words. */
async function indexed(files: Readonly<Record<string, string>>): Promise<Indexed> {
  const { root, index, repository } = openIndexedRepository(files);
  const request = requestOf(repository, repository.git('rev-parse', 'HEAD'));
  await index.apply(request, signal);
  const table = (): string => join(folderOf(root), wordsFile(manifestOf(root).segments[0]?.file ?? ''));
  return { root, index, request, table };
}

describe('a table of words', () => {
  it('that cannot be read is not used, logged once and written anew', async () => {
    const { root, index, request, table } = await indexed({ 'a.ts': 'i\n\ni\n' });
    const search = openSearch(root);
    const expected = await search();
    await index.compact(request, signal);
    const intact = readFileSync(table());
    const logged: unknown[] = [];
    const log = { ...silentLog, warn: (fields: unknown) => logged.push(fields) };
    const logging = openTestIndex({ root, log });
    for (const [count, damage] of [
      () => mkdirSync(table()),
      () => writeFileSync(table(), intact.subarray(1)),
    ].entries()) {
      rmSync(table());
      damage();
      expect(await search()).toEqual(expected);
      expect(await search()).toEqual(expected);
      expect(await index.status(scope, id)).toMatchObject({ needsCompaction: true });
      for (let times = 0; times < 2; times++)
        expect(await logging.compact(request, signal)).toMatchObject({ needsCompaction: false });
      expect(readFileSync(table())).toEqual(intact);
      expect(logged).toHaveLength(count + 1);
    }
    expect(readdirSync(folderOf(root)).filter((name) => /words./.test(name))).toEqual([]);
  });

  it('has the limits of a search of the text, beyond which lines are counted', async () => {
    const files = { 'a.ts': 'i\n'.repeat(3), 'b.ts': 'i\n'.repeat(2_000), 'c.ts': 'i\n', 'd.ts': 'j\n' };
    const { root, index, request } = await indexed(files);
    const search = openSearch(root);
    const limits = [1, 2, 3];
    const found = async (): Promise<unknown> => {
      const results: unknown[] = [];
      for (const limit of limits) results.push(await search(limit));
      return results;
    };
    const expected = await found();
    expect(expected).toMatchObject([
      { incomplete: undefined, listed: { repositories: [{ paths: packPaths(['a.ts']) }], unlisted: 2_001 } },
      { listed: { repositories: [{ paths: packPaths(['a.ts', 'b.ts']) }], unlisted: 1 } },
      { listed: { repositories: [{ paths: packPaths(['a.ts', 'b.ts', 'c.ts']) }], unlisted: 0 } },
    ]);
    await index.compact(request, signal);
    expect(await found()).toEqual(expected);
  });

  it('is whole for searches during its write, which one process does, and none is left of a stopped write', async () => {
    const { root, index, request, table } = await indexed({ 'a.ts': `${'i abc\n'.repeat(5_000)}i` });
    const search = openSearch(root);
    const expected = await search();
    const controller = new AbortController();
    const stopped = index.compact(request, controller.signal);
    controller.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    expect(existsSync(table())).toBe(false);
    const writers = [index, openTestIndex({ root, log: silentLog })];
    const writing = Promise.allSettled(writers.map((each) => each.compact(request, signal)));
    expect(await search()).toEqual(expected);
    const results = await writing;
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'index_busy' }),
    });
    writeFileSync(`${table()}.tmp`, 'left by a killed process');
    await index.compact(request, signal);
    expect(await search()).toEqual(expected);
    expect(readdirSync(folderOf(root)).filter((name) => /words./.test(name))).toEqual([]);
  });
});
