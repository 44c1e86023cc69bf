import type { EntityId } from '../port.ts';
import { originOf, readAssets, updateAsset } from './asset-rows.ts';
import { keyOf, readEntities } from './entity-rows.ts';
import type { EntityStore } from './open-entity-store.ts';
import { queueFiles, reprintEntities } from './reprint-entities.ts';

/** The file for an asset: its copy, or a note that says why there is none. */
export interface AssetCopy {
  readonly state: 'stored' | 'failed' | 'unavailable';
  readonly path: string;
  readonly content: Buffer;
  /** Why there is no copy. */
  readonly error: string | undefined;
}

/**
 * Queues the file for an asset that waits for one, and prints the file of its entity again. Does nothing if the entity
 * is gone or no longer has the asset. @param copyOf returns the file; it gets the path of the entity's file
 */
export async function saveCopy(
  store: EntityStore,
  owner: EntityId & { readonly urlHash: string },
  copyOf: (recordPath: string) => AssetCopy,
): Promise<void> {
  const rows = await readAssets(store, [owner]);
  const row = rows.find(({ url_hash }) => url_hash === owner.urlHash);
  const recordPath = (await readEntities(store, [owner])).get(keyOf(owner))?.path;
  if (row === undefined || row.state === 'stored' || recordPath == null) return;
  const { state, path, content, error = null } = copyOf(recordPath);
  const origin = originOf(row.kind);
  const isUsed = rows.some((each) => each.url_hash !== row.url_hash && each.path === row.path);
  // A note that the copy replaces.
  const former =
    row.path === null || row.path === path || isUsed ? [] : [{ path: row.path, content: null, origin }];
  await queueFiles(store, [...former, { path, content, origin }], 'backfill');
  await updateAsset(store, row, { state, path, bytes: content.length, error });
  await reprintEntities(store, [owner], 'backfill');
}
