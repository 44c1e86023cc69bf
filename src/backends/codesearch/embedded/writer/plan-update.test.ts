import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { indexRequest } from '../../../../../test/support/codesearch/index-request.ts';
import { openTestIndex } from '../../../../../test/support/codesearch/open-test-index.ts';
import {
  commitBomb,
  commitTree,
  type ForgedEntry,
  writeBlob,
  writeTree,
} from '../../../../../test/support/git/forged-trees.ts';
import { createRepository, type TestRepository } from '../../../../../test/support/git/git-repository.ts';
import { silentLog } from '../../../../../test/support/silent-log.ts';
import { temporaryFolder } from '../../../../../test/support/temporary-folder.ts';
import { isPermanent } from '../../../../foundation/jobs/retry-decision.ts';
import type { OrganizationId, RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { CodeIndex, IndexStatus } from '../../port.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
const repositoryId = 'repo' as RepositoryId;
const { signal } = new AbortController();

let index: CodeIndex;
let repository: TestRepository;

beforeEach(() => {
  index = openTestIndex({ root: temporaryFolder(), log: silentLog });
  repository = createRepository({ 'a.txt': 'a' });
});

function apply(to: string): Promise<IndexStatus> {
  const gitDir = join(repository.folder, '.git');
  return index.apply(indexRequest({ scope, repository: repositoryId, gitDir, to }), signal);
}

describe('a commit with a thousand million paths', () => {
  it.each(['as the first one', 'as an update'])(
    'fails permanently, quickly and with little memory: %s',
    async (how) => {
      const first = repository.git('rev-parse', 'HEAD');
      if (how === 'as an update') await apply(first);
      const bomb = commitBomb(repository);
      const before = process.memoryUsage.rss();
      let max = before;
      const watch = setInterval(() => (max = Math.max(max, process.memoryUsage.rss())), 5);
      const error: unknown = await apply(bomb).catch((problem: unknown) => problem);
      clearInterval(watch);
      expect(error).toMatchObject({ code: 'too_many_files' });
      expect(isPermanent(error)).toBe(true);
      expect(max - before).toBeLessThan(768 * 1024 ** 2);
      expect((await index.status(scope, repositoryId))?.commit).toBe(
        how === 'as an update' ? first : undefined,
      );
    },
  );
});

describe('a commit with forged names', () => {
  const forged = (...extra: readonly ForgedEntry[]): string =>
    commitTree(
      repository,
      writeTree(repository, [
        ['100644', '..', writeBlob(repository, 'evil')],
        ['100644', 'a.txt', writeBlob(repository, 'first')],
        ['100644', 'a.txt', writeBlob(repository, 'second')],
        ...extra,
      ]),
    );

  it('is indexed without them, and counts them', async () => {
    expect(await apply(forged())).toMatchObject({ files: 1, bytes: 5, skipped: { unsafe_name: 2 } });
  });

  it('is indexed without a file in a folder whose name has over 255 bytes, and counts it', async () => {
    const folder = writeTree(repository, [['100644', 'default.ts', writeBlob(repository, 'long')]]);
    const long: ForgedEntry = ['40000', 'f'.repeat(3_800), folder];
    const usual: ForgedEntry = ['40000', 'f'.repeat(255), folder];
    const commit = commitTree(repository, writeTree(repository, [usual, long]));
    expect(await apply(commit)).toMatchObject({ files: 1, skipped: { unsafe_name: 1 } });
  });

  it('counts them in an update like in a new index, until they are removed', async () => {
    expect((await apply(repository.git('rev-parse', 'HEAD'))).skipped).toEqual({});
    expect(await apply(forged())).toMatchObject({ files: 1, skipped: { unsafe_name: 2 } });
    const more = forged(['100644', 'b.txt', writeBlob(repository, 'b')]);
    expect(await apply(more)).toMatchObject({ files: 2, skipped: { unsafe_name: 2 } });
    const fixed = writeTree(repository, [['100644', 'a.txt', writeBlob(repository, 'first')]]);
    expect(await apply(commitTree(repository, fixed))).toMatchObject({ files: 1, skipped: {} });
  });
});

it('indexes a push to a folder that is too large to compare', async () => {
  const kept = writeBlob(repository, 'kept');
  const names = Array.from(
    { length: 60_000 },
    (_, number) => `${String(number).padStart(5, '0')}${'x'.repeat(250)}`,
  );
  const wide = (last: string): string => {
    const files: ForgedEntry[] = names.map((name) => ['100644', name, kept]);
    const folder = writeTree(repository, [...files, ['100644', 'z.txt', writeBlob(repository, last)]]);
    return commitTree(repository, writeTree(repository, [['40000', 'wide', folder]]));
  };
  expect(await apply(wide('first'))).toMatchObject({ files: 60_001 });
  const second = wide('second');
  expect(await apply(second)).toMatchObject({
    commit: second,
    files: 60_001,
    bytes: 4 * 60_000 + 6,
    skipped: {},
  });
});
