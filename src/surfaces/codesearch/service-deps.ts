import type { HostedIndex } from '../../backends/codesearch/hosted/hosted-index.ts';
import type { CodeSearch, SourceReader } from '../../backends/codesearch/port.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { Telemetry } from '../../foundation/telemetry/telemetry.ts';

/** The dependencies of the code search service. */
export interface ServiceDeps {
  readonly search: CodeSearch;
  readonly sources: SourceReader;
  readonly hosted: HostedIndex;
  /** CODESEARCH_SECRET, which every caller must send. */
  readonly secret: string;
  /** Folder for uploads in progress; on the same disk as the mirrors. */
  readonly incoming: string;
  /** Limits of one upload: its size in bytes, and the time between two chunks in milliseconds. */
  readonly upload: { readonly maxBytes: number; readonly stallMs: number };
  readonly version: string;
  /** Returns a one-word reason for operators if the service is not ready; `undefined` if it is ready. */
  readonly unready: () => Promise<string | undefined>;
  /** Aborted when the process shuts down: searches continue, work on indexes is aborted and callers retry it. */
  readonly draining: AbortSignal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}
