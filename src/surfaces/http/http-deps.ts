import type { AnswerDeps } from '../../features/advisor/gather-evidence.ts';
import type { ConnectionsDeps } from '../../features/connectors/connections/connections-deps.ts';
import type { Intake } from '../../features/connectors/intake/open-intake.ts';
import type { AuthenticateDeps } from '../../features/identity/access/authenticate.ts';
import type { AuthorizationServer } from '../../features/oauth/authorization-server.ts';
import type { RepositoriesDeps } from '../../features/repositories/repositories-deps.ts';
import type { Config } from '../../foundation/config/config.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { Telemetry } from '../../foundation/telemetry/telemetry.ts';
import type { PeopleDeps } from './api/people-deps.ts';

/** What the HTTP surface is built from. */
export interface HttpDeps {
  readonly config: Pick<Config, 'baseUrl' | 'http'>;
  readonly log: Logger;
  /** Default: none. */
  readonly telemetry?: Telemetry;
  readonly status: StatusDeps;
  readonly identity: AuthenticateDeps;
  readonly oauth: AuthorizationServer;
  /** What people, keys, grants and the audit log are kept in. */
  readonly people: PeopleDeps;
  readonly repositories: RepositoriesDeps;
  readonly connections: ConnectionsDeps;
  /** What takes the providers' webhooks in. */
  readonly intake: Intake;
  /** Code search, source reading and the advisor over both. */
  readonly answers: AnswerDeps;
}

export interface StatusDeps {
  readonly version: string;
  readonly clock: Clock;
  /** Whether the database answers. */
  health(): Promise<boolean>;
  /** A database that takes longer than this to say yes counts as away; 2 s unless given. */
  readonly healthTimeoutMs?: number;
  /** Whether this process is on its way out. */
  draining(): boolean;
}
