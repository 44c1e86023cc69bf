import { basename, dirname } from 'node:path';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { isFolderId } from '../../folder-id.ts';
import type { NamedRepository } from '../../port.ts';
import {
  foldersIn,
  lastAnnouncement,
  organizationFolder,
  repositoryFolder,
} from '../format/repository-folder.ts';
import { markSymbolsDamaged } from '../format/symbols-file.ts';
import { blockCache } from './block-cache.ts';
import type { LiveSegment } from './live-segment.ts';
import { OpenHistories } from './open-histories.ts';
import type { PreparedHistory } from './prepared-history.ts';
import {
  closeReplaced,
  manifestVersion,
  markDamaged,
  openRepositoryIndex,
  type RepositoryIndex,
} from './repository-index.ts';
import type { DamagedSegment, Segment, SegmentCaches } from './segment.ts';
import { ownTables, type TableStore } from './table-store.ts';

/** Interval between two checks of a manifest when no change was announced, in milliseconds. */
const manifestCheckIntervalMs = 1000;
/** Size of the cache of decompressed text in each thread, in bytes. A repeated query finds its blocks there. */
const cachedBytes = 32 * 1024 * 1024;

/**
 * Maximum of what a thread keeps open between two queries. Each segment uses a file descriptor. Its tables take about
 * a tenth of the size of its text, more if paths are long, in memory that all threads share. What one query needs may
 * exceed the bounds, and stays open until a query needs less: closing it would reopen it for each query.
 */
export interface OpenBounds {
  readonly segments: number;
  /** Bytes of text. */
  readonly text: number;
  /** Bytes of tables in memory. */
  readonly tables: number;
}

const measures = ['segments', 'text', 'tables'] as const;
const openBounds: OpenBounds = { segments: 1000, text: 4 * 1024 ** 3, tables: 512 * 1024 ** 2 };

type Named = Pick<NamedRepository, 'id' | 'name'>;

/** The scope of a query: one organization, and the listed repositories. Default: all its repositories. */
export interface Range {
  readonly organizationId: string;
  readonly repositories?: readonly Named[] | undefined;
}

export interface SegmentsInRange {
  readonly segments: readonly LiveSegment[];
  /** True if the index of a repository is lost or partly unreadable, so that files are missing here. */
  readonly damaged: boolean;
}

interface OpenRepository {
  readonly version: string;
  /** `undefined` if the manifest cannot be read. */
  readonly index: RepositoryIndex | undefined;
  checkedAt: number;
  announcement: string;
}

/**
 * The indexes that one thread has open. A query uses the generation with which it started: nothing here changes while
 * it runs, and replaced segments are closed before the next query.
 */
export class OpenIndexes {
  readonly #root: string;
  readonly #bounds: OpenBounds;
  readonly #caches: SegmentCaches;
  /** Least recently used first. */
  readonly #open = new Map<string, OpenRepository>();
  readonly #histories = new OpenHistories();

  constructor(root: string, tables: TableStore = ownTables, bounds: OpenBounds = openBounds) {
    this.#root = root;
    this.#caches = { blocks: blockCache(cachedBytes), tables };
    this.#bounds = bounds;
  }

