import type { GitProviderField, HostAccount } from '../../backends/git-providers/port.ts';
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

/**
 * Returns the name of the flag that takes a field, before `flagName`. That of a secret names a file, and `--url` is the
 * address of the service.
 */
export function flagOf({ name, secret }: Pick<GitProviderField, 'name' | 'secret'>): string {
  if (name === 'url') return 'hostUrl';
  return secret ? `${name}File` : name;
}

/** Returns whether a connection to an App uses that of the deployment, as other organizations do. */
export function sharesApp({ fields }: Pick<GithostConnection, 'fields'>): boolean {
  return fields['appId'] === undefined;
}

/** Returns the word that names a connection in a command to copy: a name with other characters would have to be quoted. */
export function typedName({ id, name }: { readonly id: string; readonly name: string }): string {
  return /^[\w.][\w.-]*$/.test(name) ? name : id;
}
