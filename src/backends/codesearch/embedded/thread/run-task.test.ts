import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { needleRanking, needleSearch } from '../../../../../test/support/codesearch/needle-tasks.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import { createRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import type { OrganizationId, RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { SearchResult } from '../../port.ts';
import { readManifest } from '../format/manifest.ts';
import { repositoryFolder } from '../format/repository-folder.ts';
import { textArena } from '../query/scan/text-arena.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { isMarkedDamaged } from '../read/repository-index.ts';
import { runTask } from './run-task.ts';
import type { TaskResult } from './task.ts';

const root = temporaryFolder();
const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const repository = createRepository({ 'a.ts': 'const needle = 1;\n' });
const arena = textArena();
const index = openTestIndex({ root, log: silentLog });
const { signal } = new AbortController();

async function apply(id: string): Promise<void> {
  const to = repository.git('rev-parse', 'HEAD');
  const gitDir = `${repository.folder}/.git`;
  await index.apply(indexRequest({ scope, repository: id, gitDir, to }), signal);
}

function answering(indexes: OpenIndexes): Pick<TaskResult, 'incomplete'> & { readonly from: string[] } {
  const { files, incomplete } = runTask({ indexes, arena }, needleSearch, () => false) as SearchResult;
  return { from: files.map((file) => file.repository).toSorted(), ...(incomplete && { incomplete }) };
}

it('returns results of intact repositories and reports damage until the damaged one is rebuilt', async () => {
  await apply('good');
  await apply('bad');
  const folder = repositoryFolder(root, 'org', 'bad');
  const file = join(folder, readManifest(folder)?.segments[0]?.file ?? '');
  const bytes = readFileSync(file);
  bytes[4096] = 0x43;
  const indexes = new OpenIndexes(root);
  writeFileSync(file, bytes);
  expect(answering(indexes)).toEqual({ from: ['good'], incomplete: 'damaged' });
  expect(isMarkedDamaged(folder, 1)).toBe(true);
  expect(await index.isDamaged(scope, 'bad' as RepositoryId)).toBe(true);
  expect(answering(indexes)).toEqual({ from: ['good'], incomplete: 'damaged' });
  expect(runTask({ indexes, arena }, needleRanking, () => false).incomplete).toBe('damaged');
  expect(await index.status(scope, 'bad' as RepositoryId)).toBeUndefined();
  await apply('bad');
  expect(answering(indexes)).toEqual({ from: ['bad', 'good'] });
  expect(await index.isDamaged(scope, 'bad' as RepositoryId)).toBe(false);
  indexes.close();
});

it('returns the results so far when the deadline passes', () => {
  const indexes = new OpenIndexes(root);
  expect(runTask({ indexes, arena }, needleSearch, () => true)).toMatchObject({
    files: [],
    incomplete: 'deadline',
  });
  indexes.close();
});

it('returns files without lines when the deadline passes before the lines are read', async () => {
  await apply('good');
  const indexes = new OpenIndexes(root);
  const checks = { count: 0, passed: Number.POSITIVE_INFINITY };
  const search = (): SearchResult =>
    runTask({ indexes, arena }, needleSearch, () => ++checks.count > checks.passed) as SearchResult;
  expect(search().files.map(({ matches }) => matches.length)).toEqual([1, 1]);
  checks.passed = checks.count - 2;
  checks.count = 0;
  const result = search();
  expect(result.files.map(({ path, matches }) => [path, matches])).toEqual([
    ['a.ts', []],
    ['a.ts', []],
  ]);
  expect(result.incomplete).toBe('deadline');
  indexes.close();
});
