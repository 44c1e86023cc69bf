import { type Manifest, readManifest } from '../../src/backends/codesearch/embedded/format/manifest.ts';
import { repositoryFolder } from '../../src/backends/codesearch/embedded/format/repository-folder.ts';
import { openCodeIndex } from '../../src/backends/codesearch/embedded/open-embedded-code-search.ts';
import type { CodeIndex, IndexRequest } from '../../src/backends/codesearch/port.ts';
import type { OrganizationId, RepositoryId } from '../../src/foundation/kernel/ids.ts';
import { createRepository, type TestRepository } from './git-repository.ts';
import { indexRequest } from './index-request.ts';
import { silentLog } from './silent-log.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Whose repository it is, and which. */
export const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'org' };
export const id = 'repo' as RepositoryId;

/** A repository and an index that nothing was brought to yet. */
export interface IndexedRepository {
  readonly root: string;
  readonly index: CodeIndex;
  readonly repository: TestRepository;
}

export function openIndexedRepository(files?: Readonly<Record<string, string>>): IndexedRepository {
  const root = temporaryFolder();
  return { root, index: openCodeIndex({ root, log: silentLog }), repository: createRepository(files) };
}

/** To index one branch, `main`, at `to`. */
export function requestOf({ folder }: TestRepository, to: string): IndexRequest {
  return indexRequest({ scope, repository: id, gitDir: `${folder}/.git`, to });
}

/** Where the index of the repository lies. */
export function folderOf(root: string): string {
  return repositoryFolder(root, scope.organizationId, id);
}

export function manifestOf(root: string): Manifest {
  const manifest = readManifest(folderOf(root));
  if (manifest === undefined) throw new Error('nothing is indexed');
  return manifest;
}

/** Of each segment, as the manifest has them. */
export function kindsOf(root: string): string[] {
  return manifestOf(root).segments.map(({ kind }) => kind);
}

/** `src/f0.ts` and so on, each with its number in its text. */
export function numberedFiles(count: number, text = 'kept'): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, file) => [`src/f${file}.ts`, `${text} ${file}\n`]),
  );
}
