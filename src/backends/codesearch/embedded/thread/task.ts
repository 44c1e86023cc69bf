import type { FieldError } from '../../../../foundation/kernel/errors.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import type { RankRequest, RankResult, SearchRequest, SearchResult } from '../../port.ts';
import type { TableChanges, TableOffers } from '../read/shared-tables.ts';

/**
 * A task of a search thread. Messages between the process and its threads are structured clones and shared memory
 * only.
 */
export type Task = SearchTask | RankTask;

interface TaskOfCaller {
  readonly organizationId: OrganizationId;
  /** See `DataScope.callerId`. */
  readonly callerId?: string | undefined;
}

export interface SearchTask extends TaskOfCaller {
  readonly kind: 'search';
  readonly request: SearchRequest;
}

interface RankTask extends TaskOfCaller {
  readonly kind: 'rank';
  readonly request: RankRequest;
}

export type TaskResult = SearchResult | RankResult;

export interface TaskMessage {
  readonly id: number;
  readonly task: Task;
  /** Time on the clock, in milliseconds. */
  readonly deadlineMs: number;
  /** Processor time of the thread, in milliseconds. Default: any. */
  readonly processorMs?: number | undefined;
  /** Values in shared memory, at the indexes in `sharedFields`. */
  readonly shared: Int32Array;
  /** The engine that runs patterns: `safe` is slow and cannot hang. */
  readonly engine: EngineName;
}

export type EngineName = 'fast' | 'safe';

/** `cancelled`: not 0 after the caller has gone. `progress`: 0 until patterns may run, then changes with every step. */
export const sharedFields = { cancelled: 0, progress: 1 } as const;

/** A message to a thread: a task, or tables that other threads have loaded. */
export type ToThread = TaskMessage | TableOffers;
/** A message from a thread: an answer, preceded by the tables that it has loaded for it. */
export type FromThread = TaskAnswer | TableChanges;

export type TaskAnswer =
  | { readonly id: number; readonly result: TaskResult }
  /** The request is invalid, which was found only when it was compiled. */
  | { readonly id: number; readonly refusal: Refusal }
  | { readonly id: number; readonly failure: string; readonly stack: string | undefined };

/** The fields of an InvalidInput, because error classes cannot be cloned. */
export interface Refusal {
  readonly message: string;
  readonly code: string;
  readonly errors: readonly FieldError[];
}

export interface ThreadData {
  readonly root: string;
  /** True for a thread of lower priority. */
  readonly hasLowPriority?: boolean;
}
