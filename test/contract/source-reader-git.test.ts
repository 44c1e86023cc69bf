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

it('looks up so many things at once and no more, a few of one organization, however many ask', async () => {
  const [running, most] = [new Map<string, number>(), new Map<string, number>()];
  const count = (who: string, by: 1 | -1): void => {
    running.set(who, (running.get(who) ?? 0) + by);
    most.set(who, Math.max(most.get(who) ?? 0, running.get(who) ?? 0));
  };
  const reader = openGitSourceReader({
    mirrorDir: () => join(dataDir, 'gone.git'),
    indexedCommit: async ({ organizationId }) => {
      for (const who of [organizationId, 'all']) count(who, 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (const who of [organizationId, 'all']) count(who, -1);
      return undefined;
    },
  });
  const { signal } = new AbortController();
  const request = { repository, path: 'src/a.ts' };
  const scopes = Array.from({ length: 6 }, () => ({ ...scope, organizationId: newId<OrganizationId>() }));
  await Promise.all(
    scopes.flatMap((asking) =>
      Array.from({ length: 10 }, () => [
        reader.readFile(asking, request, signal),
        reader.listTree(asking, request, signal),
      ]).flat(),
    ),
  );
  expect(most.get('all')).toBe(16);
  for (const { organizationId } of scopes) expect(most.get(organizationId)).toBeLessThanOrEqual(4);
});

it('says what to do when look-ups take too long, those that wait for their turn too', async () => {
  const held = Promise.withResolvers<undefined>();
  const reader = openGitSourceReader(
    { mirrorDir: () => join(dataDir, 'gone.git'), indexedCommit: () => held.promise },
    50,
  );
  const { signal } = new AbortController();
  const asked = Array.from({ length: 5 }, () => reader.listTree(scope, { repository, path: '' }, signal));
  await expect(asked[4]).rejects.toMatchObject({
    status: 503,
    code: 'lookup_timed_out',
    retryAfter: 5,
    message: expect.stringContaining('Ask again in a moment') as string,
  });
  held.resolve(undefined);
  expect(await Promise.all(asked.slice(0, 4))).toEqual([undefined, undefined, undefined, undefined]);
});
