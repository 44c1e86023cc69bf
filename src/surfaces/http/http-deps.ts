import type { AnswerDeps } from '../../features/advisor/advisor-deps.ts';
import type { SetupDeps } from '../../features/connectors/connections/connections-deps.ts';
import type { Intake } from '../../features/connectors/intake/open-intake.ts';
import type { GithostsDeps } from '../../features/githosts/githosts-deps.ts';
import type { AuthenticateDeps } from '../../features/identity/access/authenticate.ts';
import type { KnowledgeDeps } from '../../features/knowledge/knowledge-deps.ts';
import type { AuthorizationServer } from '../../features/oauth/authorization-server.ts';
import type { RepositoriesDeps } from '../../features/repositories/repositories-deps.ts';
import type { Config } from '../../foundation/config/config.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { Telemetry } from '../../foundation/telemetry/telemetry.ts';
import type { RecentRequests } from '../fastify/recent-requests.ts';
import type { PeopleDeps } from './api/people/people-deps.ts';

/** The dependencies of the HTTP surface. */
export interface HttpDeps {
  readonly config: Pick<Config, 'baseUrl' | 'http'>;
  readonly log: Logger;
  /** Default: none. */
  readonly telemetry?: Telemetry;
  readonly status: StatusDeps;
  /** Records the requests in progress. Default: nothing does. */
  readonly recent?: RecentRequests;
  readonly identity: AuthenticateDeps;
  readonly oauth: AuthorizationServer;
  /** The store of people, keys, grants and the audit log. */
  readonly people: PeopleDeps;
  readonly repositories: RepositoriesDeps;
  readonly connections: SetupDeps;
  readonly githosts: GithostsDeps;
  /** The intake of the providers' webhooks. */
  readonly intake: Intake;
  /** Code search, source reading and the advisor over both. */
  readonly answers: AnswerDeps;
  readonly knowledge: KnowledgeDeps;
}

/** The times in which the event loop of a process stood still. */
export interface Stalls {
  readonly count: number;
  readonly longestMs: number;
  /** Time at which the last one ended, in milliseconds since the epoch. */
  readonly lastAt: number;
}

export interface StatusDeps {
  readonly version: string;
  readonly clock: Clock;
  /** Returns whether the database responds. */
  health(): Promise<boolean>;
  /**
   * Time-out of the health check, in milliseconds; a database that exceeds it counts as unreachable. Default: 2,000.
   */
  readonly healthTimeoutMs?: number;
  /** Returns the times in which this process stood still. Default: never. */
  readonly stalls?: () => Stalls | undefined;
  /** Returns whether this process is shutting down. */
  draining(): boolean;
}
