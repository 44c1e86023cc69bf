import type { AnswerDeps } from '../../features/advisor/gather-evidence.ts';
import type { AuthenticateDeps } from '../../features/identity/access/authenticate.ts';
import type { Tracer } from '../../foundation/telemetry/tracer.ts';

/** What the MCP surface is built from. */
export interface McpDeps {
  readonly baseUrl: string;
  readonly version: string;
  readonly identity: AuthenticateDeps;
  /** Code search, source reading and the advisor over both. */
  readonly answers: AnswerDeps;
  /** Default: off. */
  readonly tracer?: Tracer;
}
