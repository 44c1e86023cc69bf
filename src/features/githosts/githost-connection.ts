import type { HostAccount } from '../../backends/git-providers/port.ts';
import type { ConnectionId, OrganizationId } from '../../foundation/kernel/ids.ts';

export const githostStates = ['pending', 'connected', 'failed'] as const;

/** `pending`: an App that is not installed yet. `failed`: the host refuses the credentials; the error says why. */
export type GithostState = (typeof githostStates)[number];

/** A connection of an organization to a Git host (contract section 3), without its secrets. */
export interface GithostConnection {
  readonly id: ConnectionId;
  readonly organizationId: OrganizationId;
  readonly kind: string;
  readonly name: string;
  readonly state: GithostState;
  /** The given fields that are not secret. */
  readonly fields: Readonly<Record<string, string>>;
  /** Web URL of the host without a trailing slash. */
  readonly url: string;
  readonly apiUrl: string;
  readonly installationId: string | undefined;
  readonly account: HostAccount | undefined;
  readonly error: GithostError | undefined;
}

export interface GithostError {
  readonly code: string;
  /** Message for people that names the next step; contains no secrets. */
  readonly message: string;
}

export const githostLimits = {
  nameLength: 100,
  /** Maximum number of connections in an organization: each is checked at intervals. */
  perOrganization: 50,
  /** Lifetime of a setup state, in milliseconds (contract section 3). */
  setupStateMs: 10 * 60_000,
  /** Maximum number of installations that an organization may claim in vain within a day. */
  refusedClaimsPerDay: 10,
} as const;

/** Returns whether a field of a connection can get a new value. The host and the App are what the connection is. */
export function isReplaceable(field: string): boolean {
  return field !== 'url' && field !== 'appId';
}

/** Returns whether a connection to an App uses that of the deployment, as other organizations do. */
export function sharesApp({ fields }: Pick<GithostConnection, 'fields'>): boolean {
  return fields['appId'] === undefined;
}
