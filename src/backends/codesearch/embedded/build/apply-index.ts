import { mkdirSync } from 'node:fs';
import { openBlobReader } from '../../../../foundation/git/blob-reader.ts';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { IndexRequest, IndexStatus } from '../../port.ts';
import {
  MANIFEST_FORMAT,
  type Manifest,
  readManifest,
  type SegmentEntry,
  syncFolder,
  writeManifest,
} from '../format/manifest.ts';
import { type Override, writeOverrides } from '../format/overrides.ts';
import { announceChange, repositoryFolder } from '../format/repository-folder.ts';
import { UNSAFE_NAME } from '../format/segment-sections.ts';
import { takeWriteLock, type WriteLock } from '../format/write-lock.ts';
import { isAlive, openSegmentFile, readSegmentState } from '../read/segment-state.ts';
import {
  type Counts,
  type CurrentIndex,
  type CurrentSegment,
  countDocuments,
  isIntact,
  openCurrentIndex,
} from './current-index.ts';
import { buryPaths, planUpdate, planWhole, type Update } from './plan-update.ts';
import type { PlannedFile } from './planned-file.ts';
import { SegmentBuilder } from './segment-builder.ts';
import { sweepFolder } from './sweep.ts';
import { writeDocuments } from './write-documents.ts';

/** Beyond these a repository is built anew: every search pays for each delta and each dead document. */
const MOST_DELTAS = 8;
const MOST_DEAD = 0.2;

