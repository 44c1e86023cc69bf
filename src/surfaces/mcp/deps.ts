import type { CodeSearch, SourceReader } from '../../backends/codesearch/port.ts';
import type { AdvisorDeps } from '../../features/advisor/gather-evidence.ts';
import type { VerifyAccessToken } from '../../features/identity/principal.ts';
import type { Queries } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';

/** What the MCP surface is built from. */
export interface McpDeps {
  readonly baseUrl: string;
  readonly version: string;
  readonly clock: Clock;
  readonly queries: Queries;
  readonly codeSearch: CodeSearch;
  readonly sources: SourceReader;
  readonly advisor: AdvisorDeps;
  /** OAuth access tokens; absent while no authorization server is mounted, when only API keys count. */
  readonly verifyAccessToken?: VerifyAccessToken;
}
