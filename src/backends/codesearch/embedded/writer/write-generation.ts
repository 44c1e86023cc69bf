import type { BlobReader } from '../../../../foundation/git/objects/blob-reader.ts';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import type { DefinitionReader } from '../../definition-reader.ts';
import type { IndexRequest } from '../../port.ts';
import { syncFolder } from '../format/durable-files.ts';
import {
  type Manifest,
  manifestFormat,
  readManifest,
  type SegmentEntry,
  writeManifest,
} from '../format/manifest.ts';
import { type Override, writeOverrides } from '../format/overrides.ts';
import { type Codec, unsafeName } from '../format/segment-sections.ts';
import type { WriteLock } from '../format/write-lock.ts';
import { isAlive, openSegmentFile, readSegmentState } from '../read/segment-state.ts';
import type { SpareCollectors } from '../segment/collectors.ts';
import type { PlannedFile } from '../segment/planned-file.ts';
import { SegmentBuilder } from '../segment/segment-builder.ts';
import { writeDocuments } from '../segment/write-documents.ts';
import { type Counts, countDocuments } from './current-index.ts';
import { countToDefine } from './documents-to-define.ts';
import { type DraftSegment, isChanged } from './draft-segment.ts';

/** The state of one writer of a repository. */
export interface Writing {
  readonly folder: string;
  readonly lock: WriteLock;
  readonly request: IndexRequest;
  readonly signal: AbortSignal;
  readonly codec: Codec;
  readonly spare: SpareCollectors;
  readonly definitions: DefinitionReader;
  readonly generation: number;
}

/** Writes files, which must be in static order, to new segments. Deletes its files if it fails. */
export async function writeSegments(
  { folder, generation, codec, spare, definitions, signal, request }: Writing,
  kind: SegmentEntry['kind'],
  files: readonly PlannedFile[],
  blobs: Pick<BlobReader, 'read'>,
): Promise<SegmentEntry[]> {
  if (files.length === 0) return [];
  const collectors = spare.take();
  const builder = new SegmentBuilder(folder, generation, kind, codec, collectors);
  try {
    await writeDocuments(files, { builder, blobs, definitions, signal, onProgress: request.onProgress });
    const entries = await builder.finish();
    spare.release(collectors);
    return entries;
  } catch (error) {
    builder.abandon();
    throw error;
  }
}

/** Returns the entries of the kept segments, without those that have no live document, and writes their overrides. */
export function writeKept(
  { folder, generation, definitions }: Writing,
  segments: readonly DraftSegment[],
): SegmentEntry[] {
  return segments.flatMap((draft) => {
    const { entry, segment } = draft;
    const dead = segment.documents.count - countAlive(draft);
    if (dead === segment.documents.count) return [];
    if (!isChanged(draft)) return [entry];
    const overrides = writeOverrides(folder, entry.file, generation, overridesOf(draft));
    return [{ ...entry, dead, overrides, withoutDefinitions: countToDefine(draft, definitions) }];
  });
}

function countAlive({ segment, next }: DraftSegment): number {
  let alive = 0;
  for (let document = 0; document < segment.documents.count; document++) {
    if (isAlive(next, document)) alive++;
  }
  return alive;
}

function overridesOf({ segment: { documents }, next: { low, high, renamed } }: DraftSegment): Override[] {
  const rows: Override[] = [];
  for (let document = 0; document < documents.count; document++) {
    const alive = (low[document]! | high[document]!) !== 0;
    const path = alive ? renamed.get(document) : undefined;
    const asWritten =
      low[document] === documents.branchesLow[document] &&
      high[document] === documents.branchesHigh[document];
    if (path === undefined && asWritten) continue;
    rows.push({ document, low: low[document]!, high: high[document]!, path });
  }
  return rows;
}

/** Commits the new generation, which then serves results. */
export function commitManifest(
  { folder, lock, signal, generation }: Writing,
  manifest: Omit<Manifest, 'format' | 'generation'>,
): Manifest {
  signal.throwIfAborted();
  syncFolder(folder);
  // Two processes may both believe that they hold the lock (a shared volume, a removal); only one may commit.
  if (!lock.held() || (readManifest(folder)?.generation ?? 0) !== generation - 1) throw superseded();
  const whole = { ...manifest, format: manifestFormat, generation } as const;
  writeManifest(folder, whole);
  return whole;
}

export function superseded(): Unavailable {
  const message = 'The index was changed or removed in the meantime; nothing was written.';
  return new Unavailable('index_superseded', message);
}

/** Counts the documents of a generation, in new and kept segments. */
export function countGeneration(
  folder: string,
  kept: readonly DraftSegment[],
  written: readonly SegmentEntry[],
  unsafe: number,
): Counts {
  const keptCounts = countDocuments(kept.map(({ segment, next }) => ({ segment, state: next })));
  const { skipped, ...counts } = [keptCounts, ...written.map((entry) => countSegment(folder, entry))].reduce(
    addCounts,
  );
  return { ...counts, skipped: unsafe === 0 ? skipped : { ...skipped, [unsafeName]: unsafe } };
}

function countSegment(folder: string, entry: SegmentEntry): Counts {
  const segment = openSegmentFile(folder, entry);
  try {
    return countDocuments([{ segment, state: readSegmentState(folder, entry, segment) }]);
  } finally {
    segment.close();
  }
}

function addCounts(left: Counts, right: Counts): Counts {
  const skipped = { ...left.skipped };
  for (const [reason, count] of Object.entries(right.skipped))
    skipped[reason] = (skipped[reason] ?? 0) + count;
  return { files: left.files + right.files, bytes: left.bytes + right.bytes, skipped };
}
