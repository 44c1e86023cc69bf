import { findConnectionAcrossOrganizations } from '../../../src/features/connectors/connections/connection-store.ts';
import type { Queries } from '../../../src/foundation/db/database.ts';

/** Returns why the jobs of a connection fail until a person fixes it. */
export async function readSyncError(queries: Queries, id: string) {
  return (await findConnectionAcrossOrganizations(queries, id))?.syncError;
}
