import type { GitProvider, GitProviderDeps, HostSettings } from '../../backends/git-providers/port.ts';
import type { Database, Queries } from '../../foundation/db/database.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import type { Keyring } from '../../foundation/secrets/keyring.ts';
import type { GithostConnection } from './githost-connection.ts';

/** The dependencies of the operations on an organization's Git hosts. */
export interface GithostsDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly clock: Clock;
  /** The kinds of Git hosts, by name. */
  readonly providers: ReadonlyMap<string, GitProvider>;
  readonly provider: GitProviderDeps;
  /** The settings GITHOST_* of the deployment, for one kind. */
  readonly deployment: DeploymentHost;
  /** AUTH_BASE_URL, to which Git hosts send webhooks. */
  readonly baseUrl: string;
  /** OUTBOUND_ALLOW_HOSTS. */
  readonly allowHosts: readonly string[];
  /**
   * Starts what waits because a connection was refused, in the transaction that ends the refusal: the reading of
   * repositories and the commits to context repositories.
   */
  resumeWaiting(
    tx: Queries,
    connection: Pick<GithostConnection, 'id' | 'organizationId'>,
    now: number,
  ): Promise<void>;
}

export interface DeploymentHost {
  readonly kind: string;
  readonly settings: Partial<HostSettings>;
}
