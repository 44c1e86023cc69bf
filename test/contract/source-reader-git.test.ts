import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openGitSourceReader } from '../../src/backends/codesearch/git/git-source-reader.ts';
import { mirrorPath } from '../../src/features/repositories/mirror-path.ts';
import { newId, type OrganizationId, type RepositoryId } from '../../src/foundation/kernel/ids.ts';
import { createSourceRepository } from '../support/source-repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeSourceReader, type SourceReaderWorld } from './source-reader.ts';

const dataDir = temporaryFolder();
const scope = { organizationId: newId<OrganizationId>(), orgSlug: 'ours' };
const foreignScope = { organizationId: newId<OrganizationId>(), orgSlug: 'theirs' };
const repository = newId<RepositoryId>();
let world: SourceReaderWorld;

beforeAll(() => {
  const { source, first, indexed } = createSourceRepository();
  source.git('clone', '--quiet', '--bare', source.folder, mirrorPath(dataDir, scope, repository));
  const reader = openGitSourceReader({
    mirrorDir: (owner, id) => mirrorPath(dataDir, owner, id),
    indexedCommit: async (owner, id) =>
      owner.organizationId === scope.organizationId && id === repository ? indexed : undefined,
  });
  world = { reader, scope, foreignScope, repository, first, indexed };
});

describeSourceReader('bare mirrors', async () => world);

it('knows no repository whose mirror is gone', async () => {
  const reader = openGitSourceReader({
    mirrorDir: () => join(dataDir, 'gone.git'),
    indexedCommit: async () => world.indexed,
  });
  const signal = new AbortController().signal;
  expect(await reader.readFile(scope, { repository, path: 'src/a.ts' }, signal)).toBeUndefined();
});

it('looks up so many things at once and no more, however many ask', async () => {
  let [running, most] = [0, 0];
  const reader = openGitSourceReader({
    mirrorDir: () => join(dataDir, 'gone.git'),
    indexedCommit: async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return undefined;
    },
  });
  const { signal } = new AbortController();
  const request = { repository, path: 'src/a.ts' };
  await Promise.all(
    Array.from({ length: 30 }, () => [
      reader.readFile(scope, request, signal),
      reader.listTree(scope, request, signal),
    ]).flat(),
  );
  expect(most).toBe(16);
});
