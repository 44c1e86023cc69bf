import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCodeSearch } from '../../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { BranchHead, CodeSearch, Query } from '../../../src/backends/codesearch/port.ts';
import { indexRequest } from '../../support/codesearch/index-request.ts';
import { openTestIndex } from '../../support/codesearch/open-test-index.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { silentLog } from '../../support/silent-log.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ask, literal, ours, patient } from './query.ts';

describe('searching the branches of a repository', () => {
  const root = temporaryFolder();
  const repository = createRepository();
  const heads: BranchHead[] = [];
  let search: CodeSearch;

  const commitOn = (name: string, files: Record<string, string>): void => {
    repository.git('checkout', '--quiet', '-B', name, ...(heads[0] === undefined ? [] : [heads[0].commit]));
    heads.push({ name, commit: repository.commit(files) });
  };
  const branch = (pattern: string): Query => ({ kind: 'branch', pattern });
  const and = (...operands: Query[]): Query => ({ kind: 'and', operands });
  const found = async (query: Query): Promise<string[]> => {
    const { files } = await search.search(ours, ask(query), patient);
    return files
      .map(({ path, branch: on, commit }) => {
        expect(commit).toBe(heads.find(({ name }) => name === on)?.commit);
        return `${on}:${path}`;
      })
      .toSorted();
  };

  beforeAll(async () => {
    commitOn('main', { 'same.ts': 'needle same\n', 'differs.ts': 'needle on main\n' });
    commitOn('next', { 'differs.ts': 'needle on next\n', 'only.ts': 'needle\n' });
    commitOn('topic/one', { 'differs.ts': 'needle on topic\n' });
    const [first, ...others] = heads;
    if (first === undefined) throw new Error('no branch');
    const request = indexRequest({
      scope: ours,
      repository: 'repo',
      gitDir: join(repository.folder, '.git'),
      to: first.commit,
    });
    const index = openTestIndex({ root, log: silentLog });
    await index.apply({ ...request, branches: [first, ...others] }, patient);
    search = openCodeSearch({ root, log: silentLog, threads: 1 });
  });
  afterAll(() => search.close());

  it('searches the named branches, and only the default branch when none is named', async () => {
    const needle = literal('needle');
    const ofMain = ['main:differs.ts', 'main:same.ts'];
    expect(await found(needle)).toEqual(ofMain);
    expect(await found(and(needle, branch('HEAD')))).toEqual(ofMain);
    expect(await found(and(needle, branch('main')))).toEqual(ofMain);
    expect(await found(and(needle, branch('next')))).toEqual([
      'next:differs.ts',
      'next:only.ts',
      'next:same.ts',
    ]);
    expect(await found(and(needle, branch('nex')))).toEqual([]);
  });

  it('selects branches by pattern and returns a file that several branches hold once, on the first of them', async () => {
    const topics = await found(and(literal('needle'), branch('topic/*')));
    expect(topics).toEqual(['topic/one:differs.ts', 'topic/one:same.ts']);
    expect(await found(and(literal('needle'), branch('*')))).toEqual([
      'main:differs.ts',
      'main:same.ts',
      'next:differs.ts',
      'next:only.ts',
      'topic/one:differs.ts',
    ]);
  });

  it('excludes branches by name', async () => {
    const notMain: Query = { kind: 'not', operand: branch('main') };
    expect(await found(and(literal('needle'), notMain))).toEqual([
      'next:differs.ts',
      'next:only.ts',
      'topic/one:differs.ts',
    ]);
  });

  it('returns the text of a file as it is on each branch', async () => {
    expect(await found(and(literal('on next'), branch('next')))).toEqual(['next:differs.ts']);
    expect(await found(and(literal('on next'), branch('main')))).toEqual([]);
    expect(await found(literal('on next'))).toEqual([]);
  });
});
