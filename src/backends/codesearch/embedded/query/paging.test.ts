import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, literal, ours, patient } from '../../../../../test/contract/codesearch/query.ts';
import { indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { CodeSearch, SearchRequest } from '../../port.ts';
import { openCodeSearch } from '../open-embedded-code-search.ts';

/** Three units, each with a match that is not a whole word: scoring reads on to find one, counting does not. */
const long = `${`const filler = 'filler of a line';\n`.repeat(400)}useXneedleX();\n`.repeat(3);
const short = 'useXneedleX();\n';
const repositories = {
  first: filesOf(350, long),
  second: filesOf(400, short),
  third: filesOf(400, short),
};

function filesOf(count: number, text: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, number) => [`src/file-${number}.c`, text]));
}

describe('the pages of a result with more than a thousand files', () => {
  const root = temporaryFolder();
  let search: CodeSearch;

  beforeAll(async () => {
    const index = openTestIndex({ root, log: silentLog });
    for (const [repository, files] of Object.entries(repositories)) {
      const { folder, git } = createRepository(files);
      const request = { scope: ours, repository, gitDir: `${folder}/.git`, to: git('rev-parse', 'HEAD') };
      await index.apply(indexRequest(request), patient);
    }
    search = openCodeSearch({ root, log: silentLog, threads: 1 });
  });
  afterAll(() => search.close());

  const page = async (
    more: Partial<SearchRequest>,
  ): Promise<{ files: string[]; next: number | undefined }> => {
    const { files, nextOffset } = await search.search(ours, ask(literal('needle'), more), patient);
    return { files: files.map(({ repository, path }) => `${repository}/${path}`), next: nextOffset };
  };
  const pages = async (limit: number): Promise<string[]> => {
    const found: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const { files, next } = await page({ limit, offset, matchesPerFile: 0 });
      found.push(...files);
      offset = next;
    }
    return found;
  };

  it.each([200, 1000])('of %i files contain every file once', async (limit) => {
    const found = await pages(limit);
    const all = Object.entries(repositories).flatMap(([name, files]) =>
      Object.keys(files).map((path) => `${name}/${path}`),
    );
    expect(found).toHaveLength(all.length);
    expect(new Set(found)).toEqual(new Set(all));
  });

  it('contain the files in the same order for every page size', async () => {
    expect(await pages(200)).toEqual(await pages(1000));
  });
});
