import { rm } from 'node:fs/promises';
import { mirrorTips, receiveBundle } from '../../../foundation/git/bundle/receive-bundle.ts';
import { writeCommitGraph } from '../../../foundation/git/mirror/commit-graph.ts';
import type { MirrorLimits } from '../../../foundation/git/mirror/mirror-limits.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import { TooLarge, Unavailable } from '../../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { openSemaphore } from '../../../foundation/kernel/limits/semaphore.ts';
import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import type { CodeIndex, IndexRequest, IndexStatus } from '../port.ts';
import { hostedMirror } from './mirror-folder.ts';

export interface HostedIndexDeps {
  readonly index: CodeIndex & Pick<HostedIndex, 'indexedCommit'>;
  /** Folder of the mirrors; only this process writes to it. */
  readonly mirrors: string;
  /** Limits of one mirror. */
  readonly limits: MirrorLimits;
}

export interface HostedWork extends Omit<IndexRequest, 'gitDir'> {
  /** A file with the Git bundle that contains the commits; `undefined` if the service should have all of them. */
  readonly bundle: string | undefined;
  /** Commits whose parents the sender does not have. */
  readonly shallow: readonly string[];
}

type HostedUpkeep = Omit<HostedWork, 'bundle' | 'shallow'>;

/**
 * An index with its own mirrors, for a host that has none. Commits arrive as Git bundles, so it needs no credential
 * and makes no outgoing calls. It runs one task per repository at a time, and few overall, because each uses a
 * processor.
 */
export interface HostedIndex extends Pick<CodeIndex, 'status' | 'isDamaged' | 'remove'> {
  /** Returns the indexed commit of the default branch, for readers; `undefined` if nothing is indexed. Cheap. */
  indexedCommit(scope: DataScope, id: RepositoryId): Promise<string | undefined>;
  /** Returns the known commits of a repository; a bundle may build on them. */
  commits(scope: DataScope, id: RepositoryId): Promise<readonly string[]>;
  /**
   * Applies a bundle. Returns `lacking` if it builds on commits that are missing or damaged here; the index is then
   * unchanged, and the caller must send a complete bundle.
   * @throws Unavailable `index_busy`, `bundle_refused`, `disk_full`, `mirror_dropped`; TooLarge
   */
  apply(work: HostedWork, signal: AbortSignal): Promise<IndexStatus | 'lacking'>;
  /** See `CodeIndex.define`. @throws Unavailable `index_busy` */
  define(work: HostedUpkeep, signal: AbortSignal): Promise<IndexStatus>;
  /** See `CodeIndex.compact`. @throws Unavailable `index_busy` */
  compact(work: HostedUpkeep, signal: AbortSignal): Promise<IndexStatus>;
}

/** Maximum number of concurrent tasks; each may use as much memory as an index job. */
const maxConcurrent = 2;
const busyRetrySeconds = 10;

export function openHostedIndex({ index, mirrors, limits }: HostedIndexDeps): HostedIndex {
  const take = openSemaphore(maxConcurrent);
  const busy = new Map<string, { readonly end: AbortController; readonly done: Promise<unknown> }>();
  const mirrorOf = (scope: DataScope, id: RepositoryId): string =>
    hostedMirror(mirrors, scope.organizationId, id);

  /** Runs a task unless another one of the same repository is running. */
  const exclusively = async <T>(
    { scope, repository }: Pick<HostedWork, 'scope' | 'repository'>,
    signal: AbortSignal,
    work: (gitDir: string, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const gitDir = mirrorOf(scope, repository.id);
    if (busy.has(gitDir)) throw indexBusy();
    const end = new AbortController();
    const bounded = AbortSignal.any([signal, end.signal]);
    const done = take(() => work(gitDir, bounded), bounded);
    busy.set(gitDir, { end, done });
    try {
      return await done;
    } finally {
      busy.delete(gitDir);
    }
  };

  return {
    // A mirror that cannot be read is recreated by a complete bundle.
    commits: (scope, id) => mirrorTips(mirrorOf(scope, id)).catch(emptyIfDamaged),
    apply: ({ bundle, shallow, ...request }, signal) =>
      exclusively(request, signal, async (gitDir, bounded) => {
        const [first, ...others] = request.branches;
        const tips = [first.commit, ...others.map(({ commit }) => commit)] as const;
        const received = await receiveBundle({
          gitDir,
          bundle,
          tips,
          shallow,
          limits,
          signal: bounded,
        }).catch(refused);
        if (received === 'lacking') return 'lacking';
        return withMirror(gitDir, () => index.apply({ ...request, gitDir }, bounded));
      }),
    define: (request, signal) =>
      exclusively(request, signal, (gitDir, bounded) => index.define({ ...request, gitDir }, bounded)),
    compact: (request, signal) =>
      exclusively(request, signal, (gitDir, bounded) =>
        withMirror(gitDir, async () => {
          await writeCommitGraph(gitDir, bounded);
          return index.compact({ ...request, gitDir }, bounded);
        }),
      ),
    status: index.status,
    isDamaged: index.isDamaged,
    indexedCommit: index.indexedCommit,
    // Aborts the running task of the repository, then removes it from results and from disk.
    remove: async (scope, id) => {
      const gitDir = mirrorOf(scope, id);
      const running = busy.get(gitDir);
      running?.end.abort(removed());
      await running?.done.catch(() => undefined);
      await index.remove(scope, id);
      await rm(gitDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Deletes a mirror that lost objects, so that the next bundle is a complete one. */
async function withMirror<T>(gitDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== 'damaged') throw error;
    await rm(gitDir, { recursive: true, force: true, maxRetries: 5 });
    throw new Unavailable(
      'mirror_dropped',
      'The copy of the repository at the code search service was damaged and has been deleted. It will be sent again automatically.',
      { cause: error, retryAfter: 1 },
    );
  }
}

function emptyIfDamaged(error: unknown): readonly string[] {
  if (error instanceof GitError && error.reason === 'damaged') return [];
  throw error;
}

/** Replaces the message of Git, because the sender's repository may be intact even if the received data is not. */
function refused(error: unknown): never {
  if (!(error instanceof GitError)) throw error;
  const cause = error;
  if (error.reason === 'too_large') throw new TooLarge(error.message, { cause });
  if (error.reason === 'disk_full')
    throw new Unavailable('disk_full', error.message, { cause, retryAfter: 60 });
  throw new Unavailable(
    'bundle_refused',
    'The code search service received a damaged or incomplete bundle of the repository. It will be sent again automatically.',
    { cause, retryAfter: busyRetrySeconds },
  );
}

function indexBusy(): Unavailable {
  return new Unavailable(
    'index_busy',
    'The code search service is already working on this repository. The job will be retried automatically.',
    { retryAfter: busyRetrySeconds },
  );
}

function removed(): Unavailable {
  return new Unavailable('index_superseded', 'The repository was removed in the meantime.');
}
