import { mkdirSync } from 'node:fs';
import { openBlobReader } from '../../../../foundation/git/blob-reader.ts';
import { isDiskFull } from '../../../../foundation/kernel/error-code.ts';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import type { BranchHead, IndexRequest, IndexStatus } from '../../port.ts';
import { historyCommit } from '../format/history-file.ts';
import { INDEXER } from '../format/indexer.ts';
import { branchesOf, type Manifest, readManifest } from '../format/manifest.ts';
import { announceChange, repositoryFolder } from '../format/repository-folder.ts';
import type { Codec } from '../format/segment-sections.ts';
import { takeWriteLock, type WriteLock } from '../format/write-lock.ts';
import type { SpareCollectors } from '../segment/collectors.ts';
import { inStaticOrder } from '../segment/planned-file.ts';
import { type CurrentIndex, isIntact, openCurrentIndex, type VerifiedSegments } from './current-index.ts';
import { deltasToMerge, isOutdated, isWorthMerging } from './merge-policy.ts';
import { planUpdate, type Update } from './plan-update.ts';
import { storedDocuments } from './stored-documents.ts';
import { sweepFolder } from './sweep.ts';
import {
  commitManifest,
  countGeneration,
  type Writing,
  writeKept,
  writeSegments,
} from './write-generation.ts';
import { updateHistory } from './write-history.ts';

/** Where indexes are written, and what is known about them. */
export interface IndexRoot {
  readonly root: string;
  readonly verified: VerifiedSegments;
  /** Of what is written from now on. */
  readonly codec: Codec;
  readonly spare: SpareCollectors;
  readonly log: Logger;
}

/** Brings the index of a repository to the commits of `request`. See `CodeIndex.apply`. */
export async function applyIndex(
  indexRoot: IndexRoot,
  request: IndexRequest,
  signal: AbortSignal,
): Promise<IndexStatus> {
  const { verified } = indexRoot;
  return writeIndex(indexRoot, request, signal, async (writing, current) => {
    if (current === undefined || !isAt(current.manifest, request.branches)) return update(writing, current);
    // With nothing else to do there is time to look whether it is still what was written.
    return (await isIntact(writing.folder, current, verified))
      ? current.manifest
      : update(writing, undefined);
  });
}

/** Brings along what `applyIndex` left for later. See `CodeIndex.tidy`. */
export async function tidyIndex(
  indexRoot: IndexRoot,
  request: IndexRequest,
  signal: AbortSignal,
): Promise<IndexStatus> {
  return writeIndex(indexRoot, request, signal, async (writing, current) => {
    const manifest = await tidied(writing, current);
    await keepHistory(indexRoot.log, writing, manifest.commit);
    return manifest;
  });
}

async function tidied(writing: Writing, current: CurrentIndex | undefined): Promise<Manifest> {
  if (current === undefined || isOutdated(current.manifest)) return update(writing, undefined);
  return isWorthMerging(current.manifest) ? merge(writing, current) : current.manifest;
}

/** `folder` is the one that the manifest lies in. */
export function statusOf(folder: string, manifest: Manifest): IndexStatus {
  const { generation, commit, files, bytes, skipped } = manifest;
  const branches = branchesOf(manifest).map(({ name, commit: at }) => ({ name, commit: at }));
  const untidy = isOutdated(manifest) || isWorthMerging(manifest) || historyCommit(folder) !== commit;
  return { generation, commit, branches, untidy, files, bytes, skipped };
}

function isAt(manifest: Manifest, wanted: readonly BranchHead[]): boolean {
  const present = branchesOf(manifest);
  return (
    present.length === wanted.length &&
    wanted.every(({ name, commit }, index) => {
      const branch = index === 0 ? present[0] : present.find((one) => one.name === name);
      return branch?.name === name && branch.commit === commit;
    })
  );
}

/**
 * Works on the index of a repository as its one writer; `current` is `undefined` where none can be read. Whatever
 * fails, the former generation stays and nothing half written beside it.
 */
async function writeIndex(...work: Parameters<typeof writeAlone>): Promise<IndexStatus> {
  try {
    return await writeAlone(...work);
  } catch (error) {
    throw isDiskFull(error) ? diskFull(error) : error;
  }
}

function diskFull(cause: unknown): Unavailable {
  const message =
    'The disk that holds the search index is full. Make room; the work is tried again by itself.';
  return new Unavailable('disk_full', message, { cause });
}

async function writeAlone(
  { root, codec, spare }: IndexRoot,
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
    sweepFolder(folder);
    const former = readManifest(folder)?.generation ?? 0;
    const writing = { folder, lock, request, signal, codec, spare, generation: former + 1 };
    const manifest = await work(writing, current);
    if (manifest.generation !== former) announceChange(root, organizationId);
    return statusOf(folder, manifest);
  } finally {
    current?.close();
    if (lock.held()) sweepFolder(folder);
    lock.release();
  }
}

/** What past commits say is a hint for ranking, and never in the way of the index. */
async function keepHistory(log: Logger, { folder, request, signal }: Writing, commit: string): Promise<void> {
  try {
    await updateHistory(folder, request.gitDir, commit, signal);
  } catch (err) {
    signal.throwIfAborted();
    // The former one stays, and the index goes on being untidy: the next push has it tried again.
    const repository = request.repository.id;
    log.warn({ repository, err }, 'what past commits say could not be read; ranking goes without the latest');
  }
}

function lockOrRefuse(folder: string): WriteLock {
  const lock = takeWriteLock(folder);
  if (lock !== undefined) return lock;
  const message = 'Another process is indexing this repository; try again when it is done.';
  throw new Unavailable('index_busy', message);
}

async function update(writing: Writing, current: CurrentIndex | undefined): Promise<Manifest> {
  const { request, signal } = writing;
  await using reader = openBlobReader(request.gitDir, signal);
  const planned = await planUpdate(current, request, reader, signal);
  if (current === undefined) {
    const written = await writeSegments(writing, 'base', planned.added, reader);
    return commitUpdate(writing, planned, { kept: [], written, indexer: INDEXER });
  }
  const deltas = planned.segments.filter(({ entry }) => entry.kind === 'delta');
  const merged = planned.added.length === 0 ? [] : deltasToMerge(deltas);
  const stored = storedDocuments(merged, reader);
  const files = [...planned.added, ...stored.files].toSorted(inStaticOrder);
  const written = await writeSegments(writing, 'delta', files, stored.blobs);
  const kept = planned.segments.filter((segment) => !merged.includes(segment));
  return commitUpdate(writing, planned, { kept, written, indexer: current.manifest.indexer });
}

/** From the segments alone: the commits stay, and so does every answer. */
async function merge(writing: Writing, current: CurrentIndex): Promise<Manifest> {
  const { segments, manifest } = current;
  const stored = storedDocuments(segments.map((segment) => ({ ...segment, next: segment.state })));
  const files = stored.files.toSorted(inStaticOrder);
  const written = await writeSegments(writing, 'base', files, stored.blobs);
  return commitManifest(writing, { ...manifest, segments: written, indexer: INDEXER });
}

function commitUpdate(
  writing: Writing,
  { branches, unsafe }: Update,
  generation: {
    readonly kept: Update['segments'];
    readonly written: Manifest['segments'];
    readonly indexer: number;
  },
): Manifest {
  const { kept, written, indexer } = generation;
  return commitManifest(writing, {
    indexer,
    commit: writing.request.branches[0].commit,
    branches,
    segments: [...writeKept(writing, kept), ...written],
    ...countGeneration(writing.folder, kept, written, unsafe),
  });
}
