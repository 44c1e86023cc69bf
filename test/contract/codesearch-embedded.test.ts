import { afterAll } from 'vitest';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type CodeSearchWorld, describeCodeSearch } from './codesearch.ts';

const root = temporaryFolder();
let world: CodeSearchWorld | undefined;

afterAll(async () => {
  await world?.search.close();
});

describeCodeSearch('embedded', async () => {
  world = {
    index: openCodeIndex({ root, log: silentLog }),
    search: openCodeSearch({ root, log: silentLog, threads: 2 }),
  };
  return world;
});
