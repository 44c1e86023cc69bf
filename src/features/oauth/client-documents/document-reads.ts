import { sql } from 'kysely';
import type { Queries } from '../../../foundation/db/database.ts';

/** Outcome of the read of a client metadata document. */
export type ReadOutcome =
  /** The document was read and is valid. */
  | 'read'
  /** A connection was established, and the document is missing or invalid. */
  | 'failed'
  /** No connection was established: name, route, port or time-out. */
  | 'unconnected';

/** The state of reading client metadata documents, shared by all backends. */
export interface DocumentReads {
  /** The document that was asked for last. */
  readonly asked: string;
  /** Time of the last successful read of any document. */
  readonly readAt: number | undefined;
  /** While documents are withdrawn: the time after which `asked` is tried again. */
  readonly withdrawnUntil: number | undefined;
}

const hour = 3_600_000;

/** Duration of a withdrawal until the next trial, in milliseconds. */
const withdrawalMs = hour;

/**
 * Age of the last read up to which failures change nothing, in milliseconds. Anybody can name a host that does not
 * exist, but not undo that another host was reached.
 */
const reachedMs = 24 * hour;

const id = 'client documents';

/** Returns `undefined` until a document was asked for. */
export async function findDocumentReads(queries: Queries): Promise<DocumentReads | undefined> {
  const row = await queries
    .selectFrom('oauth_document_reads')
    .select(['asked', 'read_at', 'withdrawn_until'])
    .where('id', '=', id)
    .executeTakeFirst();
  return (
    row && {
      asked: row.asked,
      readAt: row.read_at ?? undefined,
      withdrawnUntil: row.withdrawn_until ?? undefined,
    }
  );
}

/** Records a read. A read without a connection starts a withdrawal, unless any document was read within 24 hours. */
export async function recordDocumentRead(
  queries: Queries,
  asked: string,
  outcome: ReadOutcome,
  now: number,
): Promise<void> {
  const withdrawnUntil = outcome === 'unconnected' ? now + withdrawalMs : null;
  const readAt = outcome === 'read' ? now : null;
  await queries
    .insertInto('oauth_document_reads')
    .values({ id, asked, read_at: readAt, withdrawn_until: withdrawnUntil })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        asked,
        read_at: row.fn.coalesce('excluded.read_at', 'oauth_document_reads.read_at'),
        withdrawn_until: sql<number | null>`case
          when oauth_document_reads.withdrawn_until is not null then oauth_document_reads.withdrawn_until
          when oauth_document_reads.read_at > ${now - reachedMs} then null
          else excluded.withdrawn_until end`,
      })),
    )
    .execute();
}

/**
 * Starts the trial at the end of a withdrawal by extending it. Returns true for exactly one caller across all
 * processes.
 */
export async function claimTrial(queries: Queries, now: number): Promise<boolean> {
  const result = await queries
    .updateTable('oauth_document_reads')
    .set({ withdrawn_until: now + withdrawalMs })
    .where('id', '=', id)
    .where('withdrawn_until', '<=', now)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Ends a withdrawal after its trial, unless the trial found no connection and no document was read within 24 hours. */
export async function endWithdrawal(queries: Queries, outcome: ReadOutcome, now: number): Promise<void> {
  const update = queries
    .updateTable('oauth_document_reads')
    .set({ withdrawn_until: null })
    .where('id', '=', id);
  const ended = outcome === 'unconnected' ? update.where('read_at', '>', now - reachedMs) : update;
  await ended.execute();
}
