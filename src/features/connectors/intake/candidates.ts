import { type RawBuilder, sql } from 'kysely';
import type { Database, Queries } from '../../../foundation/db/database.ts';
import { dialectOf } from '../../../foundation/db/dialect.ts';
import { givenValues } from '../../../foundation/db/given-rows.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { batch } from '../../../foundation/kernel/limits/batch.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import { furtherWebhookSecrets, isConnected } from '../connections/connection.ts';
import { isWebhookSecretField } from '../connections/connection-store.ts';
import type { ConnectionRow } from '../tables.ts';

/** A connection of the workspace or account that a webhook claims to be about. */
export interface Candidate {
  readonly connectionId: ConnectionId;
  readonly account: string;
  /** True if changes in the account are mirrored. */
  readonly isConnected: boolean;
  /** Any of them may verify its webhooks. Without any, `unreadable` ones included, only the deployment's may. */
  readonly secrets: readonly string[];
  /** The errors of secrets that are saved, but cannot be decrypted: internal errors. */
  readonly unreadable: readonly unknown[];
}

/** Looks up the connections of one kind that a webhook may be for. */
export type Candidates = ReturnType<typeof openCandidates>;

/** Maximum number of accounts or names per query. */
const maxGroupSize = 1_000;
/** Maximum number of secrets that are tried for an event that names none: each takes a hash of the body. */
const maxTried = 500;

/**
 * Opens the look-ups of connections with their secrets. They have no cache, so that a change applies from the next
 * event on. Concurrent requests share one query, which starts after the last of them, and one decryption.
 */
export function openCandidates(
  { database: { queries }, keyring }: { readonly database: Database; readonly keyring: Keyring },
  kind: string,
) {
  const given = (values: Iterable<string>) => givenValues(dialectOf(queries), [...values]);
  const candidatesIn = (rows: readonly RoutedRow[]) =>
    [...Map.groupBy(rows, ({ id }) => id).values()].map((found) => toCandidate(found, keyring));

  async function ofAccounts(accounts: readonly string[]) {
    const condition = sql<boolean>`c.account_id in ${given(new Set(accounts))}`;
    const rows = await listAcrossOrganizations(queries, kind, condition);
    const found = Map.groupBy(candidatesIn(rows), ({ account }) => account);
    return accounts.map((account) => found.get(account) ?? []);
  }

  async function ofSecrets(names: readonly (string | undefined)[]) {
    const fields = new Set(names.flatMap((name) => (name === undefined ? [] : furtherWebhookSecrets + name)));
    const ofFields = sql<boolean>`s.field in ${given(fields)}`;
    const ofAny = sql<boolean>`s.field like ${`${furtherWebhookSecrets}%`}`;
    const named = fields.size === 0 ? [] : await listAcrossOrganizations(queries, kind, ofFields);
    const all = names.includes(undefined)
      ? await listAcrossOrganizations(queries, kind, ofAny, maxTried)
      : [];
    return names.map((name) =>
      candidatesIn(
        name === undefined ? all : named.filter(({ field }) => field === furtherWebhookSecrets + name),
      ),
    );
  }

  return {
    /** Returns the connections of an account: usually one, none for an unknown account. */
    ofAccount: batch(ofAccounts, { maxSize: maxGroupSize }),
    /**
     * Returns the connection with a webhook secret of this name; for `undefined` all with any. Each has those secrets
     * only.
     */
    ofSecret: batch(ofSecrets, { maxSize: maxGroupSize }),
  };
}

interface RoutedRow extends Pick<ConnectionRow, 'id' | 'account_id' | 'state'> {
  /** The name of a webhook secret, and the encrypted secret. */
  readonly field: string | null;
  readonly envelope: string | null;
}

/**
 * Returns the connections in every organization that a condition on `c` and its webhook secrets `s` selects, one row
 * for each secret, in a stable order. For webhooks only: they contain no organization, and the secret of each returned
 * connection decides what they may do. No response may contain the result. The text of the statement does not depend on
 * the number of values.
 */
async function listAcrossOrganizations(
  queries: Queries,
  kind: string,
  condition: RawBuilder<boolean>,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<readonly RoutedRow[]> {
  const { rows } = await sql<RoutedRow>`
    select c.id, c.account_id, c.state, s.field, s.envelope
    from connections c
    left join connection_secrets s on s.connection_id = c.id and ${isWebhookSecretField('s')}
    where c.kind = ${kind} and ${condition}
    order by c.id, s.field
    limit ${limit}`.execute(queries);
  return rows;
}

/** @param rows of one connection */
function toCandidate(rows: readonly RoutedRow[], keyring: Keyring): Candidate {
  const [{ id, account_id, state }] = rows as readonly [RoutedRow];
  const connectionId = id as ConnectionId;
  const secrets: string[] = [];
  const unreadable: unknown[] = [];
  for (const { field, envelope } of rows) {
    if (field === null || envelope === null) continue;
    try {
      secrets.push(keyring.open({ connectionId, field }, envelope));
    } catch (error) {
      unreadable.push(error);
    }
  }
  return {
    connectionId,
    account: account_id ?? '',
    isConnected: isConnected({ state }),
    secrets,
    unreadable,
  };
}
