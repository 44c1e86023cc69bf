import type { SourceReader } from '../../backends/codesearch/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { HistoryFilter } from './history-request.ts';

export interface HistoryDeps {
  readonly sources: SourceReader;
  readonly queries: Queries;
}

/** A page of a history. */
export interface HistoryPaging {
  readonly filter: HistoryFilter;
  readonly offset: number;
  readonly limit: number;
  /** Binds the cursor to the request. */
  readonly fingerprint: string;
}
