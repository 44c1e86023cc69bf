import { Conflict } from '../../../foundation/kernel/errors.ts';
import { type ConnectionId, newId } from '../../../foundation/kernel/ids.ts';
import { invalidField } from '../../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { ConnectionKind } from './connection.ts';
import { findConnectionByName, insertConnection } from './connection-store.ts';
import type { ConnectionsDeps } from './connections-deps.ts';

export interface ConnectionRequest {
  readonly kind: ConnectionKind;
  /** Default: the kind. Unique among the connections of that kind in the organization. */
  readonly name?: string | undefined;
}

/**
 * Makes a draft, so that credentials of an app can be saved before an account is authorized.
 * @throws InvalidInput for a bad name; Conflict naming the connection that has the name.
 */
export async function createConnection(
  { database, clock }: Pick<ConnectionsDeps, 'database' | 'clock'>,
  scope: OrgScope,
  { kind, name: wanted }: ConnectionRequest,
): Promise<ConnectionId> {
  const name = checkName(wanted ?? kind);
  return database.transaction(async (tx) => {
    const now = clock();
    const id = newId<ConnectionId>(now);
    if (await insertConnection(tx, scope, { id, kind, name }, now)) return id;
    const twin = await findConnectionByName(tx, scope, { kind, name });
    throw new Conflict(
      'conflict',
      `A connection named ${name} exists already: go on with that one, or give the new one another name.`,
      { detail: { connectionId: twin?.id } },
    );
  });
}

const maxLength = 100;

/** Names are shown on terminals and pages: nothing in them may move a cursor or hide a word. */
function checkName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > maxLength || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) {
    throw invalidField('name', `must be 1 to ${maxLength} characters without control characters`);
  }
  return name;
}
