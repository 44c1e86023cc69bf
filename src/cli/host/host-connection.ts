import type { Queries } from '../../foundation/db/database.ts';
import { type ConnectionId, isUuid } from '../../foundation/kernel/ids.ts';
import { ambiguous } from '../frame/lists/short-ids.ts';
import { completeId, type HostRecords } from './host-ids.ts';

/** Connections have no list on the host; that of an organization shows their names and the starts of their ids. */
const connectionRecords: HostRecords = {
  table: 'connections',
  singular: 'connection',
  plural: 'connections',
  listedBy: 'orgctx connector list',
};

/**
 * Returns the id of a connection by its name, its id or the unique start of its id, in any organization of the host. A
 * complete id is returned unchecked.
 * @throws NotFound, UsageError that lists the candidates
 */
export async function completeConnection(queries: Queries, given: string): Promise<ConnectionId> {
  if (isUuid(given)) return given as ConnectionId;
  const named = await queries
    .selectFrom('connections')
    .innerJoin('organizations', 'organizations.id', 'connections.organization_id')
    .select(['connections.id as id', 'organizations.slug as label'])
    .where('connections.name', '=', given)
    .orderBy('connections.id')
    .execute();
  if (named.length > 1) throw ambiguous(`Several connections have the name "${given}".`, named);
  return (named[0]?.id ?? (await completeId(queries, connectionRecords, given))) as ConnectionId;
}
