import { createHash } from 'node:crypto';
import { dialectOf } from '../../../foundation/db/dialect.ts';
import { givenValues } from '../../../foundation/db/given-rows.ts';
import { enqueueAll } from '../../../foundation/jobs/enqueue.ts';
import type { LinkTarget } from '../../mirror/format/link-records.ts';
import { inSlices } from '../../mirror/slices.ts';
import { mirrorAsset } from '../assets/tasks.ts';
import type { EntityId } from '../port.ts';
import type { FileChange, RenderedEntity } from './entity.ts';
import { type EntityStore, isOneOfEntities, keyOf } from './entity-store.ts';
import type { AssetRow } from './tables.ts';

/** Returns the part of an asset's key that stands for its address. */
function urlHashOf(url: string): string {
  return createHash('sha256').update(url.toWellFormed()).digest('base64url');
}

/** Returns the copies of the assets of entities, or the notes in their places, by `keyOf` and address. */
export async function readCopies(
  store: EntityStore,
  owners: readonly EntityId[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, LinkTarget>>> {
  const copies = new Map<string, Map<string, LinkTarget>>();
  for (const { kind, id, url, path, error } of await readAssets(store, owners)) {
    if (path === null) continue;
    const key = keyOf({ kind, id });
    const ofOwner = copies.get(key) ?? new Map<string, LinkTarget>();
    const label = path.slice(path.lastIndexOf('/') + 1);
    copies.set(key, ofOwner.set(url, { path, label, missing: error ?? undefined }));
  }
  return copies;
}

/** Entities with a change that matters for their assets, by `keyOf`. */
export interface AssetOwners {
  /** Their files have other paths than before, and copies lie beside them. */
  readonly moved: ReadonlySet<string>;
  /** They were changed at the provider. */
  readonly changed: ReadonlySet<string>;
}

/**
 * Saves which assets the entities have now, and enqueues a job for each one that is new, lies at another path now, or
 * failed before the entity changed. Returns the deletions of copies that are no longer used.
 */
export async function saveAssets(
  store: EntityStore,
  entities: readonly RenderedEntity[],
  { moved, changed }: AssetOwners,
): Promise<readonly FileChange[]> {
  const rows = await readAssets(store, entities);
  const wanted = entities.flatMap(({ kind, id, assets }) =>
    [...new Set(assets)].map((url) => ({ kind, id, url })),
  );
  const keys = new Set(wanted.map(assetKey));
  const { kept = [], gone = [] } = Object.groupBy(rows, (row) =>
    keys.has(assetKey(row)) && !moved.has(keyOf(row)) ? 'kept' : 'gone',
  );
  await deleteAssets(store, gone);
  const known = new Set(kept.map(assetKey));
  const added = wanted.filter((asset) => !known.has(assetKey(asset)));
  await insertAssets(store, added);
  const failed = kept.filter(({ state }) => state !== 'stored' && state !== 'pending');
  const retried = failed.filter((row) => changed.has(keyOf(row)));
  await retryAssets(store, retried);
  return deletionsOf(gone, kept);
}

/** Forgets the copies of entities that moved, and has them fetched again. Returns the deletions of the copies. */
export async function resetAssets(
  store: EntityStore,
  owners: readonly EntityId[],
): Promise<readonly FileChange[]> {
  const rows = await deleteAssets(store, await readAssets(store, owners));
  await insertAssets(store, rows);
  return deletionsOf(rows);
}

/** Forgets the assets of entities. Returns the deletions of their copies. */
export async function forgetAssets(
  store: EntityStore,
  owners: readonly EntityId[],
): Promise<readonly FileChange[]> {
  return deletionsOf(await deleteAssets(store, await readAssets(store, owners)));
}

function assetKey({ kind, id, url }: Pick<AssetRow, 'kind' | 'id' | 'url'>): string {
  return JSON.stringify([kind, id, url]);
}

export async function readAssets(
  store: Pick<EntityStore, 'tx' | 'connectionId'>,
  owners: readonly EntityId[],
): Promise<readonly AssetRow[]> {
  const ofOwners = store.tx.selectFrom('assets').selectAll().where(isOneOfEntities(store, owners));
  return ofOwners.orderBy('url_hash').execute();
}

/** Deletes assets, and returns them. */
async function deleteAssets(store: EntityStore, rows: readonly AssetRow[]): Promise<readonly AssetRow[]> {
  for (const row of rows) {
    const ofOwner = store.tx.deleteFrom('assets').where(isOneOfEntities(store, [row]));
    await ofOwner.where('url_hash', '=', row.url_hash).execute();
  }
  return rows;
}

interface NewAsset extends EntityId {
  readonly url: string;
}

async function insertAssets(store: EntityStore, assets: readonly NewAsset[]): Promise<void> {
  const { tx, connectionId } = store;
  const own = { connection_id: connectionId, state: 'pending' } as const;
  const rows = assets.map(({ kind, id, url }) => ({ ...own, kind, id, url, url_hash: urlHashOf(url) }));
  for (const slice of inSlices(rows)) await tx.insertInto('assets').values(slice).execute();
  await enqueueAssets(store, assets);
}

/** Enqueues the assets of a connection that wait, such as those whose host did not answer for too long. */
export async function resumeAssets(store: EntityStore): Promise<void> {
  const waiting = assetsOf(store).where('state', 'in', ['pending', 'unavailable']);
  await enqueueAssets(store, await waiting.execute());
}

/** Enqueues the assets again whose files have one of the paths. */
export async function fetchCopiesAgain(store: EntityStore, paths: readonly string[]): Promise<void> {
  const given = givenValues(dialectOf(store.tx), paths);
  await retryAssets(store, await assetsOf(store).where('path', 'in', given).execute());
}

function assetsOf({ tx, connectionId }: EntityStore) {
  return tx.selectFrom('assets').selectAll().where('connection_id', '=', connectionId);
}

async function retryAssets(store: EntityStore, rows: readonly AssetRow[]): Promise<void> {
  for (const row of rows) await updateAsset(store, row, { state: 'pending', error: null });
  await enqueueAssets(store, rows);
}

async function enqueueAssets({ tx, connectionId }: EntityStore, assets: readonly NewAsset[]): Promise<void> {
  const payloads = assets.map(({ kind, id, url }) => ({ connectionId, kind, id, urlHash: urlHashOf(url) }));
  await enqueueAll(tx, mirrorAsset, payloads);
}

export async function updateAsset(
  store: EntityStore,
  row: Pick<AssetRow, 'kind' | 'id' | 'url_hash'>,
  values: Partial<Pick<AssetRow, 'state' | 'path' | 'bytes' | 'error'>>,
): Promise<void> {
  const ofOwner = store.tx
    .updateTable('assets')
    .set(values)
    .where(isOneOfEntities(store, [row]));
  await ofOwner.where('url_hash', '=', row.url_hash).execute();
}

/** Returns the deletions of copies. One that another address has too, because the content is the same, stays. */
function deletionsOf(gone: readonly AssetRow[], kept: readonly AssetRow[] = []): readonly FileChange[] {
  const used = new Set(kept.map(({ path }) => path));
  return gone.flatMap(({ path, kind }) =>
    path === null || used.has(path) ? [] : { path, content: null, origin: originOf(kind) },
  );
}

/** Returns the source of a copy, for the commit's trailer. */
export function originOf(kind: string): string {
  return `asset of ${kind}`;
}
