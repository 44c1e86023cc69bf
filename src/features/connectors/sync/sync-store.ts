import type { z } from 'zod';
import type { Queries } from '../../../foundation/db/database.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { ConnectionNoteRow } from '../tables.ts';

/** Returns how far a family was read; `undefined` if it was never read. For jobs only. */
export async function readCheckpoint<T>(
  queries: Queries,
  connectionId: ConnectionId,
  family: string,
  shape: z.ZodType<T>,
): Promise<T | undefined> {
  const row = await queries
    .selectFrom('sync_checkpoints')
    .select('state')
    .where('connection_id', '=', connectionId)
    .where('family', '=', family)
    .executeTakeFirst();
  return row && shape.parse(JSON.parse(row.state));
}

/** Saves how far a family was read, in the transaction that queues what was read. */
export async function saveCheckpoint(
  { tx, connectionId }: Pick<EntityStore, 'tx' | 'connectionId'>,
  family: string,
  state: object,
): Promise<void> {
  const saved = { state: JSON.stringify(state) };
  await tx
    .insertInto('sync_checkpoints')
    .values({ connection_id: connectionId, family, ...saved })
    .onConflict((conflict) => conflict.columns(['connection_id', 'family']).doUpdateSet(saved))
    .execute();
}

/** Tells people about the work of a connection while that goes on. */
export type Note = Readonly<Omit<ConnectionNoteRow, 'connection_id' | 'topic'>>;

/** Saves the note about a topic in place of the former one. `undefined` removes it. For jobs only. */
export async function saveNote(
  tx: Queries,
  connectionId: ConnectionId,
  topic: string,
  note: Note | undefined,
): Promise<void> {
  if (note === undefined) {
    await tx
      .deleteFrom('connection_notes')
      .where('connection_id', '=', connectionId)
      .where('topic', '=', topic)
      .execute();
    return;
  }
  await tx
    .insertInto('connection_notes')
    .values({ connection_id: connectionId, topic, ...note })
    .onConflict((conflict) => conflict.columns(['connection_id', 'topic']).doUpdateSet(note))
    .execute();
}

/** Returns the notes of a connection by topic. For jobs only. */
export async function readNotes(
  queries: Queries,
  connectionId: ConnectionId,
): Promise<ReadonlyMap<string, Note>> {
  const rows = await queries
    .selectFrom('connection_notes')
    .select(['topic', 'code', 'message', 'at'])
    .where('connection_id', '=', connectionId)
    .execute();
  return new Map(rows.map(({ topic, ...note }) => [topic, note]));
}
