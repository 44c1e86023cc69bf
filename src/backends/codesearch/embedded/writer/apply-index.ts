import { mkdirSync } from 'node:fs';
import { openBlobReader } from '../../../../foundation/git/objects/blob-reader.ts';
import { isDiskFull } from '../../../../foundation/kernel/error-code.ts';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import type { DefinitionReader } from '../../definition-reader.ts';
import type { BranchHead, IndexRequest, IndexStatus } from '../../port.ts';
import { historyCommit } from '../format/history-file.ts';
import { indexerVersion } from '../format/indexer.ts';
import { type Manifest, readManifest, type SegmentEntry } from '../format/manifest.ts';
import { announceChange, repositoryFolder } from '../format/repository-folder.ts';
import type { Codec } from '../format/segment-sections.ts';
import { areSymbolsDamaged } from '../format/symbols-file.ts';
import { takeWriteLock, type WriteLock } from '../format/write-lock.ts';
import { markDamaged } from '../read/repository-index.ts';
import { DamagedSegment } from '../read/segment.ts';
import type { SpareCollectors } from '../segment/collectors.ts';
import { inStaticOrder } from '../segment/planned-file.ts';
import { type CurrentIndex, isIntact, openCurrentIndex, type VerifiedFiles } from './current-index.ts';
import { defineSome } from './define-some.ts';
import { deleteLeftovers } from './delete-leftovers.ts';
import { deltasToMerge, isOutdated, isWorthMerging } from './merge-policy.ts';
import { planUpdate, type Update } from './plan-update.ts';
import { storedDocuments } from './stored-documents.ts';
import {
  commitManifest,
  countGeneration,
  superseded,
  type Writing,
  writeKept,
  writeSegments,
} from './write-generation.ts';
import { updateHistory } from './write-history.ts';
import { lacksWords, writeWords } from './write-words.ts';

/** The folder of the indexes, and shared state of their writer. */
export interface IndexRoot {
  readonly root: string;
  readonly verified: VerifiedFiles;
  /** Codec of new segments. */
  readonly codec: Codec;
  readonly spare: SpareCollectors;
  readonly definitions: DefinitionReader;
  readonly log: Logger;
}

/** Updates the index of a repository to the commits of `request`. See `CodeIndex.apply`. */
export async function applyIndex(
  indexRoot: IndexRoot,
  request: IndexRequest,
  signal: AbortSignal,
): Promise<IndexStatus> {
  const { verified } = indexRoot;
  return writeIndex(indexRoot, request, signal, async (writing, current) => {
    if (current === undefined || !isAt(current.manifest, request.branches)) return update(writing, current);
    // The index is up to date, so there is time to verify it.
    return (await isIntact(writing.folder, current, verified))
      ? current.manifest
      : update(writing, undefined);
  });
}

/** Does the maintenance that `applyIndex` defers. See `CodeIndex.compact`. */
export async function compactIndex(
  indexRoot: IndexRoot,
  request: IndexRequest,
  signal: AbortSignal,
): Promise<IndexStatus> {
  return writeIndex(indexRoot, request, signal, async (writing, current) => {
    const manifest = await compacted(writing, current);
    await keepHistory(indexRoot.log, writing, manifest.commit);
    await writeWords(indexRoot.log, writing, manifest);
    return manifest;
  });
}

/** Reads definitions of files that lack them. See `CodeIndex.define`. */
export async function defineIndex(
  indexRoot: IndexRoot,
  request: IndexRequest,
  signal: AbortSignal,
): Promise<IndexStatus> {
  return writeIndex(indexRoot, request, signal, (writing, current) => {
    if (current === undefined) throw superseded();
    return defineSome(writing, current);
  });
}

async function compacted(writing: Writing, current: CurrentIndex | undefined): Promise<Manifest> {
  if (current === undefined || isOutdated(current.manifest)) return update(writing, undefined);
  return isWorthMerging(current.manifest) ? merge(writing, current) : current.manifest;
}

/** Returns the status of a manifest; `folder` is its folder. */
export function statusOf(folder: string, manifest: Manifest): IndexStatus {
  const { generation, commit, files, bytes, skipped } = manifest;
  const branches = manifest.branches.map(({ name, commit: at }) => ({ name, commit: at }));
  const needsCompaction =
    isOutdated(manifest) ||
    isWorthMerging(manifest) ||
    historyCommit(folder) !== commit ||
    lacksWords(folder, manifest);
  const filesWithoutDefinitions = manifest.segments.reduce((sum, entry) => sum + toDefine(folder, entry), 0);
  return { generation, commit, branches, needsCompaction, filesWithoutDefinitions, files, bytes, skipped };
}

/** Returns the number of files of a segment without definitions; at most that number if its definitions are damaged. */
function toDefine(folder: string, { symbols, withoutDefinitions, documents, dead }: SegmentEntry): number {
  if (symbols === undefined || !areSymbolsDamaged(folder, symbols)) return withoutDefinitions;
  return Math.min(documents - dead, withoutDefinitions + symbols.documents);
}

