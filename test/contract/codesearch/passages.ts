import { expect, it } from 'vitest';
import type { CodeIndex, CodeSearch } from '../../../src/backends/codesearch/port.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import { applyAndDefine, indexRequest, namedRepository } from '../../support/codesearch/index-request.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { ours, rankInTime, theirs } from './query.ts';

const worker = `import { acquireLease } from "./lease";

// Retries a job until its lease is gone.
export async function work() {
  const lease = acquireLease("job");
  return lease;
}
`;

/** The contract of the passages of a ranking. */
export function ranksPassages(
  ready: () => Promise<{ readonly index: CodeIndex; readonly search: CodeSearch }>,
): void {
  it('ranks the passages of a question, with their text and what decided, for their organization only', async () => {
    const { index, search } = await ready();
    const repository = createRepository({ 'src/worker.ts': worker, 'jobs.yaml': 'job:\n  retries: 3\n' });
    const id = 'repo-passages' as RepositoryId;
    const to = repository.git('rev-parse', 'HEAD');
    const gitDir = `${repository.folder}/.git`;
    await applyAndDefine(index, indexRequest({ scope: ours, repository: id, gitDir, to }));
    const request = {
      terms: ['retries', 'job', 'lease'],
      identifiers: [],
      paths: [],
      repositories: [namedRepository(id)],
      limit: 1,
      waitMs: 30_000,
    };
    const asked = {
      ...request,
      question: 'How are retries of a job done until its lease is gone or revoked?',
    };
    const { passages } = await rankInTime(search, ours, asked);
    const places = passages.best.map(({ path, startLine }) => `${path}:${startLine}`);
    expect(places.toSorted()).toEqual(['jobs.yaml:1', 'src/worker.ts:1', 'src/worker.ts:3']);
    expect(passages.best[0]).toMatchObject({
      repository: id,
      commit: to,
      fileClass: 'source',
      definition: { name: 'work', kind: 'function', line: 4 },
      endLine: 7,
      lines: worker
        .split('\n')
        .slice(2, 7)
        .map((text, at) => ({ line: 3 + at, text })),
    });
    expect(passages.nearest.map(({ path, startLine }) => `${path}:${startLine}`)).toEqual([
      'src/worker.ts:3',
    ]);
    expect((await rankInTime(search, theirs, asked)).passages.best).toEqual([]);
  });
}
