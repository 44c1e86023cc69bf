import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { indexerVersion } from '../../../src/backends/codesearch/embedded/format/indexer.ts';
import {
  manifestFile,
  manifestFormat,
  readManifest,
} from '../../../src/backends/codesearch/embedded/format/manifest.ts';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { CodeIndex, CodeSearch } from '../../../src/backends/codesearch/port.ts';
import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import { indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { indexedFiles } from '../../support/codesearch/indexed-files.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, literal, patient } from './query.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const id = namedRepository('repo').id;
const files = Object.fromEntries(
  Array.from({ length: 8 }, (_, file) => [`src/f${file}.ts`, file === 3 ? 'changed\n' : `kept ${file}\n`]),
);

let root: string;
let repository: TestRepository;
let index: CodeIndex;
let search: CodeSearch;

const folder = (): string => join(root, 'org', 'repo');
const request = (): Parameters<CodeIndex['apply']>[0] => {
  const [gitDir, to] = [join(repository.folder, '.git'), repository.git('rev-parse', 'HEAD')];
  return indexRequest({ scope, repository: id, gitDir, to });
};
const found = async (text: string) => {
  const { files: matches, incomplete } = await search.search(scope, ask(literal(text)), patient);
  return { paths: matches.map(({ path }) => path).toSorted(), incomplete };
};
const keptPaths = Object.keys(files).filter((path) => path !== 'src/f3.ts');

/** Changes numbers in the manifest to those of another program. */
function changeManifest(numbers: Readonly<Record<string, number>>): void {
  const manifest = JSON.parse(readFileSync(manifestFile(folder()), 'utf8')) as object;
  writeFileSync(manifestFile(folder()), JSON.stringify({ ...manifest, ...numbers }));
}

beforeEach(async () => {
  root = temporaryFolder();
  repository = createRepository({ ...files, 'src/f3.ts': 'first\n' });
  index = openTestIndex({ root, log: silentLog });
  search = openCodeSearch({ root, log: silentLog, threads: 1 });
  await index.apply(request(), patient);
  repository.commit({ 'src/f3.ts': 'changed\n' });
  await index.apply(request(), patient);
});
afterEach(() => search.close());

describe('an index that another indexer version wrote', () => {
  beforeEach(() => changeManifest({ indexerVersion: indexerVersion + 1 }));

  it('answers, and needs compaction', async () => {
    expect(indexedFiles(root, 'org')).toEqual(files);
    expect(await found('kept')).toEqual({ paths: keptPaths, incomplete: undefined });
    expect(await found('changed')).toEqual({ paths: ['src/f3.ts'], incomplete: undefined });
    expect(await index.status(scope, id)).toMatchObject({ files: 8, needsCompaction: true });
  });

  it('takes a push, and still needs compaction', async () => {
    repository.commit({ 'src/f1.ts': 'pushed\n' });
    expect(await index.apply(request(), patient)).toMatchObject({ files: 8, needsCompaction: true });
    expect(indexedFiles(root, 'org')).toEqual({ ...files, 'src/f1.ts': 'pushed\n' });
  });

  it('is rebuilt by the compaction, with the same answers', async () => {
    expect(await index.compact(request(), patient)).toMatchObject({ files: 8, needsCompaction: false });
    expect(readManifest(folder())).toMatchObject({ format: manifestFormat, indexerVersion });
    expect(indexedFiles(root, 'org')).toEqual(files);
  });
});

describe('an index whose manifest has another format', () => {
  beforeEach(() => changeManifest({ format: manifestFormat + 1 }));

  it('is reported as damaged by searches and to the worker, which rebuilds it', async () => {
    expect(await found('kept')).toEqual({ paths: [], incomplete: 'damaged' });
    expect(await index.status(scope, id)).toBeUndefined();
    expect(await index.isDamaged(scope, id)).toBe(true);
  });

  it('is rebuilt by the next update, with the same answers', async () => {
    expect(await index.apply(request(), patient)).toMatchObject({ files: 8 });
    expect(readManifest(folder())).toMatchObject({ format: manifestFormat, indexerVersion });
    expect(await found('kept')).toEqual({ paths: keptPaths, incomplete: undefined });
  });
});
