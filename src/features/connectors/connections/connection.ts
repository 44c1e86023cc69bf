import { z } from 'zod';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId, MirrorTargetId, OrganizationId } from '../../../foundation/kernel/ids.ts';

export const connectionStates = [
  'draft',
  'authorized',
  'awaiting_merge',
  'connected',
  'degraded',
  'disconnected',
] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** One connector instance (contract section 3). Its secrets are not part of it; each is read where it is used. */
export interface Connection {
  readonly id: ConnectionId;
  readonly organizationId: OrganizationId;
  /** The kind of its connector. */
  readonly kind: string;
  readonly name: string;
  readonly state: ConnectionState;
  /** Client id of the OAuth app saved on the connection; `undefined` if the deployment settings provide the app. */
  readonly clientId: string | undefined;
  /** The workspace or account at the provider; `undefined` before authorization. */
  readonly account: ProviderAccount | undefined;
  readonly error: ConnectionError | undefined;
  /** Why its jobs fail until a person fixes it. */
  readonly syncError: ConnectionError | undefined;
  /** Its context repository; `undefined` until one is chosen. */
  readonly binding: Binding | undefined;
  /** The last configuration pull request. */
  readonly pull: ConfigurationPull | undefined;
  /** The last valid configuration on the branch, which alone decides what is mirrored. */
  readonly live: LiveConfiguration | undefined;
  readonly lastAcceptedAt: number | undefined;
  readonly lastRejectedAt: number | undefined;
  readonly lastSyncAt: number | undefined;
  /** Time of the next look at its branch, in milliseconds since the epoch. */
  readonly nextCheckAt: number | undefined;
  /** Time by which a person must authorize the account again; `undefined` if the provider sets no end. */
  readonly reauthorizeBy: number | undefined;
}

export interface ProviderAccount {
  readonly id: string;
  readonly name: string;
  readonly url?: string | undefined;
}

/** The branch of the repository that a connection mirrors into. */
export interface Binding {
  readonly githostConnectionId: ConnectionId;
  /** The host's own id of the repository. */
  readonly hostRepositoryId: string;
  /** Its last known full name. */
  readonly repository: string;
  readonly branch: string;
  readonly targetId: MirrorTargetId;
  /** The chosen scope, which the next configuration pull request proposes. */
  readonly scope: Readonly<Record<string, unknown>>;
}

/** A configuration pull request. */
export const configurationPull = z.object({
  branch: z.string(),
  /** Absent while only its branch exists. */
  number: z.number().optional(),
  url: z.string().optional(),
  state: z.enum(['open', 'closed', 'merged']),
  /** The commit of its branch whose configuration was last validated. */
  validatedCommit: z.string().optional(),
  /** True if a comment about errors was written to it. */
  commented: z.boolean(),
});
export type ConfigurationPull = z.output<typeof configurationPull>;

export interface LiveConfiguration {
  /** The commit of the branch that it was read at. */
  readonly commit: string;
  readonly configuration: Configuration;
}

/** The content of a valid configuration file: `scope` and the further blocks of the connector. */
export type Configuration = Readonly<Record<string, unknown>>;

/** The message is for people: it names the next step and contains no secrets. */
export const connectionError = z.object({ code: z.string(), message: z.string() });
export type ConnectionError = z.output<typeof connectionError>;

export const connectionLimits = {
  nameLength: 100,
  /** Maximum number of connections of a kind in an organization: each creates jobs and is a candidate for webhooks. */
  perKind: 50,
} as const;

/**
 * The states that may come before each state: the only place that says so. `authorized` follows `awaiting_merge` when
 * another repository is chosen, and `degraded` when that is done because the repository is gone; `awaiting_merge`
 * follows `disconnected` when the account is connected again.
 */
export const statesBefore: Readonly<Record<ConnectionState, readonly ConnectionState[]>> = {
  draft: [],
  authorized: ['draft', 'authorized', 'awaiting_merge', 'degraded', 'disconnected'],
  awaiting_merge: ['authorized', 'awaiting_merge', 'disconnected'],
  connected: ['awaiting_merge', 'connected', 'degraded'],
  degraded: ['connected', 'degraded'],
  disconnected: ['authorized', 'awaiting_merge', 'connected', 'degraded'],
};

/** The states of connections whose account is authorized. */
export const authorizedStates: readonly ConnectionState[] = [
  'authorized',
  'awaiting_merge',
  'connected',
  'degraded',
];

/** The states of connections whose configuration is read from their branch. */
export const configuredStates: readonly ConnectionState[] = ['awaiting_merge', 'connected', 'degraded'];

type WithState = Pick<Connection, 'state'>;

/** Returns whether the account of a connection is authorized. */
export function isAuthorized({ state }: WithState): boolean {
  return authorizedStates.includes(state);
}

/** Returns whether the configuration of a connection is read from its branch. */
export function hasConfiguration({ state }: WithState): boolean {
  return configuredStates.includes(state);
}

/** Returns whether the content of a connection is mirrored. */
export function isConnected({ state }: WithState): boolean {
  return state === 'connected' || state === 'degraded';
}

/** Returns the scope that applies; before the first merge the chosen one. */
export function presentScope({ live, binding }: Pick<Connection, 'live' | 'binding'>) {
  return (live?.configuration['scope'] as Binding['scope'] | undefined) ?? binding?.scope;
}

/** Secrets of the OAuth app, as fields of `SecretPlace`. */
export const appSecretFields = { clientSecret: 'clientSecret', webhookSecret: 'webhookSecret' } as const;

/**
 * The prefix of the fields of further webhook secrets of a connection: `webhookSecret.<name>`, such as one for each
 * subscription. Any of a connection's secrets may verify its webhooks.
 */
export const furtherWebhookSecrets = `${appSecretFields.webhookSecret}.`;

export function isWebhookSecret(field: string): boolean {
  return field === appSecretFields.webhookSecret || field.startsWith(furtherWebhookSecrets);
}

export const stateLabels: Readonly<Record<ConnectionState, string>> = {
  draft: 'Not authorized yet',
  authorized: 'Authorized, no repository chosen yet',
  awaiting_merge: 'Waiting for the configuration pull request to be merged',
  // Must match the specification exactly: States.
  connected: 'Connected',
  degraded: 'Connected with errors',
  disconnected: 'Disconnected',
};

/** Creates the error for what only a connection can do whose setup has ended. It says what to do first. */
export function notConnected({ name, state }: Pick<Connection, 'name' | 'state'>): Conflict {
  const first = state === 'disconnected' ? 'Authorize its account again' : 'Finish its setup';
  return new Conflict(
    'conflict',
    `${name} is not connected (${stateLabels[state]}). ${first} first: "orgctx connector resume ${name}", or the page Connections.`,
  );
}

/** @throws Conflict if the account of a connection is not authorized */
export function requireAuthorized(connection: Pick<Connection, 'state' | 'name'>): void {
  if (!isAuthorized(connection)) throw notAuthorized(connection.name);
}

/** Creates the error for what needs the account of a connection. It says what to do first. */
export function notAuthorized(name: string): Conflict {
  return new Conflict(
    'conflict',
    `The account of ${name} is not authorized. Authorize it first: "orgctx connector resume ${name}".`,
  );
}
