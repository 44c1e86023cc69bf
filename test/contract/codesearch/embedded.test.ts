import { afterAll } from 'vitest';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type CodeSearchWorld, describeCodeSearch } from './codesearch.ts';

const worlds: CodeSearchWorld[] = [];

afterAll(async () => {
  await Promise.all(worlds.map(({ search }) => search.close()));
});

for (const [name, compression] of [
  ['embedded', 'none'],
  ['embedded, compressed', 'zstd'],
] as const) {
  describeCodeSearch(name, async () => {
    const root = temporaryFolder();
    const world = {
      index: openTestIndex({ root, log: silentLog, compression }),
      search: openCodeSearch({ root, log: silentLog, threads: 2 }),
    };
    worlds.push(world);
    return world;
  });
}
