import type { Queries } from '../../../foundation/db/database.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';

/** Tells people about the work of a connection while that goes on. */
export interface Note {
  readonly code: string;
  /** Message for people. */
  readonly message: string;
  /** The time that the note is about, in milliseconds since the epoch. */
  readonly at: number;
}

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
  const { code, message, at } = note;
  await tx
    .insertInto('connection_notes')
    .values({ connection_id: connectionId, topic, code, message, at })
    .onConflict((conflict) => conflict.columns(['connection_id', 'topic']).doUpdateSet({ code, message, at }))
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
