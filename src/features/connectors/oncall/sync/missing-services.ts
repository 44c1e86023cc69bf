import { listed } from '../../../../foundation/kernel/text/listed.ts';
import { keyOf, readEntities } from '../../entities/entity-store.ts';
import type { ConnectionError, ConnectorJobsDeps, SyncedConnection } from '../../port.ts';
import { readSyncState } from '../../sync/compare.ts';
import { scopeUnknown } from '../../sync/source.ts';
import { oncallConfigurationShape } from '../configuration.ts';
import { oncallRecords } from '../records/oncall-records.ts';
import { serviceKind } from '../render/render-service.ts';

/** Maximum number of services in a message. */
const maxNamed = 5;

/** Returns what a person must correct in the scope: services that the last sweep did not find. */
export async function missingServices(
  { database }: ConnectorJobsDeps,
  { id: connectionId, configuration }: SyncedConnection,
): Promise<ConnectionError | undefined> {
  const state = await readSyncState({ database, connectionId });
  if (state?.sweptAt === undefined || state.work !== undefined) return undefined;
  const { scope } = oncallConfigurationShape.parse(configuration);
  const services = scope.services.map(({ id }) => ({ kind: serviceKind, id }));
  const found = await readEntities({ tx: database.queries, connectionId }, services);
  const missing = services.filter((service) => !found.has(keyOf(service))).map(({ id }) => id);
  if (missing.length === 0) return undefined;
  return scopeUnknown(oncallRecords, `the account shows no service ${listed(missing, maxNamed)}`);
}
