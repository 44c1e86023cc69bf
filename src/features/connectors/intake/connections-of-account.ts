import type { Database } from '../../../foundation/db/database.ts';
import { gather } from '../../../foundation/kernel/gather.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import { appSecretFields } from '../connections/connection.ts';
import {
  listConnectionsAcrossOrganizations,
  type RoutedConnection,
} from '../connections/connection-store.ts';
import type { WebhookReader } from '../port.ts';

/** A connection of the workspace or account that a webhook claims to be about. */
export interface Candidate {
  readonly connectionId: ConnectionId;
  readonly account: string;
  /** Whether what happens there is to be mirrored. */
  readonly following: boolean;
  readonly secret: CandidateSecret;
}

export type CandidateSecret =
  | { readonly kind: 'own'; readonly text: string }
  | { readonly kind: 'none' }
  /** Saved, and cannot be decrypted: a fault of ours, whoever asks. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

/** Most often one; none for an account that nobody has connected. */
export type ConnectionsOfAccount = (account: string) => Promise<readonly Candidate[]>;

/** Webhooks whose accounts are asked for in one query. */
const largestGroup = 1_000;

interface LookUpDeps {
  readonly database: Database;
  readonly keyring: Keyring;
}

/**
 * Looks connections up with their secrets, never from a cache: what was saved or removed holds from the next event on.
 * Requests that come in together share one query, which begins after the last of them, and one decryption.
 */
export function connectionsOfAccount(
  { database, keyring }: LookUpDeps,
  source: WebhookReader['source'],
): ConnectionsOfAccount {
  const lookUp = async (accounts: readonly string[]) => {
    const rows = await listConnectionsAcrossOrganizations(database.queries, source, [...new Set(accounts)]);
    const found = Map.groupBy(
      rows.map((row) => toCandidate(row, keyring)),
      ({ account }) => account,
    );
    return accounts.map((account) => found.get(account) ?? []);
  };
  return gather(lookUp, { largest: largestGroup });
}

function toCandidate(connection: RoutedConnection, keyring: Keyring): Candidate {
  const { id, accountId, state } = connection;
  return {
    connectionId: id,
    account: accountId,
    following: state === 'connected' || state === 'degraded',
    secret: openSecret(connection, keyring),
  };
}

function openSecret({ id, webhookSecret }: RoutedConnection, keyring: Keyring): CandidateSecret {
  if (webhookSecret === undefined) return { kind: 'none' };
  const place = { connectionId: id, field: appSecretFields.webhookSecret };
  try {
    return { kind: 'own', text: keyring.open(place, webhookSecret) };
  } catch (error) {
    return { kind: 'unreadable', error };
  }
}
