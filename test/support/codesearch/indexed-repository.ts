import { type Manifest, readManifest } from '../../../src/backends/codesearch/embedded/format/manifest.ts';
import { repositoryFolder } from '../../../src/backends/codesearch/embedded/format/repository-folder.ts';
import type { CodeIndex, IndexRequest } from '../../../src/backends/codesearch/port.ts';
import type { OrganizationId, RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import { createRepository, type TestRepository } from '../git/git-repository.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { indexRequest } from './index-request.ts';
import { openTestIndex } from './open-test-index.ts';

/** The organization and id of the test repository. */
export const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
export const id = 'repo' as RepositoryId;

/** A repository and an empty index. */
export interface IndexedRepository {
  readonly root: string;
  readonly index: CodeIndex;
  readonly repository: TestRepository;
}

export function openIndexedRepository(files?: Readonly<Record<string, string>>): IndexedRepository {
  const root = temporaryFolder();
  return { root, index: openTestIndex({ root, log: silentLog }), repository: createRepository(files) };
}

/** Returns a request to index one branch, `main`, at `to`. */
export function requestOf({ folder }: TestRepository, to: string): IndexRequest {
  return indexRequest({ scope, repository: id, gitDir: `${folder}/.git`, to });
}

/** Returns the folder of the repository's index. */
export function folderOf(root: string): string {
  return repositoryFolder(root, scope.organizationId, id);
}

export function manifestOf(root: string): Manifest {
  const manifest = readManifest(folderOf(root));
  if (manifest === undefined) throw new Error('The repository is not indexed.');
  return manifest;
}

/** Returns the kind of each segment, in the order of the manifest. */
export function kindsOf(root: string): string[] {
  return manifestOf(root).segments.map(({ kind }) => kind);
}

/** Returns files `src/f0.ts` and so on, each with its number in its text. */
export function numberedFiles(count: number, text = 'kept'): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, file) => [`src/f${file}.ts`, `${text} ${file}\n`]),
  );
}
