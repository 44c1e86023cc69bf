import type { AnswerDeps } from '../../features/advisor/advisor-deps.ts';
import type { AuthenticateDeps } from '../../features/identity/access/authenticate.ts';
import type { KnowledgeDeps } from '../../features/knowledge/knowledge-deps.ts';
import type { Tracer } from '../../foundation/telemetry/tracer.ts';

/** The dependencies of the MCP surface. */
export interface McpDeps {
  readonly baseUrl: string;
  readonly version: string;
  readonly identity: AuthenticateDeps;
  /** Code search, source reading and the advisor over both. */
  readonly answers: AnswerDeps;
  readonly knowledge: KnowledgeDeps;
  /** Default: off. */
  readonly tracer?: Tracer;
}
