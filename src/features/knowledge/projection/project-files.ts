import type { GraphWriter } from '../../../backends/graph/port.ts';
import { openBlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import { changedFiles, type TreeChange } from '../../../foundation/git/objects/changed-files.ts';
import { listTree } from '../../../foundation/git/objects/objects.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { fileKey } from '../links/keys.ts';
import type { ProjectedRepository } from './projected-repositories.ts';
import type { ProjectionMark } from './projection-mark.ts';
import {
  type FileEntry,
  type FileParser,
  isModuleFile,
  type ParseDeps,
  parseEntries,
  readGoModules,
  readOwners,
} from './read-files.ts';
import { RepositoryFiles } from './repository-files.ts';
import { writeFiles } from './write-files.ts';

export interface FilesRun {
  readonly scope: OrgScope;
  readonly repository: ProjectedRepository;
  readonly basis: string;
  readonly mark: ProjectionMark | undefined;
  /** The files that may differ between the commit of the repository and the graph; empty if all are written again. */
  readonly changes: readonly TreeChange[];
  /** The files as of the last projection by this process; `undefined` if they must be read again. */
  readonly former: RepositoryFiles | undefined;
  readonly signal: AbortSignal;
}

/**
 * Brings the facts of all files to the commit of the repository. Returns the files, for the next time. Fails without
 * damage: until the mark is written, the next run repeats it. @throws GitError; the reason of `signal`
 */
export async function projectFiles(
  { graph, parser }: { readonly graph: GraphWriter; readonly parser: FileParser },
  { scope, repository, basis, mark, changes, former, signal }: FilesRun,
): Promise<RepositoryFiles> {
  const { commit, gitDir, id } = repository;
  await using reader = openBlobReader(gitDir, signal);
  const deps: ParseDeps = { parser, reader, signal };
  const gone = changes.filter(({ status, mode }) => status === 'D' || !isFile(mode)).map(({ path }) => path);
  const owners = await readOwners(reader, commit);
  const isCurrent = former?.basis === basis && former.commit === mark?.commit && mark?.target === undefined;
  const updated = isCurrent ? await update(former, changes, deps) : undefined;
  const { files, resolveAll } = updated ?? { files: await readAll(repository, deps), resolveAll: true };
  [files.commit, files.basis] = [commit, basis];
  await writeFiles({ scope, repository, files, owners, reader, graph, resolveAll, signal });
  const removed = gone.filter((path) => !files.known.has(path)).map((path) => fileKey(id, path));
  await graph.removeUnits(scope, removed);
  return files;
}

/**
 * Returns what differs between the commit of a repository and everything that may be in the graph; `undefined` if that
 * cannot be known.
 */
export async function changesSince(
  mark: ProjectionMark,
  { gitDir, commit: to }: ProjectedRepository,
  signal: AbortSignal,
): Promise<readonly TreeChange[] | undefined> {
  await using reader = openBlobReader(gitDir, signal);
  const all: TreeChange[] = [];
  for (const from of new Set([mark.commit, mark.target])) {
    if (from === undefined) continue;
    const changes = await changedFiles(reader, from, to);
    if (typeof changes === 'string') return undefined;
    all.push(...changes);
  }
  return all;
}

async function update(
  files: RepositoryFiles,
  changes: readonly TreeChange[],
  deps: ParseDeps,
): Promise<{ files: RepositoryFiles; resolveAll: boolean } | undefined> {
  if (changes.some(({ path }) => isModuleFile(path))) return undefined;
  let resolveAll = false;
  for (const { status, path, mode } of changes)
    if ((status === 'D' || !isFile(mode)) && files.delete(path)) resolveAll = true;
  const present = changes.filter(({ status, mode }) => status !== 'D' && isFile(mode));
  for await (const [{ path, oid }, parsed] of parseEntries(deps, present))
    if (files.set(path, oid, parsed)) resolveAll = true;
  return { files, resolveAll };
}

async function readAll({ gitDir, commit }: ProjectedRepository, deps: ParseDeps): Promise<RepositoryFiles> {
  const entries: FileEntry[] = [];
  for await (const { mode, path, oid, unsafe } of listTree(gitDir, commit, deps.signal, { sizes: false }))
    if (isFile(mode) && !unsafe) entries.push({ path, oid });
  const files = new RepositoryFiles(await readGoModules(deps.reader, entries));
  for await (const [{ path, oid }, parsed] of parseEntries(deps, entries)) files.set(path, oid, parsed);
  return files;
}

/** Symlinks and submodules are not files. */
function isFile(mode: string): boolean {
  return mode.startsWith('100');
}
