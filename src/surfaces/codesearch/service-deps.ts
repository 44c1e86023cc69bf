import type { HostedIndex } from '../../backends/codesearch/hosted/hosted-index.ts';
import type { CodeSearch, SourceReader } from '../../backends/codesearch/port.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { Telemetry } from '../../foundation/telemetry/telemetry.ts';

/** What the code search service is built from. */
export interface ServiceDeps {
  readonly search: CodeSearch;
  readonly sources: SourceReader;
  readonly hosted: HostedIndex;
  /** CODESEARCH_SECRET, which every caller shows. */
  readonly secret: string;
  /** Folder for what is being received; on the disk of the mirrors. */
  readonly incoming: string;
  /** Of one upload, in bytes; and milliseconds that it may stand still. */
  readonly upload: { readonly maxBytes: number; readonly stallMs: number };
  readonly version: string;
  /** Why it cannot work just now, in a word for operators; `undefined` when it can. */
  readonly unready: () => Promise<string | undefined>;
  /** Aborted when the process is on its way out: searches go on, work on indexes ends and is sent again. */
  readonly draining: AbortSignal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}
