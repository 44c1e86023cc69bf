import { branchMatcher } from '../../foundation/git/source/branch-pattern.ts';
import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { Progress } from '../../foundation/kernel/text/progress.ts';

export type RepositoryState = 'queued' | 'cloning' | 'indexing' | 'indexed' | 'failed' | 'removing';

/** A repository of an organization (contract, section 3). */
export interface Repository {
  readonly id: RepositoryId;
  readonly number: number;
  readonly name: string;
  /** The source as given, never with credentials: an https or ssh URL, or a folder of this host. */
  readonly source: string;
  readonly sourceKind: 'folder' | 'https' | 'ssh';
  /** `undefined` follows the source's default branch. */
  readonly branch: string | undefined;
  /** Names and patterns of further branches to follow. */
  readonly furtherBranches: readonly string[];
  readonly githostConnectionId: string | undefined;
  /** The Git host's own id; `undefined` without a connection whose kind has an API. */
  readonly hostRepositoryId: string | undefined;
  readonly state: RepositoryState;
  readonly stateChangedAt: number;
  readonly progress: Progress | undefined;
  /** The commit at which it is searchable, independent of the state. */
  readonly indexedCommit: string | undefined;
  readonly indexedAt: number | undefined;
  /** Branches that are searchable with `branch:`, the default branch first; empty if none is. */
  readonly indexedBranches: readonly IndexedBranch[];
  readonly indexGeneration: number;
  readonly graphCommit: string | undefined;
  readonly graphLeftOut: LeftOutFiles;
  readonly files: number;
  /** Number of searchable files whose definitions are not read yet, so that `sym:` does not find them. */
  readonly filesWithoutDefinitions: number;
  readonly bytes: number;
  /** Number of skipped files, and of requested branches that are not followed, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly error: RepositoryError | undefined;
  /** Time of the last check of the source for new commits. */
  readonly checkedAt: number | undefined;
  /** Planned time of the next check; `undefined` if none is planned yet. */
  readonly nextCheckAt: number | undefined;
  readonly createdAt: number;
}

export interface IndexedBranch {
  /** `HEAD` for a default branch whose name is unknown. */
  readonly name: string;
  readonly commit: string;
}

/** The files of which the knowledge graph lacks symbols and imports, or owners. */
export interface LeftOutFiles {
  /** Number of files by reason. */
  readonly counts: Readonly<Record<string, number>>;
  /** At most 10 of them. */
  readonly examples: readonly { readonly path: string; readonly reason: string }[];
}

export interface RepositoryError {
  readonly code: string;
  /** Message for people that names the next step; contains no secrets. */
  readonly message: string;
}

/** Returns whether a repository follows a branch. Until the first index, the name of a default branch is unknown. */
export function followsBranch(
  { branch, furtherBranches, indexedBranches }: Repository,
  wanted: string,
): boolean {
  const main = branch ?? indexedBranches[0]?.name;
  return wanted === main || furtherBranches.some((pattern) => branchMatcher(pattern)(wanted));
}

/**
 * The allowed transitions. A sync of an indexed repository returns to `cloning` while its last good index stays
 * searchable; `removing` is final.
 */
const transitions: Readonly<Record<RepositoryState, readonly RepositoryState[]>> = {
  queued: ['cloning', 'failed', 'removing'],
  cloning: ['queued', 'cloning', 'indexing', 'failed', 'removing'],
  indexing: ['queued', 'cloning', 'indexing', 'indexed', 'failed', 'removing'],
  indexed: ['queued', 'cloning', 'indexing', 'failed', 'removing'],
  failed: ['queued', 'cloning', 'indexing', 'removing'],
  removing: ['removing'],
};

function mayFollow(from: RepositoryState, to: RepositoryState): boolean {
  return transitions[from].includes(to);
}

/** Returns the states from which `to` can be reached, for the condition of an UPDATE. */
export function statesBefore(to: RepositoryState): readonly RepositoryState[] {
  return (Object.keys(transitions) as RepositoryState[]).filter((from) => mayFollow(from, to));
}
