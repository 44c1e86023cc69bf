import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import {
  openServedRepositories,
  type ServedRepositories,
} from '../../support/codesearch/served-repositories.ts';
import { createRepository, type TestRepository } from '../../support/git/git-repository.ts';

let service: ServedRepositories;
let source: TestRepository;
let id: RepositoryId;

beforeAll(async () => {
  service = await openServedRepositories();
  source = createRepository({ 'a.txt': 'kept on main\n', 'b.txt': 'shared\n' });
  for (const branch of ['release/1', 'release/2', 'wip']) {
    source.git('checkout', '--quiet', '-b', branch, 'main');
    source.commit({ 'a.txt': `only on ${branch}\n` });
  }
  source.git('checkout', '--quiet', 'main');
  ({ id } = await service.add('app', source, ['release/*', 'absent']));
});
afterAll(() => service?.close());

/** Returns the matches as `branch path`, in order. */
async function found(query: string): Promise<string[]> {
  const { status, body } = await service.search(`q=${encodeURIComponent(query)}`);
  expect([status, body]).toMatchObject([200, {}]);
  const items = body['items'] as { branch: string; path: string; commit: string }[];
  for (const { branch, commit } of items) expect([branch, commit]).toEqual([branch, tip(branch)]);
  return items.map(({ branch, path }) => `${branch} ${path}`).toSorted();
}

async function refusal(query: string): Promise<string> {
  const { status, body } = await service.search(`q=${encodeURIComponent(query)}`);
  expect([status, body]).toMatchObject([400, {}]);
  return JSON.stringify(body);
}

function tip(branch: string): string {
  return source.git('rev-parse', `refs/heads/${branch}`);
}

async function record(): Promise<Record<string, unknown>> {
  return (await service.http.call({ url: `/acme/api/v1/repositories/${id}` })).json();
}

describe('the branches of a repository', () => {
  it('searches the default branch unless a query names others', async () => {
    expect(await found('"on"')).toEqual(['main a.txt']);
    expect(await found('only')).toEqual([]);
    expect(await found('"on" branch:release/1')).toEqual(['release/1 a.txt']);
    expect(await found('only rev:release/*')).toEqual(['release/1 a.txt', 'release/2 a.txt']);
    expect(await found('shared b:release/*')).toEqual(['release/1 b.txt']);
    expect(await found('shared branch:HEAD')).toEqual(['main b.txt']);
    expect(await refusal('only branch:wip')).toContain(
      'column 6: none of the searched repositories has an indexed branch `wip`; indexed branches: main, release/1, release/2.',
    );
  });

  it('lists in the record the searchable branches, and the configured ones that do not exist', async () => {
    expect(await record()).toMatchObject({
      branch: null,
      furtherBranches: ['release/*', 'absent'],
      branches: ['main', 'release/1', 'release/2'].map((name) => ({ name, commit: tip(name) })),
      skipped: { branch_not_found: 1 },
    });
  });

  it('lists them for agents, with the reasons for skipped files and branches', async () => {
    const { body } = await service.callTool('list_repositories', {});
    const text = JSON.stringify(body);
    expect(text).toContain(
      `; also branches release/1 at ${tip('release/1').slice(0, 12)}, release/2 at ${tip('release/2').slice(0, 12)}`,
    );
    expect(text).toContain('; left out: 1 branch_not_found');
  });

  it('reads a file as it is on a branch, by the commit that a search returned', async () => {
    const at = `/acme/api/v1/repositories/${id}/file?path=a.txt`;
    const read = async (url: string) =>
      (await service.http.call({ url })).json<{ content: string }>().content;
    expect(await read(`${at}&commit=${tip('release/2')}`)).toBe('only on release/2\n');
    expect(await read(at)).toBe('kept on main\n');
  });

  it('follows a force push, a deletion, a new name and a new branch', async () => {
    source.git('checkout', '--quiet', '-B', 'release/1', 'main');
    source.commit({ 'a.txt': 'only after the force push\n' });
    source.git('branch', '-D', 'release/2');
    source.git('branch', '-m', 'wip', 'release/3');
    source.git('branch', 'absent', 'main');
    source.git('checkout', '--quiet', 'main');
    await service.sync(id);
    expect(await found('only branch:*')).toEqual(['release/1 a.txt', 'release/3 a.txt']);
    expect(await found('"only on" branch:release/1')).toEqual([]);
    expect(await refusal('only branch:release/2')).toContain('indexed branches: main,');
    expect(await record()).toMatchObject({ skipped: {} });
  });

  it('follows a renamed default branch', async () => {
    source.git('branch', '-m', 'main', 'trunk');
    await service.sync(id);
    expect(await found('kept')).toEqual(['trunk a.txt']);
    expect(await refusal('kept branch:main')).toContain('indexed branches: trunk,');
  });
});
