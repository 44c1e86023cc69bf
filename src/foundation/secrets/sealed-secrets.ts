import type { Queries } from '../db/database.ts';
import type { ConnectionSecretRow } from '../db/tables.ts';
import type { Keyring } from './keyring.ts';
import { type SecretPlace, SecretUnreadable, type UnreadableReason } from './secret-unreadable.ts';

export type SealedSecret = Pick<ConnectionSecretRow, 'connection_id' | 'field' | 'envelope'>;

export interface UnreadableSecret extends SecretPlace {
  readonly reason: UnreadableReason;
}

/**
 * Saved secrets, as they are stored, in slices and in the order of their primary key; all of them, or those with
 * another key than `notSealedWith`. Each slice is a query of its own: what is saved meanwhile may be in or not.
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

export function placeOf({ connection_id: connectionId, field }: SealedSecret): SecretPlace {
  return { connectionId, field };
}

/** The text of a stored secret, or why there is none to be had. */
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

/** Opens every saved secret once (some 20 microseconds each) and tells how many there are and which do not open. */
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
      if ('reason' in opened) unreadable.push({ ...placeOf(secret), reason: opened.reason });
    }
  }
  return { saved, unreadable };
}
