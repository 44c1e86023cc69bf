import { sql } from 'kysely';
import type { Queries } from '../../foundation/db/database.ts';

/** The column of the hash of an open state. The column `…_issued_at` next to it has the time it was issued. */
export interface StateColumn {
  readonly table: 'connections' | 'githost_connections';
  readonly column: 'auth_state' | 'setup_state';
}

/** The row that a state belonged to. */
export interface TakenState {
  readonly id: string;
  readonly issuedAt: number;
}

/**
 * Takes a state that a browser gives back, so that no other request can use it. Returns the row it belonged to;
 * `undefined` if it is unknown, of another kind, or was issued before `earliest`. The state itself names the
 * organization.
 */
export async function takeState(
  queries: Queries,
  { table, column }: StateColumn,
  { hash, kind, earliest }: { readonly hash: string; readonly kind?: string; readonly earliest: number },
): Promise<TakenState | undefined> {
  const [rows, state, issued] = [sql.table(table), sql.ref(column), sql.ref(`${column}_issued_at`)];
  const ofKind = kind === undefined ? sql`` : sql` and kind = ${kind}`;
  const open = await sql<{
    id: string;
    issuedAt: number | null;
  }>`select id, ${issued} as "issuedAt" from ${rows}
    where ${state} = ${hash}${ofKind}`.execute(queries);
  const [found] = open.rows;
  if (found === undefined) return undefined;
  const taken =
    await sql`update ${rows} set ${state} = null, ${issued} = null where ${state} = ${hash}`.execute(queries);
  const issuedAt = found.issuedAt ?? 0;
  return (taken.numAffectedRows ?? 0n) > 0n && issuedAt >= earliest ? { id: found.id, issuedAt } : undefined;
}
