import { createHash } from 'node:crypto';
import type { Database } from '../../../foundation/db/database.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import { LeaseLost } from '../../../foundation/jobs/lease/lease-lost.ts';
import { isLastRun } from '../../../foundation/jobs/retry-decision.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { decoded } from '../../../foundation/kernel/text/decoded.ts';
import type { HttpClient } from '../../../foundation/net/http.ts';
import type { ConnectorRecords } from '../../mirror/format/record-kind.ts';
import { assetPath } from '../../mirror/format/safe-name.ts';
import { originOf, readAssets, updateAsset } from '../entities/asset-rows.ts';
import { type EntityStore, keyOf, readEntities } from '../entities/entity-store.ts';
import { queueFiles, reprintEntities } from '../entities/print-files.ts';
import { changeMirror } from '../sync/change-mirror.ts';
import {
  type AssetRequest,
  type FetchedAsset,
  fetchAsset,
  type HostPauses,
  isUpload,
  tooLarge,
  type UploadsAccess,
} from './fetch-asset.ts';
import { sniffType } from './sniff-type.ts';
import type { AssetPayload } from './tasks.ts';

/** The dependencies of copying the files of a connection. */
export interface AssetSource {
  readonly uploads: UploadsAccess;
  readonly maxBytes: number;
  /** Maximum size of all assets of one entity. */
  readonly maxTotalBytes: number;
  /** Media types, such as `image/png` or `image/*`; empty for all. */
  readonly allowTypes: readonly string[];
}

interface MirrorAssetDeps {
  readonly database: Database;
  readonly http: Pick<HttpClient, 'request'>;
  readonly pauses: HostPauses;
  readonly records: ConnectorRecords;
  /** `undefined` for a connection that was removed, or that cannot fetch anything now. */
  open(id: ConnectionId): Promise<AssetSource | undefined>;
}

/**
 * Copies one asset into the mirror, as a job. Its failure never concerns the entity: the file of the entity then leads
 * to a note in the place of the copy, which has the original address and says why there is none.
 */
export async function mirrorAssetFile(
  deps: MirrorAssetDeps,
  payload: AssetPayload,
  context: JobContext,
): Promise<void> {
  const { connectionId, urlHash } = payload;
  const source = await deps.open(connectionId);
  if (source === undefined) return;
  const rows = await readAssets({ tx: deps.database.queries, connectionId }, [payload]);
  const row = rows.find(({ url_hash }) => url_hash === urlHash);
  if (row === undefined || row.state === 'stored') return;
  const copied = rows.filter(({ state }) => state === 'stored');
  const used = copied.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
  const left = Math.min(source.maxBytes, source.maxTotalBytes - used);
  const asset = { connectionId, url: row.url, maxBytes: left };
  const result = await fetchWithin(deps, source.uploads, asset, context);
  const { database, records } = deps;
  await changeMirror({ database, connectionId, records, context }, (store) =>
    saveCopy(store, payload, result, source),
  );
}

type Result = FetchedAsset | { readonly unavailable: string };

/** Fetches an asset of at most what is left for it. @throws while another attempt follows */
async function fetchWithin(
  { http, pauses }: MirrorAssetDeps,
  uploads: UploadsAccess,
  { connectionId, ...asset }: Pick<AssetRequest, 'url' | 'maxBytes'> & Pick<AssetPayload, 'connectionId'>,
  context: JobContext,
): Promise<Result> {
  const { url } = asset;
  if (asset.maxBytes <= 0) return { refusal: tooLarge(0) };
  try {
    const fetch = () => fetchAsset(http, uploads, { ...asset, signal: context.signal });
    return await (isUpload(url, uploads.origin) ? fetch() : pauses(connectionId, url, fetch));
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof LeaseLost || !isLastRun(error, context)) throw error;
    context.log.info({ err: error }, 'an asset could not be fetched; the next sweep tries again');
    return { unavailable: 'its host did not answer' };
  }
}

function copyOf(url: string, recordPath: string, result: Result, { allowTypes }: AssetSource): AssetCopy {
  const { name, extension: ending } = fileNameOf(url);
  const pathOf = (hashed: Buffer | string, extension: string): string => {
    const sha256 = createHash('sha256').update(hashed).digest('hex');
    return assetPath(recordPath, { sha256, name, extension });
  };
  const note = (state: 'failed' | 'unavailable', error: string): AssetCopy => {
    const content = Buffer.from(`This file was not copied: ${error}.\nOriginal: ${url}\n`);
    return { state, path: pathOf(url, 'txt'), content, error };
  };
  if ('unavailable' in result) return note('unavailable', result.unavailable);
  if ('refusal' in result) return note('failed', result.refusal);
  const { content } = result;
  const { type, extension } = sniffType(content, ending) ?? {};
  if (type === undefined || extension === undefined)
    return note('failed', 'it is a page or drawing that may run scripts');
  const isAllowed = allowTypes.some((each) => each === type || each === `${type.split('/')[0]}/*`);
  if (allowTypes.length > 0 && !isAllowed) return note('failed', `the configuration does not allow ${type}`);
  return { state: 'stored', path: pathOf(content, extension), content, error: null };
}

/** Returns the last name in the path of an address. */
function fileNameOf(url: string): { readonly name: string; readonly extension: string } {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  const dot = last.lastIndexOf('.');
  const name = decoded(dot > 0 ? last.slice(0, dot) : last);
  return { name: name === '' ? 'file' : name, extension: dot > 0 ? last.slice(dot + 1).toLowerCase() : '' };
}

/** The file for an asset: its copy, or a note that says why there is none. */
interface AssetCopy {
  readonly state: 'stored' | 'failed' | 'unavailable';
  readonly path: string;
  readonly content: Buffer;
  /** Why there is no copy. */
  readonly error: string | null;
}

/**
 * Queues the file for an asset that waits for one, and prints the file of its entity again. Does nothing if the entity
 * is gone or no longer has the asset.
 */
async function saveCopy(
  store: EntityStore,
  owner: AssetPayload,
  result: Result,
  source: AssetSource,
): Promise<void> {
  const rows = await readAssets(store, [owner]);
  const row = rows.find(({ url_hash }) => url_hash === owner.urlHash);
  const recordPath = (await readEntities(store, [owner])).get(keyOf(owner))?.path;
  if (row === undefined || row.state === 'stored' || recordPath == null) return;
  const { state, path, content, error } = copyOf(row.url, recordPath, result, source);
  const origin = originOf(row.kind);
  const isUsed = rows.some((each) => each.url_hash !== row.url_hash && each.path === row.path);
  // A note that the copy replaces.
  const former =
    row.path === null || row.path === path || isUsed ? [] : [{ path: row.path, content: null, origin }];
  await queueFiles(store, [...former, { path, content, origin }], 'backfill');
  await updateAsset(store, row, { state, path, bytes: content.length, error });
  await reprintEntities(store, [owner], 'backfill');
}
