import type { Queries } from '../../../foundation/db/database.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import type { Page, PageRequest } from '../../../foundation/kernel/wire/page.ts';
import { requireConnection } from '../connections/connection-store.ts';
import type { Delivery } from './delivery.ts';
import { listDeliveries } from './delivery-store.ts';

/** Returns one page of the deliveries of a connection, newest first. @throws NotFound; InvalidInput for a bad cursor */
export async function deliveriesOfConnection(
  queries: Queries,
  scope: OrgScope,
  id: string,
  page: PageRequest,
): Promise<Page<Delivery>> {
  const connection = await requireConnection(queries, scope, id);
  return listDeliveries(queries, { connectionId: connection.id, ...page });
}