function isAt(manifest: Manifest, wanted: readonly BranchHead[]): boolean {
  const present = manifest.branches;
  return (
    present.length === wanted.length &&
    wanted.every(({ name, commit }, index) => {
      const branch = index === 0 ? present[0] : present.find((one) => one.name === name);
      return branch?.name === name && branch.commit === commit;
    })
  );
}

/**
 * Runs `work` as the only writer of an index; `current` is `undefined` if no index is readable. After an error the
 * previous generation stays and incomplete files are deleted.
 */
async function writeIndex(...work: Parameters<typeof writeExclusively>): Promise<IndexStatus> {
  try {
    return await writeExclusively(...work);
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  }
}

function diskFull(cause: unknown): Unavailable {
  const message =
    'The disk of the search index is full. Free some space; the job will be retried automatically.';
  return new Unavailable('disk_full', message, { cause });
}

function damaged(cause: unknown): Unavailable {
  const message = 'The search index of the repository is damaged. It will be rebuilt automatically.';
  return new Unavailable('index_damaged', message, { cause });
}

async function writeExclusively(
  { root, codec, spare, definitions, log }: IndexRoot,
  request: IndexRequest,
  signal: AbortSignal,
  work: (writing: Writing, current: CurrentIndex | undefined) => Promise<Manifest>,
): Promise<IndexStatus> {
  signal.throwIfAborted();
  const { organizationId } = request.scope;
  const folder = repositoryFolder(root, organizationId, request.repository.id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockOrRefuse(folder);
  const current = openCurrentIndex(folder);
  try {
    deleteLeftovers(folder);
    const previous = readManifest(folder)?.generation ?? 0;
    const writing = { folder, lock, request, signal, codec, spare, definitions, generation: previous + 1 };
    const manifest = await work(writing, current).catch((error: unknown) => {
      if (!(error instanceof DamagedSegment)) throw error;
      markDamaged(folder, previous);
      log.warn({ repository: request.repository.id, err: error }, 'an index is damaged and will be rebuilt');
      throw damaged(error);
    });
    if (manifest.generation !== previous) announceChange(root, organizationId);
    return statusOf(folder, manifest);
  } finally {
    current?.close();
    if (lock.held()) deleteLeftovers(folder);
    lock.release();
  }
}

/** Updates the history, which is only a hint for ranking: an error does not fail the update of the index. */
async function keepHistory(log: Logger, { folder, request, signal }: Writing, commit: string): Promise<void> {
  try {
    await updateHistory(folder, request.gitDir, commit, signal);
  } catch (err) {
    signal.throwIfAborted();
    // The previous history stays, and the index still needs compaction, so the next push retries.
    const repository = request.repository.id;
    log.warn({ repository, err }, 'reading past commits failed; ranking uses the previous history');
  }
}

function lockOrRefuse(folder: string): WriteLock {
  const lock = takeWriteLock(folder);
  if (lock !== undefined) return lock;
  const message = 'Another process is indexing this repository. Retry when it is done.';
  throw new Unavailable('index_busy', message);
}

async function update(writing: Writing, current: CurrentIndex | undefined): Promise<Manifest> {
  const { request, signal } = writing;
  await using reader = openBlobReader(request.gitDir, signal);
  const planned = await planUpdate(current, request, reader, signal);
  if (current === undefined) {
    const written = await writeSegments(writing, 'base', planned.added, reader);
    return commitUpdate(writing, planned, { kept: [], written, indexerVersion });
  }
  const deltas = planned.segments.filter(({ entry }) => entry.kind === 'delta');
  const merged = planned.added.length === 0 ? [] : deltasToMerge(deltas);
  const stored = storedDocuments(merged, reader);
  const files = [...planned.added, ...stored.files].toSorted(inStaticOrder);
  const written = await writeSegments(writing, 'delta', files, stored.blobs);
  const kept = planned.segments.filter((segment) => !merged.includes(segment));
  return commitUpdate(writing, planned, { kept, written, indexerVersion: current.manifest.indexerVersion });
}

/** Merges all segments into one, without Git. The commits and all results stay the same. */
async function merge(writing: Writing, current: CurrentIndex): Promise<Manifest> {
  const { segments, manifest } = current;
  const stored = storedDocuments(segments.map((segment) => ({ ...segment, next: segment.state })));
  const files = stored.files.toSorted(inStaticOrder);
  const written = await writeSegments(writing, 'base', files, stored.blobs);
  return commitManifest(writing, { ...manifest, segments: written, indexerVersion });
}

function commitUpdate(
  writing: Writing,
  { branches, unsafe }: Update,
  generation: {
    readonly kept: Update['segments'];
    readonly written: Manifest['segments'];
    readonly indexerVersion: number;
  },
): Manifest {
  const { kept, written } = generation;
  return commitManifest(writing, {
    indexerVersion: generation.indexerVersion,
    commit: writing.request.branches[0].commit,
    branches,
    segments: [...writeKept(writing, kept), ...written],
    ...countGeneration(writing.folder, kept, written, unsafe),
  });
}
