import type { ConnectionId } from '../../../foundation/kernel/ids.ts';

export const connectionKinds = ['tracker', 'oncall'] as const;
export type ConnectionKind = (typeof connectionKinds)[number];

export const connectionStates = [
  'draft',
  'authorized',
  'awaiting_merge',
  'connected',
  'degraded',
  'disconnected',
] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** One connector instance (contract section 3). Its secrets are read one by one, where they are used. */
export interface Connection {
  readonly id: ConnectionId;
  readonly kind: ConnectionKind;
  readonly name: string;
  readonly state: ConnectionState;
  /** Of the OAuth app saved on the connection; `undefined` leaves the app to the deployment settings. */
  readonly clientId: string | undefined;
  /** The workspace or account at the provider; `undefined` before authorization. */
  readonly account: ProviderAccount | undefined;
  readonly error: ConnectionError | undefined;
  /** Of its webhooks, like the next; milliseconds since the epoch. */
  readonly lastAcceptedAt: number | undefined;
  readonly lastRejectedAt: number | undefined;
  readonly lastSyncAt: number | undefined;
}

export interface ProviderAccount {
  readonly id: string;
  readonly name: string;
  readonly url?: string | undefined;
}

export interface ConnectionError {
  readonly code: string;
  /** For people, naming the next step; free of secrets. */
  readonly message: string;
}

export const connectionLimits = {
  nameLength: 100,
  /** Connections of a kind in an organization: each may make work for the worker, and is a candidate of webhooks. */
  ofOneKind: 50,
} as const;

/** Secrets of the OAuth app, as fields of `SecretPlace`. */
export const appSecretFields = { clientSecret: 'clientSecret', webhookSecret: 'webhookSecret' } as const;

const labels: Readonly<Record<ConnectionState, string>> = {
  draft: 'Not authorized yet',
  authorized: 'Authorized, no repository chosen yet',
  awaiting_merge: 'Waiting for the configuration pull request to be merged',
  // To the letter: specification, States.
  connected: 'Connected',
  degraded: 'Connected with errors',
  disconnected: 'Disconnected',
};

/** The state in words for people. */
export function stateLabel(state: ConnectionState): string {
  return labels[state];
}