  /** Returns the live segments in a fixed order: by repository id, then in the order of the manifest. */
  inRange(range: Range): SegmentsInRange {
    const requested = this.#repositories(range);
    const folders = requested.map(({ id }) => repositoryFolder(this.#root, range.organizationId, id));
    for (const folder of folders) this.#touch(folder);
    this.#closeLeastRecentlyUsed(new Set(folders));
    const announcement = lastAnnouncement(this.#root, range.organizationId);
    const found = requested.flatMap(({ id, name }, at) => {
      const folder = folders[at]!;
      const open = this.#current(folder, announcement);
      const history = (): PreparedHistory | undefined => this.#histories.read(folder);
      return open === undefined ? [] : [{ repository: { id, name, history }, index: open.index }];
    });
    // A caller that names a repository expects it to be indexed. A repository of another organization is missing like
    // any other.
    const isLost = range.repositories !== undefined && found.length < requested.length;
    return {
      segments: found.flatMap(({ repository, index }) => liveSegments(repository, index)),
      damaged: isLost || found.some(({ index }) => index === undefined || index.damaged),
    };
  }

  /**
   * Closes a damaged segment and marks its generation, so that the writer rebuilds the index. Until then the other
   * segments stay in use.
   */
  removeDamaged(damage: DamagedSegment): void {
    const folder = dirname(damage.file);
    const known = this.#open.get(folder);
    if (known?.index === undefined) return;
    markDamaged(folder, known.index.manifest.generation);
    const name = basename(damage.file);
    const index = {
      ...known.index,
      damaged: true,
      parts: known.index.parts.filter(({ file }) => file !== name),
    };
    closeReplaced(known.index, index);
    this.#open.set(folder, { ...known, index });
  }

  close(): void {
    for (const { index } of this.#open.values()) closeReplaced(index);
    this.#open.clear();
  }

  #touch(folder: string): void {
    const known = this.#open.get(folder);
    if (known === undefined) return;
    this.#open.delete(folder);
    this.#open.set(folder, known);
  }

  /** Closes indexes until the bounds are met, except those that the query needs, which it would open again. */
  #closeLeastRecentlyUsed(needed: ReadonlySet<string>): void {
    const open = [...this.#open].map(([folder, { index }]) => ({ folder, index, size: sizeOf(index) }));
    const total = { segments: 0, text: 0, tables: 0 };
    for (const { size } of open) for (const measure of measures) total[measure] += size[measure];
    for (const { folder, index, size } of open) {
      if (measures.every((measure) => total[measure] <= this.#bounds[measure])) return;
      if (needed.has(folder)) continue;
      closeReplaced(index);
      this.#open.delete(folder);
      for (const measure of measures) total[measure] -= size[measure];
    }
  }

  #repositories({ organizationId, repositories }: Range): readonly Named[] {
    const named = repositories?.filter(({ id }) => isFolderId(id));
    const all = (): Named[] =>
      foldersIn(organizationFolder(this.#root, organizationId)).map((id) => ({
        id: id as RepositoryId,
        name: id,
      }));
    return (named ?? all()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Returns the current index of a folder, or `undefined` if nothing is indexed. */
  #current(folder: string, announcement: string): OpenRepository | undefined {
    const known = this.#open.get(folder);
    const now = performance.now();
    if (known?.announcement === announcement && now - known.checkedAt < manifestCheckIntervalMs) return known;
    const version = manifestVersion(folder);
    if (known !== undefined && known.version === version) {
      known.checkedAt = now;
      known.announcement = announcement;
      return known;
    }
    const index = version === undefined ? undefined : openIndex(folder, version, known?.index, this.#caches);
    closeReplaced(known?.index, index);
    this.#open.delete(folder);
    if (version === undefined) return undefined;
    const opened = { version, index, checkedAt: now, announcement };
    this.#open.set(folder, opened);
    return opened;
  }
}

function sizeOf(index: RepositoryIndex | undefined): OpenBounds {
  const views = index?.parts.map(({ view }) => view) ?? [];
  return {
    segments: views.length,
    text: views.reduce((sum, { segment }) => sum + textOf(segment), 0),
    tables: views.reduce((sum, { segment, symbols }) => sum + segment.tableBytes + symbols.tableBytes, 0),
  };
}

function textOf({ units }: Segment): number {
  return units.offsets[units.count] ?? 0;
}

function liveSegments(
  { id, name, history }: Named & Pick<LiveSegment, 'history'>,
  index: RepositoryIndex | undefined,
): readonly LiveSegment[] {
  if (index === undefined) return [];
  const { branches } = index.manifest;
  const { name: branch, commit } = branches[0];
  const of = { repositoryId: id, repositoryName: name, branch, commit, branches, history };
  return index.parts.map(({ view }) => ({ ...view, ...of }));
}

/**
 * Opens the index of a folder. Apparent damage may be a generation that was just replaced; the manifest has then
 * changed and is read again.
 */
function openIndex(
  folder: string,
  knownVersion: string,
  former: RepositoryIndex | undefined,
  caches: SegmentCaches,
): RepositoryIndex | undefined {
  const index = openRepositoryIndex(folder, former, caches);
  if (index?.damaged === false && !index.parts.some(({ view }) => view.symbols.isMissing)) return index;
  const version = manifestVersion(folder);
  if (version !== undefined && version !== knownVersion) {
    closeReplaced(index, former);
    return openIndex(folder, version, former, caches);
  }
  if (version !== undefined) markLost(folder, index);
  return index;
}

/** Marks what cannot be read, so that the writer rebuilds it. */
function markLost(folder: string, index: RepositoryIndex | undefined): void {
  if (index?.damaged !== false) markDamaged(folder, index?.manifest.generation ?? 0);
  for (const { file, view } of index?.parts ?? []) {
    const entry = index?.manifest.segments.find((one) => one.file === file);
    if (view.symbols.isMissing && entry?.symbols !== undefined) markSymbolsDamaged(folder, entry.symbols);
  }
}
