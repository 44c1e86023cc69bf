import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import { silentLog } from '../support/silent-log.ts';
import { type CodeSearchWorld, describeCodeSearch } from './codesearch.ts';

const root = mkdtempSync(join(tmpdir(), 'orgctx-codesearch-'));
let world: CodeSearchWorld | undefined;

afterAll(async () => {
  await world?.search.close();
  rmSync(root, { recursive: true, force: true });
});

describeCodeSearch('embedded', async () => {
  world = {
    index: openCodeIndex({ root, log: silentLog }),
    search: openCodeSearch({ root, log: silentLog, threads: 2 }),
  };
  return world;
});
