import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../../foundation/db/database.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import { appSecretFields } from '../connections/connection.ts';
import {
  listConnectionsAcrossOrganizations,
  type RoutedConnection,
} from '../connections/connection-store.ts';
import type { WebhookReader } from '../port.ts';
import type { Candidate, CandidateSecret, FindCandidates } from './candidate.ts';

/** Accounts asked for in one query. */
const accountsAtOnce = 500;

interface CandidateDeps {
  readonly database: Database;
  readonly keyring: Keyring;
}

/**
 * Looks connections up with their secrets, never from a cache: what was saved or removed holds from the next event on.
 * Requests that come in together share one query, which begins after the last of them, and one decryption.
 */
export function openCandidates(deps: CandidateDeps, source: WebhookReader['source']): FindCandidates {
  let waiting = new Map<string, PromiseWithResolvers<readonly Candidate[]>>();
  let looking = false;

  const lookUpAll = async (): Promise<void> => {
    looking = true;
    while (waiting.size > 0) {
      await nextTurn();
      const asked = waiting;
      waiting = new Map();
      await lookUp(deps, source, asked);
    }
    looking = false;
  };

  return (account) => {
    const known = waiting.get(account);
    if (known !== undefined) return known.promise;
    const asked = Promise.withResolvers<readonly Candidate[]>();
    waiting.set(account, asked);
    if (!looking) void lookUpAll();
    return asked.promise;
  };
}

/** Answers everybody who asked; never throws. */
async function lookUp(
  { database, keyring }: CandidateDeps,
  source: WebhookReader['source'],
  asked: ReadonlyMap<string, PromiseWithResolvers<readonly Candidate[]>>,
): Promise<void> {
  const accounts = [...asked.keys()];
  for (let first = 0; first < accounts.length; first += accountsAtOnce) {
    const some = accounts.slice(first, first + accountsAtOnce);
    try {
      const rows = await listConnectionsAcrossOrganizations(database.queries, source, some);
      const found = Map.groupBy(rows, ({ accountId }) => accountId);
      for (const account of some) {
        asked.get(account)?.resolve((found.get(account) ?? []).map((row) => toCandidate(row, keyring)));
      }
    } catch (error) {
      for (const account of some) asked.get(account)?.reject(error);
    }
  }
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
