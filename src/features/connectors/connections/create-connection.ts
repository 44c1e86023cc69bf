import { Conflict } from '../../../foundation/kernel/errors.ts';
import { type ConnectionId, newId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { checkDisplayName } from '../../identity/people/display-name.ts';
import { lockOrganization } from '../../identity/people/membership-store.ts';
import { connectionLimits } from './connection.ts';
import { findConnectionByName, insertConnection } from './connection-store.ts';
import type { ConnectionsDeps } from './connections-deps.ts';

interface ConnectionRequest {
  readonly kind: string;
  /** Default: the kind. Unique among the connections of that kind in the organization. */
  readonly name?: string | undefined;
}

/**
 * Creates a draft, so that credentials of an app can be saved before an account is authorized.
 * @throws InvalidInput for a bad name; Conflict for a name that is in use, and for too many connections.
 */
export async function createConnection(
  { database, clock }: Pick<ConnectionsDeps, 'database' | 'clock'>,
  scope: OrgScope,
  { kind, name: wanted }: ConnectionRequest,
): Promise<ConnectionId> {
  const name = checkDisplayName(wanted ?? kind, 'name');
  return database.transaction(async (tx) => {
    const now = clock();
    const id = newId<ConnectionId>(now);
    await lockOrganization(tx, scope.organizationId);
    if (!(await insertConnection(tx, scope, { id, kind, name }, now))) {
      const existing = await findConnectionByName(tx, scope, { kind, name });
      throw new Conflict(
        'conflict',
        `A connection named ${name} exists already. Use it, or choose another name for the new one (--name on the command line).`,
        { detail: { connectionId: existing?.id } },
      );
    }
    const { count } = await tx
      .selectFrom('connections')
      .where('organization_id', '=', scope.organizationId)
      .where('kind', '=', kind)
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    if (count <= connectionLimits.perKind) return id;
    throw new Conflict(
      'conflict',
      `An organization can have at most ${connectionLimits.perKind} ${kind} connections. Delete one that is not used.`,
    );
  });
}
