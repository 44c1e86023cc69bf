import type { Queries } from '../../../foundation/db/database.ts';
import { dialectOf } from '../../../foundation/db/dialect.ts';
import { givenValues } from '../../../foundation/db/given-rows.ts';
import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import type { LostFile } from '../../mirror/mirror-deps.ts';
import type { MirrorTarget } from '../../mirror/mirror-target.ts';
import { findConnectionAcrossOrganizations } from '../connections/connection-store.ts';
import type { Connector } from '../port.ts';
import { syncPriority } from '../sync/tasks.ts';
import { fetchCopiesAgain } from './asset-rows.ts';
import { printEveryList, printLists } from './entity-lists.ts';
import { type EntityStore, openEntityStore, unknownHash } from './entity-store.ts';
import { queueFiles, reprintEntities } from './print-files.ts';

/**
 * Writes files again that a branch has lost: from what is stored, if that is enough, and otherwise by jobs that fetch
 * the entities again, after edits and before a comparison goes on.
 */
export async function restoreFiles(
  tx: Queries,
  connectors: readonly Connector[],
  target: Pick<MirrorTarget, 'id'>,
  lost: readonly LostFile[],
): Promise<void> {
  for (const [connectionId, files] of Map.groupBy(lost, (file) => file.connectionId)) {
    const connection = await findConnectionAcrossOrganizations(tx, connectionId);
    const connector = connectors.find(({ kind }) => kind === connection?.kind);
    const store = connector && (await openEntityStore(tx, { connectionId, records: connector.records }));
    // The connection was removed, or has another branch by now.
    if (connector === undefined || store?.targetId !== target.id) continue;
    const paths = files.map(({ path }) => path);
    await restorePaths(store, connector, paths);
  }
}

/**
 * Forgets which contents the files of a connection have, and how far the provider was read, so that everything is read
 * and written again. The paths stay.
 */
export async function forgetContents(store: EntityStore): Promise<void> {
  await forgetHashes(store.tx, store.connectionId, unknownHash);
  await queueFiles(store, await printEveryList(store), 'backfill');
}

/** Forgets all contents, lists and copies of a connection, because its files are not in the repository of now. */
export async function forgetCommits(tx: Queries, connectionId: ConnectionId): Promise<void> {
  await forgetHashes(tx, connectionId, null);
  const items = tx.updateTable('entities').set({ item: null }).where('list', 'is not', null);
  await items.where('connection_id', '=', connectionId).execute();
  const assets = tx.updateTable('assets').set({ state: 'pending' });
  await assets.where('connection_id', '=', connectionId).execute();
}

async function forgetHashes(tx: Queries, connectionId: ConnectionId, hash: string | null): Promise<void> {
  const unknown = { hash, updated_at: null };
  await tx.updateTable('entities').set(unknown).where('connection_id', '=', connectionId).execute();
  await tx.deleteFrom('sync_checkpoints').where('connection_id', '=', connectionId).execute();
}

async function restorePaths(
  store: EntityStore,
  connector: Connector,
  paths: readonly string[],
): Promise<void> {
  const { tx, connectionId } = store;
  // Whatever reads these entities next prints them again, also a sweep that compares their times only.
  const entities = await tx
    .updateTable('entities')
    .set({ hash: null, updated_at: null })
    .where('connection_id', '=', connectionId)
    .where('path', 'in', givenValues(dialectOf(tx), paths))
    .returning(['kind', 'id', 'record'])
    .execute();
  const unknown = entities.filter(({ record }) => record === null);
  const changes = unknown.map(({ kind, id }) => ({ connectionId, kind, id }));
  await enqueueAll(tx, connector.tasks.incremental, changes, { priorityOf: () => syncPriority.restore });
  const known = entities.filter(({ record }) => record !== null);
  await reprintEntities(store, known, 'backfill');
  const lists = store.records.kinds.filter(({ files }) => paths.includes(files)).map(({ type }) => type);
  await queueFiles(store, await printLists(store, lists), 'backfill');
  await fetchCopiesAgain(store, paths);
}
