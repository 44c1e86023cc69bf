import { requireConnection } from '../../../features/connectors/connections/connection-store.ts';
import type { EntityRecord } from '../../../features/knowledge/entity-record.ts';
import { findHostedRepository } from '../../../features/repositories/hosted-repository.ts';
import { NotFound } from '../../../foundation/kernel/errors.ts';
import type { Visit } from '../app/app-page.ts';
import { fileAddress } from '../files/file-address.ts';
import type { PageContext } from '../pages-deps.ts';

/** Returns the address of the file with the text of a mirrored record, such as an issue or an incident. */
export async function mirroredFile(
  visit: Visit,
  { connections }: Pick<PageContext, 'connections'>,
  { key, properties }: Pick<EntityRecord, 'key' | 'properties'>,
): Promise<string | undefined> {
  const { path } = properties;
  const [, connectionId = ''] = key.split(':');
  if (typeof path !== 'string') return undefined;
  const { queries } = connections.database;
  const connection = await requireConnection(queries, visit.scope, connectionId).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  const { binding } = connection ?? {};
  const repositoryId = binding && (await findHostedRepository(queries, visit.scope, binding));
  return repositoryId && fileAddress(visit, { repositoryId, path });
}
