import type { Selectable } from 'kysely';
import { z } from 'zod';
import type { ConnectionRow } from '../../../foundation/db/tables.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { Connection } from './connection.ts';

const account = z.object({ name: z.string(), url: z.string().optional() });
const failure = z.object({ code: z.string(), message: z.string() });

/** A row as the rest of the program knows it. */
export function toConnection(row: Selectable<ConnectionRow>): Connection {
  const known = fromJson(account, row.account);
  return {
    id: row.id as ConnectionId,
    kind: row.kind,
    name: row.name,
    state: row.state,
    clientId: row.client_id ?? undefined,
    account: known && row.account_id !== null ? { id: row.account_id, ...known } : undefined,
    error: fromJson(failure, row.error),
    lastAcceptedAt: row.last_accepted_at ?? undefined,
    lastRejectedAt: row.last_rejected_at ?? undefined,
    lastSyncAt: row.last_sync_at ?? undefined,
  };
}

function fromJson<T>(shape: z.ZodType<T>, text: string | null): T | undefined {
  return text === null ? undefined : shape.parse(JSON.parse(text));
}
