import { Conflict } from '../../../foundation/kernel/errors.ts';
import { type ConnectionId, newId } from '../../../foundation/kernel/ids.ts';
import { invalidField } from '../../../foundation/kernel/invalid-field.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { type Connection, type ConnectionKind, connectionLimits } from './connection.ts';
import {
  countConnections,
  findConnectionByName,
  holdOrganization,
  insertConnection,
} from './connection-store.ts';
import type { ConnectionsDeps } from './connections-deps.ts';

export interface ConnectionRequest {
  readonly kind: ConnectionKind;
  /** Default: the kind. Unique among the connections of that kind in the organization. */
  readonly name?: string | undefined;
}

/**
 * Makes a draft, so that credentials of an app can be saved before an account is authorized.
 * @throws InvalidInput for a bad name; Conflict for a name that another one has, and where there are too many.
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
    await holdOrganization(tx, scope);
    if (!(await insertConnection(tx, scope, { id, kind, name }, now))) {
      throw nameTaken(name, await findConnectionByName(tx, scope, { kind, name }));
    }
    if ((await countConnections(tx, scope, kind)) > connectionLimits.ofOneKind) throw tooMany(kind);
    return id;
  });
}

function nameTaken(name: string, twin: Connection | undefined): Conflict {
  return new Conflict(
    'conflict',
    `A connection named ${name} exists already: go on with that one, or give the new one another name.`,
    { detail: { connectionId: twin?.id } },
  );
}

function tooMany(kind: ConnectionKind): Conflict {
  return new Conflict(
    'conflict',
    `An organization has at most ${connectionLimits.ofOneKind} ${kind} connections: delete one that is not used.`,
  );
}

/** Names are shown on terminals and pages: nothing in them may move a cursor or hide a word. */
function checkName(text: string): string {
  const name = text.trim();
  const maxLength = connectionLimits.nameLength;
  if (name === '' || name.length > maxLength || /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(name)) {
    throw invalidField('name', `must be 1 to ${maxLength} characters without control characters`);
  }
  return name;
}
