import type { Queries } from '../db/database.ts';
import type { ConnectionId } from '../kernel/ids.ts';
import type { Keyring } from './keyring.ts';
import type { SecretPlace } from './secret-place.ts';
import { SecretUnreadable, type UnreadableReason } from './secret-unreadable.ts';
import type { ConnectionSecretRow } from './tables.ts';

export type SealedSecret = Pick<ConnectionSecretRow, 'connection_id' | 'field' | 'envelope'>;

export interface UnreadableSecret extends SecretPlace {
  /** The envelope as it was read. */
  readonly envelope: string;
  readonly reason: UnreadableReason;
}

/**
 * Yields stored secrets in slices, in the order of their primary key: all of them, or those with another key than
 * `notSealedWith`. Each slice is a separate query: secrets saved meanwhile may or may not be included.
 */
export async function* sealedSecrets(
  queries: Queries,
  { sliceSize, notSealedWith }: { readonly sliceSize: number; readonly notSealedWith?: string },
): AsyncIterable<readonly SealedSecret[]> {
  for (let after: SealedSecret | undefined; ; ) {
    const rows = await sliceAfter(queries, after, sliceSize, notSealedWith);
    after = rows.at(-1);
    if (after === undefined) return;
    yield rows;
  }
}

function sliceAfter(
  queries: Queries,
  after: SealedSecret | undefined,
  limit: number,
  notSealedWith: string | undefined,
): Promise<readonly SealedSecret[]> {
  let query = queries
    .selectFrom('connection_secrets')
    .select(['connection_id', 'field', 'envelope'])
    .orderBy('connection_id')
    .orderBy('field')
    .limit(limit);
  if (notSealedWith !== undefined) query = query.where('key_id', '!=', notSealedWith);
  if (after === undefined) return query.execute();
  return query
    .where((e) =>
      e.or([
        e('connection_id', '>', after.connection_id),
        e.and([e('connection_id', '=', after.connection_id), e('field', '>', after.field)]),
      ]),
    )
    .execute();
}

/** Selects the secrets that are sealed with a key other than these. */
export function sealedWithOtherKeys(queries: Queries, keyIds: readonly string[]) {
  return queries.selectFrom('connection_secrets').where('key_id', 'not in', keyIds);
}

export async function countSealedWithOtherKeys(queries: Queries, keyIds: readonly string[]): Promise<number> {
  const { count } = await sealedWithOtherKeys(queries, keyIds)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

export function placeOf({
  connection_id: connectionId,
  field,
}: Pick<SealedSecret, 'connection_id' | 'field'>): SecretPlace {
  return { connectionId: connectionId as ConnectionId, field };
}

/** Returns the text of a stored secret, or the reason why it cannot be opened. */
export function tryOpen(
  keyring: Keyring,
  secret: SealedSecret,
): { readonly text: string } | { readonly reason: UnreadableReason } {
  try {
    return { text: keyring.open(placeOf(secret), secret.envelope) };
  } catch (error) {
    if (error instanceof SecretUnreadable) return { reason: error.reason };
    throw error;
  }
}

export function unreadableSecret(secret: SealedSecret, reason: UnreadableReason): UnreadableSecret {
  return { ...placeOf(secret), envelope: secret.envelope, reason };
}

/**
 * Opens every stored secret once (about 20 microseconds each). Returns their number and those that cannot be opened.
 */
export async function checkSecrets(
  queries: Queries,
  keyring: Keyring,
): Promise<{ readonly saved: number; readonly unreadable: readonly UnreadableSecret[] }> {
  let saved = 0;
  const unreadable: UnreadableSecret[] = [];
  for await (const slice of sealedSecrets(queries, { sliceSize: 500 })) {
    saved += slice.length;
    for (const secret of slice) {
      const opened = tryOpen(keyring, secret);
      if ('reason' in opened) unreadable.push(unreadableSecret(secret, opened.reason));
    }
  }
  return { saved, unreadable };
}
