import type { Database } from '../../../foundation/db/database.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { batch } from '../../../foundation/kernel/limits/batch.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { SecretPlace } from '../../../foundation/secrets/secret-place.ts';
import { isConnected } from '../connections/connection.ts';
import {
  listConnectionsAcrossOrganizations,
  type RoutedConnection,
} from '../connections/connection-store.ts';

/** A connection of the workspace or account that a webhook claims to be about. */
export interface Candidate {
  readonly connectionId: ConnectionId;
  readonly account: string;
  /** True if changes in the account are mirrored. */
  readonly isConnected: boolean;
  /** Any of them may verify its webhooks; empty if only the deployment's may. */
  readonly secrets: readonly CandidateSecret[];
}

export type CandidateSecret =
  | { readonly kind: 'own'; readonly text: string }
  /** Saved, but cannot be decrypted: an internal error. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

/** Returns the connections of an account: usually one, none for an unknown account. */
export type ConnectionsOfAccount = (account: string) => Promise<readonly Candidate[]>;

/** Maximum number of accounts per query. */
const maxGroupSize = 1_000;

export interface LookUpDeps {
  readonly database: Database;
  readonly keyring: Keyring;
}

/**
 * Creates a look-up of connections with their secrets. It has no cache, so a change applies from the next event on.
 * Concurrent requests share one query, which starts after the last of them, and one decryption.
 */
export function connectionsOfAccount({ database, keyring }: LookUpDeps, kind: string): ConnectionsOfAccount {
  const lookUp = async (accounts: readonly string[]) => {
    const rows = await listConnectionsAcrossOrganizations(database.queries, kind, [...new Set(accounts)]);
    const found = Map.groupBy(
      rows.map((row) => toCandidate(row, keyring)),
      ({ account }) => account,
    );
    return accounts.map((account) => found.get(account) ?? []);
  };
  return batch(lookUp, { maxSize: maxGroupSize });
}

export function toCandidate(
  { id, accountId, state, webhookSecrets }: RoutedConnection,
  keyring: Keyring,
): Candidate {
  return {
    connectionId: id,
    account: accountId,
    isConnected: isConnected({ state }),
    secrets: webhookSecrets.map(({ field, envelope }) =>
      openSecret({ connectionId: id, field }, envelope, keyring),
    ),
  };
}

function openSecret(place: SecretPlace, envelope: string, keyring: Keyring): CandidateSecret {
  try {
    return { kind: 'own', text: keyring.open(place, envelope) };
  } catch (error) {
    return { kind: 'unreadable', error };
  }
}
