import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { INDEXER } from '../../src/backends/codesearch/embedded/format/indexer.ts';
import { readManifest } from '../../src/backends/codesearch/embedded/format/manifest.ts';
import {
  openCodeIndex,
  openCodeSearch,
} from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { CodeIndex, CodeSearch, IndexStatus } from '../../src/backends/codesearch/port.ts';
import type { OrganizationId } from '../../src/foundation/kernel/ids.ts';
import { createRepository, type TestRepository } from '../support/git-repository.ts';
import { indexRequest, namedRepository } from '../support/index-request.ts';
import { indexedFiles } from '../support/indexed-files.ts';
import { silentLog } from '../support/silent-log.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ask, literal, patient } from './codesearch-query.ts';

const fixture = join(import.meta.dirname, '../../fixtures/indexes/manifest-1');
const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const id = namedRepository('repo').id;

describe('an index of the program before', () => {
  const files = Object.fromEntries(
    Array.from({ length: 8 }, (_, file) => [`src/f${file}.ts`, file === 3 ? 'changed\n' : `kept ${file}\n`]),
  );
  let root: string;
  let repository: TestRepository;
  let index: CodeIndex;
  let search: CodeSearch;

  const request = (): Parameters<CodeIndex['apply']>[0] => {
    const [gitDir, to] = [join(repository.folder, '.git'), repository.git('rev-parse', 'HEAD')];
    return indexRequest({ scope, repository: id, gitDir, to });
  };
  const found = async (text: string): Promise<string[]> => {
    const { files: matches, incomplete } = await search.search(scope, ask(literal(text)), patient);
    expect(incomplete).toBeUndefined();
    return matches.map(({ path }) => path).toSorted();
  };
  const status = (): Promise<IndexStatus | undefined> => index.status(scope, id);

  beforeEach(() => {
    root = temporaryFolder();
    cpSync(join(fixture, 'org'), join(root, 'org'), { recursive: true });
    repository = createRepository();
    repository.git('pull', '--quiet', join(fixture, 'repository.bundle'), 'main');
    index = openCodeIndex({ root, log: silentLog });
    search = openCodeSearch({ root, log: silentLog, threads: 1 });
  });
  afterEach(() => search.close());

  it('answers, and says that it is to be built anew', async () => {
    expect(indexedFiles(root, 'org')).toEqual(files);
    expect(await found('kept')).toHaveLength(7);
    expect(await found('changed')).toEqual(['src/f3.ts']);
    expect(await status()).toMatchObject({ generation: 2, files: 8, untidy: true });
  });

  it('takes a push as it is, and still is to be built anew', async () => {
    repository.commit({ 'src/f1.ts': 'pushed\n' });
    expect(await index.apply(request(), patient)).toMatchObject({ generation: 3, files: 8, untidy: true });
    expect(indexedFiles(root, 'org')).toEqual({ ...files, 'src/f1.ts': 'pushed\n' });
  });

  it('is built anew in a quiet moment, with the same answers', async () => {
    expect(await index.tidy(request(), patient)).toMatchObject({ generation: 3, files: 8, untidy: false });
    expect(readManifest(join(root, 'org', 'repo'))).toMatchObject({ format: 2, indexer: INDEXER });
    expect(indexedFiles(root, 'org')).toEqual(files);
  });
});
