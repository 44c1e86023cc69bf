import type { FieldFault } from '../../../../foundation/kernel/errors.ts';
import type { OrganizationId } from '../../../../foundation/kernel/ids.ts';
import type { RankRequest, RankResult, SearchRequest, SearchResult } from '../../port.ts';
import type { TableNews, TableOffers } from '../read/shared-tables.ts';

/** What crosses between the process and its search threads: structured clones and shared memory, nothing else. */
export type Task =
  | SearchTask
  | { readonly kind: 'rank'; readonly organizationId: OrganizationId; readonly request: RankRequest };

export interface SearchTask {
  readonly kind: 'search';
  readonly organizationId: OrganizationId;
  readonly request: SearchRequest;
}

export type TaskResult = SearchResult | RankResult;

export interface TaskMessage {
  readonly id: number;
  readonly task: Task;
  /** Milliseconds that are left. */
  readonly budgetMs: number;
  /** Words in shared memory, as `SHARED` names them. */
  readonly shared: Int32Array;
  /** What runs patterns: `safe` is slow and hangs in none. */
  readonly engine: EngineName;
}

export type EngineName = 'fast' | 'safe';

/** `cancelled`: not 0 once the caller is gone. `progress`: 0 until patterns may run, then another value at every step. */
export const SHARED = { cancelled: 0, progress: 1 } as const;

/** What a thread is sent: something to do, or tables that others have loaded. */
export type ToThread = TaskMessage | TableOffers;
/** What a thread sends: an answer, and before it what it has loaded on the way. */
export type FromThread = TaskAnswer | TableNews;

export type TaskAnswer =
  | { readonly id: number; readonly result: TaskResult }
  /** The question itself is at fault, which only compiling it has shown. */
  | { readonly id: number; readonly refusal: Refusal }
  | { readonly id: number; readonly failure: string; readonly stack: string | undefined };

/** An InvalidInput: classes of errors do not cross. */
export interface Refusal {
  readonly message: string;
  readonly code: string;
  readonly errors: readonly FieldFault[];
}

export interface ThreadData {
  readonly root: string;
  /** Others go before it. */
  readonly hasLowPriority?: boolean;
}
