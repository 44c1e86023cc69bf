import { rm } from 'node:fs/promises';
import { mirrorTips, receiveBundle } from '../../../foundation/git/bundle/receive-bundle.ts';
import { GitError } from '../../../foundation/git/git-error.ts';
import type { MirrorLimits } from '../../../foundation/git/mirror-limits.ts';
import { TooLarge, Unavailable } from '../../../foundation/kernel/errors.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { CodeIndex, IndexRequest, IndexStatus } from '../port.ts';
import { openTurns } from '../turns.ts';
import { hostedMirror } from './mirror-folder.ts';

export interface HostedIndexDeps {
  readonly index: CodeIndex & Pick<HostedIndex, 'indexedCommit'>;
  /** Folder of the mirrors: nobody but this process writes there. */
  readonly mirrors: string;
  /** Of one mirror. */
  readonly limits: MirrorLimits;
}

export interface HostedWork extends Omit<IndexRequest, 'gitDir'> {
  /** A file with the Git bundle that brings the commits; `undefined` where all of them should be here. */
  readonly bundle: string | undefined;
  /** Commits whose parents the sender does not have. */
  readonly shallow: readonly string[];
}

/**
 * An index with mirrors of its own, for a host that has none: commits come as Git bundles, so it needs no credential and
 * calls nobody. One piece of work a repository at a time, and few in all: each takes a processor.
 */
export interface HostedIndex extends Pick<CodeIndex, 'status' | 'isDamaged' | 'remove'> {
  /** Of the default branch, for readers; `undefined` where nothing is indexed. Cheap. */
  indexedCommit(scope: OrgScope, id: RepositoryId): Promise<string | undefined>;
  /** What is there of a repository's history: a bundle may build on these commits. */
  commits(scope: OrgScope, id: RepositoryId): Promise<readonly string[]>;
  /**
   * `lacking`: the bundle builds on what is not here, or is damaged here. No answer changed; send all of it.
   * @throws Unavailable `index_busy`, `bundle_refused`, `disk_full`, `mirror_dropped`; TooLarge
   */
  apply(work: HostedWork, signal: AbortSignal): Promise<IndexStatus | 'lacking'>;
  /** @throws Unavailable `index_busy` */
  tidy(work: Omit<HostedWork, 'bundle' | 'shallow'>, signal: AbortSignal): Promise<IndexStatus>;
}

/** Pieces of work at once; each holds what an index job may hold in memory. */
const mostAtOnce = 2;
const busyRetrySeconds = 10;

export function openHostedIndex({ index, mirrors, limits }: HostedIndexDeps): HostedIndex {
  const take = openTurns(mostAtOnce);
  const busy = new Map<string, { readonly end: AbortController; readonly done: Promise<unknown> }>();
  const mirrorOf = (scope: OrgScope, id: RepositoryId): string =>
    hostedMirror(mirrors, scope.organizationId, id);

  /** One at a time for each repository. */
  const alone = async <T>(
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
    // What cannot be read is made anew by the bundle that builds on nothing.
    commits: (scope, id) => mirrorTips(mirrorOf(scope, id)).catch(noneOfDamaged),
    apply: ({ bundle, shallow, ...request }, signal) =>
      alone(request, signal, async (gitDir, bounded) => {
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
        return onMirror(gitDir, () => index.apply({ ...request, gitDir }, bounded));
      }),
    tidy: (request, signal) =>
      alone(request, signal, (gitDir, bounded) =>
        onMirror(gitDir, () => index.tidy({ ...request, gitDir }, bounded)),
      ),
    status: index.status,
    isDamaged: index.isDamaged,
    indexedCommit: index.indexedCommit,
    // Ends work on the repository, then takes it out of answers and off the disk.
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

/** A mirror that lost objects is dropped: the next bundle is then a whole one. */
async function onMirror<T>(gitDir: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== 'damaged') throw error;
    await rm(gitDir, { recursive: true, force: true, maxRetries: 5 });
    throw new Unavailable(
      'mirror_dropped',
      'The copy of the repository at the code search service was damaged and is gone; it is sent again by itself.',
      { cause: error, retryAfter: 1 },
    );
  }
}

function noneOfDamaged(error: unknown): readonly string[] {
  if (error instanceof GitError && error.reason === 'damaged') return [];
  throw error;
}

/** The sender's repository may be in order whatever Git says of what arrived, so it is told in words of its own. */
function refused(error: unknown): never {
  if (!(error instanceof GitError)) throw error;
  const cause = error;
  if (error.reason === 'too_large') throw new TooLarge(error.message, { cause });
  if (error.reason === 'disk_full')
    throw new Unavailable('disk_full', error.message, { cause, retryAfter: 60 });
  throw new Unavailable(
    'bundle_refused',
    'What arrived of the repository at the code search service was broken or not whole; it is sent again by itself.',
    { cause, retryAfter: busyRetrySeconds },
  );
}

function indexBusy(): Unavailable {
  return new Unavailable(
    'index_busy',
    'The code search service is at work on this repository already; it is tried again by itself.',
    { retryAfter: busyRetrySeconds },
  );
}

function removed(): Unavailable {
  return new Unavailable('index_superseded', 'The repository was removed meanwhile.');
}
