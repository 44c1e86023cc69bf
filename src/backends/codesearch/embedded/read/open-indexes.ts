import { basename, dirname } from 'node:path';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import { isFolderId } from '../../folder-id.ts';
import type { NamedRepository } from '../../port.ts';
import type { History } from '../format/history-file.ts';
import { branchesOf } from '../format/manifest.ts';
import {
  foldersIn,
  lastAnnouncement,
  organizationFolder,
  repositoryFolder,
} from '../format/repository-folder.ts';
import { blockCache } from './block-cache.ts';
import type { LiveSegment } from './live-segment.ts';
import { OpenHistories } from './open-histories.ts';
import {
  closeReplaced,
  manifestVersion,
  markDamaged,
  openRepositoryIndex,
  type RepositoryIndex,
} from './repository-index.ts';
import type { DamagedSegment, Segment, SegmentCaches } from './segment.ts';
import { ownTables, type TableStore } from './table-store.ts';

/** Manifests are looked at this often even when nobody announced a change. */
const LOOK_AGAIN_MS = 1000;
/** Of text that was compressed, in each thread: a question that is asked again finds its blocks here. */
const CACHED_BYTES = 32 * 1024 * 1024;

/**
 * What a thread holds open at most from one question to the next: each segment is a descriptor, and its tables take
 * about a tenth of its text, more where paths are long, in memory that all threads share. One question may hold more,
 * for as long as it runs.
 */
export interface OpenBounds {
  readonly segments: number;
  /** Bytes of text. */
  readonly text: number;
  /** Bytes of tables that lie in memory. */
  readonly tables: number;
}

const MEASURES = ['segments', 'text', 'tables'] as const;
const BOUNDS: OpenBounds = { segments: 1000, text: 4 * 1024 ** 3, tables: 512 * 1024 ** 2 };

type Named = Pick<NamedRepository, 'id' | 'name'>;

/** What a question is asked of: one organization, and of it these repositories or all. */
export interface Range {
  readonly organizationId: string;
  readonly repositories?: readonly Named[] | undefined;
}

export interface SegmentsInRange {
  readonly segments: readonly LiveSegment[];
  /** The index of one of the repositories is lost or cannot be read as a whole, so that files are missing here. */
  readonly damaged: boolean;
}

interface OpenRepository {
  readonly version: string;
  /** `undefined` for one whose manifest cannot be read. */
  readonly index: RepositoryIndex | undefined;
  lookedAt: number;
  announcement: string;
}

/**
 * The indexes that one thread has open. A question keeps the generation it began with: nothing here changes while it
 * runs, and what was replaced is closed before the next one.
 */
export class OpenIndexes {
  readonly #root: string;
  readonly #bounds: OpenBounds;
  readonly #caches: SegmentCaches;
  /** Least recently used first. */
  readonly #open = new Map<string, OpenRepository>();
  readonly #histories = new OpenHistories();

  constructor(root: string, tables: TableStore = ownTables, bounds: OpenBounds = BOUNDS) {
    this.#root = root;
    this.#caches = { blocks: blockCache(CACHED_BYTES), tables };
    this.#bounds = bounds;
  }

  /** The live segments in a fixed order: by repository id, then as the manifest lists them. */
  inRange(range: Range): SegmentsInRange {
    const asked = this.#repositories(range);
    for (const { id } of asked) this.#touch(repositoryFolder(this.#root, range.organizationId, id));
    this.#closeLeastUsed();
    const announcement = lastAnnouncement(this.#root, range.organizationId);
    const found = asked.flatMap(({ id, name }) => {
      const folder = repositoryFolder(this.#root, range.organizationId, id);
      const open = this.#current(folder, announcement);
      const history = (): History | undefined => this.#histories.of(folder);
      return open === undefined ? [] : [{ repository: { id, name, history }, index: open.index }];
    });
    // Whoever names a repository knows of an index of it. One of another organization is missing here like any other.
    const isLost = range.repositories !== undefined && found.length < asked.length;
    return {
      segments: found.flatMap(({ repository, index }) => liveSegments(repository, index)),
      damaged: isLost || found.some(({ index }) => index === undefined || index.damaged),
    };
  }

  /** Damage was found in an open segment: the others go on answering until the writer made the index anew. */
  condemn(damage: DamagedSegment): void {
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

  #closeLeastUsed(): void {
    const open = [...this.#open].map(([folder, { index }]) => ({ folder, index, size: sizeOf(index) }));
    const left = { segments: 0, text: 0, tables: 0 };
    for (const { size } of open) for (const measure of MEASURES) left[measure] += size[measure];
    for (const { folder, index, size } of open) {
      if (MEASURES.every((measure) => left[measure] <= this.#bounds[measure])) return;
      closeReplaced(index);
      this.#open.delete(folder);
      for (const measure of MEASURES) left[measure] -= size[measure];
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

  /** `undefined` when nothing is indexed. */
  #current(folder: string, announcement: string): OpenRepository | undefined {
    const known = this.#open.get(folder);
    const now = performance.now();
    if (known?.announcement === announcement && now - known.lookedAt < LOOK_AGAIN_MS) return known;
    const version = manifestVersion(folder);
    if (known !== undefined && known.version === version) {
      known.lookedAt = now;
      known.announcement = announcement;
      return known;
    }
    const index = version === undefined ? undefined : openIndex(folder, version, known?.index, this.#caches);
    closeReplaced(known?.index, index);
    this.#open.delete(folder);
    if (version === undefined) return undefined;
    const opened = { version, index, lookedAt: now, announcement };
    this.#open.set(folder, opened);
    return opened;
  }
}

function sizeOf(index: RepositoryIndex | undefined): OpenBounds {
  const segments = index?.parts.map(({ view }) => view.segment) ?? [];
  return {
    segments: segments.length,
    text: segments.reduce((sum, segment) => sum + textOf(segment), 0),
    tables: segments.reduce((sum, { tableBytes }) => sum + tableBytes, 0),
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
  const branches = branchesOf(index.manifest);
  const { name: branch, commit } = branches[0];
  const of = { repositoryId: id, repositoryName: name, branch, commit, branches, history };
  return index.parts.map(({ view }) => ({ ...view, ...of }));
}

/** What looks like damage may be a generation that was just replaced; then the manifest is another one by now. */
function openIndex(
  folder: string,
  seen: string,
  former: RepositoryIndex | undefined,
  caches: SegmentCaches,
): RepositoryIndex | undefined {
  const index = openRepositoryIndex(folder, former, caches);
  if (index?.damaged === false) return index;
  const version = manifestVersion(folder);
  if (version !== undefined && version !== seen) {
    closeReplaced(index, former);
    return openIndex(folder, version, former, caches);
  }
  if (version !== undefined) markDamaged(folder, index?.manifest.generation ?? 0);
  return index;
}