/** Brings the index of a repository to `request.to`. See `CodeIndex.apply`. */
export async function applyIndex(
  root: string,
  request: IndexRequest,
  signal: AbortSignal,
): Promise<IndexStatus> {
  signal.throwIfAborted();
  const { organizationId } = request.scope;
  const folder = repositoryFolder(root, organizationId, request.repository.id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = takeWriteLock(folder);
  if (lock === undefined) {
    throw new Unavailable(
      'index_busy',
      'Another process is indexing this repository; try again when it is done.',
    );
  }
  const current = openCurrentIndex(folder);
  try {
    sweepFolder(folder);
    if (current?.manifest.commit === request.branches[0].commit && isIntact(current))
      return statusOf(current.manifest);
    const writing: WritingIndex = { folder, lock, request, signal };
    const manifest = (await applyDelta(writing, current)) ?? (await buildWhole(writing));
    announceChange(root, organizationId);
    return statusOf(manifest);
  } finally {
    current?.close();
    if (lock.held()) sweepFolder(folder);
    lock.release();
  }
}

export function statusOf(manifest: Manifest): IndexStatus {
  const { generation, commit, branches, files, bytes, skipped } = manifest;
  return { generation, commit, branches, untidy: false, files, bytes, skipped };
}

function targetOf({ gitDir, branches }: IndexRequest): { gitDir: string; to: string } {
  return { gitDir, to: branches[0].commit };
}

interface WritingIndex {
  readonly folder: string;
  readonly lock: WriteLock;
  readonly request: IndexRequest;
  readonly signal: AbortSignal;
}

/** `undefined` when a delta would leave too much behind, or there is nothing to add it to. */
async function applyDelta(
  writing: WritingIndex,
  current: CurrentIndex | undefined,
): Promise<Manifest | undefined> {
  if (current === undefined || current.manifest.commit === writing.request.branches[0].commit)
    return undefined;
  const update = await planUpdate(current, targetOf(writing.request), writing.signal);
  if (isTooMuch(current, update)) return undefined;
  const generation = current.manifest.generation + 1;
  const delta = await writeSegments(writing, generation, 'delta', update.added);
  const changed = buryPaths(current, update.removed);
  const kept = current.segments.map((segment) =>
    changed.has(segment)
      ? {
          ...segment.entry,
          tombstones: undefined,
          ...buried(writing.folder, segment, generation),
        }
      : segment.entry,
  );
  const counts = addCounts(countDocuments(current.segments), countSegments(writing.folder, delta));
  return commitManifest(writing, generation, [...kept, ...delta], addUnsafe(counts, update));
}

function buried(
  folder: string,
  { entry, segment, state }: CurrentSegment,
  generation: number,
): Pick<SegmentEntry, 'overrides' | 'dead'> {
  const rows: Override[] = [];
  for (let document = 0; document < segment.documents.count; document++) {
    if (!isAlive(state, document)) rows.push({ document, low: 0, high: 0, path: undefined });
  }
  return { overrides: writeOverrides(folder, entry.file, generation, rows), dead: rows.length };
}

function isTooMuch(current: CurrentIndex, update: Update): boolean {
  const { segments } = current.manifest;
  const deltas = segments.filter((segment) => segment.kind === 'delta').length;
  const documents = segments.reduce((sum, segment) => sum + segment.documents, 0);
  const dead = segments.reduce((sum, segment) => sum + segment.dead, update.removed.length);
  return deltas + (update.added.length > 0 ? 1 : 0) > MOST_DELTAS || dead > documents * MOST_DEAD;
}

async function buildWhole(writing: WritingIndex): Promise<Manifest> {
  const whole = await planWhole(targetOf(writing.request), writing.signal);
  const generation = (readManifest(writing.folder)?.generation ?? 0) + 1;
  const segments = await writeSegments(writing, generation, 'base', whole.added);
  const counts = addUnsafe(countSegments(writing.folder, segments), whole);
  return commitManifest(writing, generation, segments, counts);
}

async function writeSegments(
  writing: WritingIndex,
  generation: number,
  kind: SegmentEntry['kind'],
  files: readonly PlannedFile[],
): Promise<SegmentEntry[]> {
  if (files.length === 0) return [];
  const { request, signal } = writing;
  const builder = new SegmentBuilder(writing.folder, generation, kind);
  await using blobs = openBlobReader(request.gitDir, signal);
  try {
    await writeDocuments(files, { builder, blobs, signal, onProgress: request.onProgress });
    return builder.finish();
  } catch (error) {
    builder.abandon();
    throw error;
  }
}

/** The one moment at which the new generation becomes the answer. */
function commitManifest(
  { folder, lock, request, signal }: WritingIndex,
  generation: number,
  segments: SegmentEntry[],
  counts: Counts,
): Manifest {
  signal.throwIfAborted();
  syncFolder(folder);
  // Two processes may both believe to hold the lock (a shared volume, a removal); only one may win.
  if (!lock.held() || (readManifest(folder)?.generation ?? 0) !== generation - 1) {
    throw new Unavailable(
      'index_superseded',
      'The index was changed or removed meanwhile; nothing was written.',
    );
  }
  const manifest: Manifest = {
    format: MANIFEST_FORMAT,
    indexer: 1,
    generation,
    commit: request.branches[0].commit,
    branches: request.branches.map((branch, bit) => ({ ...branch, bit })),
    segments,
    ...counts,
  };
  writeManifest(folder, manifest);
  return manifest;
}

function countSegments(folder: string, entries: readonly SegmentEntry[]): Counts {
  return entries
    .map((entry) => {
      const segment = openSegmentFile(folder, entry);
      try {
        return countDocuments([{ segment, state: readSegmentState(folder, entry, segment) }]);
      } finally {
        segment.close();
      }
    })
    .reduce(addCounts, { files: 0, bytes: 0, skipped: {} });
}

function addUnsafe(counts: Counts, { unsafe }: Update): Counts {
  return unsafe === 0 ? counts : { ...counts, skipped: { ...counts.skipped, [UNSAFE_NAME]: unsafe } };
}

function addCounts(left: Counts, right: Counts): Counts {
  const skipped = { ...left.skipped };
  for (const [reason, count] of Object.entries(right.skipped))
    skipped[reason] = (skipped[reason] ?? 0) + count;
  return { files: left.files + right.files, bytes: left.bytes + right.bytes, skipped };
}
