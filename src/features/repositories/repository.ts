import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { Progress } from '../../foundation/kernel/progress.ts';

export type RepositoryState = 'queued' | 'cloning' | 'indexing' | 'indexed' | 'failed' | 'removing';

/** A repository of an organization (contract, section 3). */
export interface Repository {
  readonly id: RepositoryId;
  readonly number: number;
  readonly name: string;
  /** As given, never with credentials: an https or ssh URL, or a folder of this host. */
  readonly source: string;
  readonly sourceKind: 'folder' | 'https' | 'ssh';
  /** `undefined` follows the source's default branch. */
  readonly branch: string | undefined;
  /** Names and patterns of branches to follow beside it. */
  readonly furtherBranches: readonly string[];
  readonly githostConnectionId: string | undefined;
  readonly state: RepositoryState;
  readonly stateChangedAt: number;
  readonly progress: Progress | undefined;
  /** Searchable at this commit, whatever the state says of work under way. */
  readonly indexedCommit: string | undefined;
  readonly indexedAt: number | undefined;
  /** Searchable with `branch:`, the default branch first; empty where nothing is. */
  readonly indexedBranches: readonly IndexedBranch[];
  readonly indexGeneration: number;
  readonly graphCommit: string | undefined;
  readonly files: number;
  readonly bytes: number;
  /** Files left out, and branches that were asked for and are not followed, counted by reason. */
  readonly skipped: Readonly<Record<string, number>>;
  readonly error: RepositoryError | undefined;
  readonly createdAt: number;
}

export interface IndexedBranch {
  /** `HEAD` for a default branch whose name the source does not tell. */
  readonly name: string;
  readonly commit: string;
}

export interface RepositoryError {
  readonly code: string;
  /** For people, naming the next step; free of secrets. */
  readonly message: string;
}

/**
 * Which state may follow which. A sync of an indexed repository goes back to `cloning` while its last good index
 * keeps answering; `removing` is the end.
 */
const next: Readonly<Record<RepositoryState, readonly RepositoryState[]>> = {
  queued: ['cloning', 'failed', 'removing'],
  cloning: ['queued', 'cloning', 'indexing', 'failed', 'removing'],
  indexing: ['queued', 'cloning', 'indexing', 'indexed', 'failed', 'removing'],
  indexed: ['queued', 'cloning', 'indexing', 'failed', 'removing'],
  failed: ['queued', 'cloning', 'indexing', 'removing'],
  removing: ['removing'],
};

function mayFollow(from: RepositoryState, to: RepositoryState): boolean {
  return next[from].includes(to);
}

/** The states from which `to` may be reached: the condition of its UPDATE. */
export function statesBefore(to: RepositoryState): readonly RepositoryState[] {
  return (Object.keys(next) as RepositoryState[]).filter((from) => mayFollow(from, to));
}
