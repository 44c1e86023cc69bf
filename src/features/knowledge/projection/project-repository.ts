import { type BlobReader, openBlobReader } from '../../../foundation/git/objects/blob-reader.ts';
import type { TreeChange } from '../../../foundation/git/objects/changed-files.ts';
import { extendsMainLine } from '../../../foundation/git/objects/history/commit-history.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { repoKey } from '../links/keys.ts';
import { type Mailmap, parseMailmap } from '../links/people.ts';
import type { FilesCache } from './files-cache.ts';
import { leftOutOf, nothingLeftOut } from './left-out-files.ts';
import { changesSince, type FilesDeps, projectFiles } from './project-files.ts';
import { type HistoryRun, projectNewCommits, projectOlderCommits } from './project-history.ts';
import type { ProjectedRepositories, ProjectedRepository } from './projected-repositories.ts';
import { basisOf, deleteMark, type ProjectionMark, readMark, writeMark } from './projection-mark.ts';
import { readText } from './read-files.ts';
import type { ProjectionPayload } from './tasks.ts';
import { deleteUnparsed } from './unparsed-blobs.ts';

/** `derived` is the database of the graph, which also holds the marks. */
export interface ProjectionDeps extends FilesDeps {
  readonly repositories: ProjectedRepositories;
}

/**
 * Brings the graph to the indexed commit of a repository, as a job: first the files, then new commits, then a slice of
 * older ones; the next slice is a job of its own, so that other repositories take turns. Everything can be repeated.
 */
export async function projectRepository(
  deps: ProjectionDeps,
  cache: FilesCache,
  payload: ProjectionPayload,
  { signal }: Pick<JobContext, 'signal'>,
): Promise<void> {
  const found = await deps.repositories.find(payload);
  if (found === undefined || found.repository === 'not_ready') return;
  const { scope, repository } = found;
  if (repository === 'gone') {
    await deleteUnparsed(deps.derived, payload.repositoryId);
    return forget(deps, cache, scope, payload.repositoryId);
  }
  // One process for the whole job: to start one takes longer than to read what a push changed.
  await using reader = openBlobReader(repository.gitDir, signal);
  const { mailmap, basis } = await readMailmap(repository, reader);
  const run = { scope, repository, mailmap, signal };
  const mark = await bringToCommit(deps, cache, { ...run, reader }, basis);
  await deps.repositories.recordGraph(payload, repository.commit, mark.leftOut);
  if (mark.rest === undefined) return;
  const { paths: renames } = await cache.renames.read(repository, mark.commit, signal);
  const rest = await projectOlderCommits(deps.graph, { ...run, renames }, mark.rest);
  await writeMark(deps.derived, repository.id, { ...mark, rest });
  if (rest !== undefined) await deps.repositories.enqueue(payload);
}

async function forget(
  { graph, derived }: ProjectionDeps,
  cache: FilesCache,
  scope: OrgScope,
  repositoryId: string,
): Promise<void> {
  cache.delete(repositoryId);
  cache.renames.delete(repositoryId);
  await graph.removeRepository(scope, repositoryId);
  await deleteMark(derived, repositoryId);
}

async function readMailmap(
  repository: ProjectedRepository,
  reader: BlobReader,
): Promise<{ readonly mailmap: Mailmap; readonly basis: string }> {
  const file = await reader.find(repository.commit, '.mailmap');
  const text = file?.type === 'blob' ? await readText(reader, file.oid) : undefined;
  return { mailmap: parseMailmap(text ?? ''), basis: `${basisOf(repository)}.${file?.oid ?? ''}` };
}

async function bringToCommit(
  deps: ProjectionDeps,
  cache: FilesCache,
  run: Omit<HistoryRun, 'renames'> & { readonly reader: BlobReader },
  basis: string,
): Promise<ProjectionMark> {
  const { repository, scope, reader, signal } = run;
  const { id, commit } = repository;
  const known = await readMark(deps.derived, id);
  if (known?.commit === commit && known.target === undefined && known.basis === basis) return known;
  const { mark, changes } = await readChanges(known, repository, run);
  // The history was rewritten, or the graph was lost.
  if (mark === undefined) await forget(deps, cache, scope, id);
  const renames = await cache.renames.read(repository, mark?.commit, signal);
  // A person is known by `.mailmap`, and a file by its present path, so that another one changes all commits.
  const isSame = mark?.basis === basis && mark.renames === renames.hash && mark.commit !== undefined;
  const rest = isSame ? mark.rest : commit;
  await writeMark(deps.derived, id, {
    commit: mark?.commit,
    target: commit,
    basis,
    rest,
    renames: renames.hash,
    leftOut: nothingLeftOut,
  });
  await deps.graph.replaceUnits(scope, [repositoryUnit(repository, basis)]);
  const files = await projectFiles(deps, {
    scope,
    repository,
    basis,
    mark,
    changes,
    former: cache.take(id),
    reader,
    signal,
  });
  cache.put(id, files);
  if (mark?.commit !== undefined)
    await projectNewCommits(deps.graph, { ...run, renames: renames.paths }, mark.commit);
  const leftOut = leftOutOf(files.leftOut());
  const reached = { commit, target: undefined, basis, rest, renames: renames.hash, leftOut };
  await writeMark(deps.derived, id, reached);
  return reached;
}

/** Returns what to continue from, and what changed since; no mark if everything must be written again. */
async function readChanges(
  mark: ProjectionMark | undefined,
  repository: ProjectedRepository,
  { reader, signal }: { readonly reader: BlobReader; readonly signal: AbortSignal },
): Promise<{ readonly mark: ProjectionMark | undefined; readonly changes: readonly TreeChange[] }> {
  const isContinued = mark !== undefined && (await continues(mark, repository, signal));
  const changes = isContinued ? await changesSince(mark, repository, reader) : undefined;
  return changes === undefined ? { mark: undefined, changes: [] } : { mark, changes };
}

/** Returns whether the commit to project comes after everything that may be in the graph. */
async function continues(
  { commit, target }: ProjectionMark,
  { gitDir, commit: to }: ProjectedRepository,
  signal: AbortSignal,
): Promise<boolean> {
  for (const from of [commit, target])
    if (from !== undefined && !(await extendsMainLine(gitDir, from, to, signal))) return false;
  return true;
}

function repositoryUnit({ id, name, source, hosted }: ProjectedRepository, basis: string) {
  const key = repoKey(id);
  const node = { key, kind: 'repo', name, props: { source, hosted } } as const;
  return { owner: key, repositoryId: id, revision: basis, facts: { nodes: [node], edges: [], mentions: [] } };
}
