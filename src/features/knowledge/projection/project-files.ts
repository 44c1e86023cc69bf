import type { GraphWriter } from '../../../backends/graph/port.ts';
import { type FileParser, isManifest, ParseBudget } from '../../../backends/languages/port.ts';
import type { DerivedDatabase } from '../../../foundation/db/derived/open-derived.ts';
import type { BlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import { changedFiles, type TreeChange } from '../../../foundation/git/objects/changed-files.ts';
import { listTree } from '../../../foundation/git/objects/objects.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { fileKey } from '../links/keys.ts';
import { PackageExports } from '../packages/exported-names.ts';
import { type ChangedNames, together } from './changed-names.ts';
import type { ProjectedRepository } from './projected-repositories.ts';
import type { ProjectionMark } from './projection-mark.ts';
import { type FileEntry, type ParseDeps, parseEntries, readOwners } from './read-files.ts';
import { readPackages } from './read-packages.ts';
import { RepositoryFiles } from './repository-files.ts';
import { UnparsedBlobs } from './unparsed-blobs.ts';
import { writeFiles } from './write-files.ts';

export interface FilesDeps {
  readonly graph: GraphWriter;
  readonly derived: DerivedDatabase;
  readonly parser: FileParser;
  /** Processor time that the files of one projection may waste, in milliseconds. Default: 60 s. */
  readonly parseMs?: number | undefined;
}

export interface FilesRun {
  readonly scope: OrgScope;
  readonly repository: ProjectedRepository;
  readonly basis: string;
  readonly mark: ProjectionMark | undefined;
  /** The files that may differ between the commit of the repository and the graph; empty if all are written again. */
  readonly changes: readonly TreeChange[];
  /** The files as of the last projection by this process; `undefined` if they must be read again. */
  readonly former: RepositoryFiles | undefined;
  readonly reader: BlobReader;
  readonly signal: AbortSignal;
}

/**
 * Brings the facts of all files to the commit of the repository. Returns the files, for the next time. Fails without
 * damage: until the mark is written, the next run repeats it. @throws GitError; the reason of `signal`
 */
export async function projectFiles(
  { graph, derived, parser, parseMs }: FilesDeps,
  { scope, repository, basis, mark, changes, former, reader, signal }: FilesRun,
): Promise<RepositoryFiles> {
  const { commit, id } = repository;
  const isCurrent = former?.basis === basis && former.commit === mark?.commit && mark?.target === undefined;
  let files = former;
  try {
    const unparsed = await UnparsedBlobs.read(derived, id);
    const deps: ParseDeps = { parser, reader, unparsed, budget: new ParseBudget({ total: parseMs }), signal };
    const owners = await readOwners(reader, commit);
    const changed = files === undefined || !isCurrent ? undefined : await update(files, changes, deps);
    if (changed === undefined) {
      files?.close();
      files = undefined;
    }
    files ??= await readAll(repository, deps);
    [files.commit, files.basis] = [commit, basis];
    const resolved = files.using(changed ?? 'all');
    await writeFiles({ scope, repository, files, ...owners, reader, graph, resolved, signal });
    await unparsed.keepOnly(files.unparsed());
    const { known } = files;
    const gone = changes.filter(({ status, mode, path }) => !isPresent({ status, mode }) && !known.has(path));
    await graph.removeUnits(
      scope,
      gone.map(({ path }) => fileKey(id, path)),
    );
    return files;
  } catch (error) {
    files?.close();
    throw error;
  }
}

/**
 * Returns what differs between the commit of a repository and everything that may be in the graph; `undefined` if that
 * cannot be known.
 */
export async function changesSince(
  mark: ProjectionMark,
  { commit: to }: ProjectedRepository,
  reader: BlobReader,
): Promise<readonly TreeChange[] | undefined> {
  const all: TreeChange[] = [];
  for (const from of new Set([mark.commit, mark.target])) {
    if (from === undefined) continue;
    const changes = await changedFiles(reader, from, to);
    if (typeof changes === 'string') return undefined;
    all.push(...changes);
  }
  return all;
}

/**
 * Reads the changed files, those that the budget of the last projection left out, and the manifests if one changed.
 * Returns the changed names.
 */
async function update(
  files: RepositoryFiles,
  changes: readonly TreeChange[],
  deps: ParseDeps,
): Promise<ChangedNames> {
  const all: ChangedNames[] = [];
  for (const change of changes) if (!isPresent(change)) all.push(files.delete(change.path));
  const changed = new Set(changes.map(({ path }) => path));
  const again = [...files.unparsed()].filter(({ path, failed }) => failed === 'budget' && !changed.has(path));
  for await (const [{ path, oid }, parsed, failed] of parseEntries(deps, [
    ...changes.filter(isPresent),
    ...again,
  ]))
    all.push(files.set(path, oid, parsed, failed));
  if (changes.some(({ path }) => isManifest(path))) {
    const { digest } = files.packages;
    files.packages = await readPackages(deps, entriesOf(files));
    if (files.packages.digest !== digest) return 'all';
  }
  const exports = new PackageExports(files.packages, files.symbols);
  return changes.some(({ path }) => exports.isEntry(path)) ? 'all' : together(all);
}

function* entriesOf({ known }: RepositoryFiles): Generator<FileEntry, void> {
  for (const [path, { oid }] of known) yield { path, oid };
}

async function readAll({ gitDir, commit }: ProjectedRepository, deps: ParseDeps): Promise<RepositoryFiles> {
  const entries: FileEntry[] = [];
  for await (const { mode, path, oid, unsafe } of listTree(gitDir, commit, deps.signal, { sizes: false }))
    if (isFile(mode) && !unsafe) entries.push({ path, oid });
  const files = new RepositoryFiles(gitDir);
  try {
    for await (const [{ path, oid }, parsed, failed] of parseEntries(deps, entries))
      files.add(path, oid, parsed, failed);
    files.packages = await readPackages(deps, entries);
  } catch (error) {
    files.close();
    throw error;
  }
  return files;
}

function isPresent({ status, mode }: Pick<TreeChange, 'status' | 'mode'>): boolean {
  return status !== 'D' && isFile(mode);
}

/** Symlinks and submodules are not files. */
function isFile(mode: string): boolean {
  return mode.startsWith('100');
}
