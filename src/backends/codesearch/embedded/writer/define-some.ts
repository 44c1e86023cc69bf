import { setImmediate as nextTick } from 'node:timers/promises';
import type { DefinitionSource } from '../../definition-reader.ts';
import type { Definition } from '../../port.ts';
import type { Manifest, SegmentEntry } from '../format/manifest.ts';
import { areSymbolsDamaged, type SymbolsEntry, writeSymbols } from '../format/symbols-file.ts';
import { definitionsIfRead } from '../read/tables/symbol-table.ts';
import { collectSymbols } from '../segment/symbol-rows.ts';
import type { CurrentIndex, CurrentSegment } from './current-index.ts';
import { documentsToDefine } from './documents-to-define.ts';
import { commitManifest, type Writing } from './write-generation.ts';

/**
 * Time after which a call commits what it has read, in milliseconds. An aborted call loses as much, and every commit
 * writes the definitions of a segment again.
 */
const maxCallMs = 2_000;
/** Maximum size of the files that are read at once, in number and bytes: enough for the threads of a reader. */
const maxBatch = { files: 64, bytes: 2 << 20 };
/** Maximum time before yielding to the event loop, in milliseconds. */
const maxBlockMs = 10;

/** Reads definitions for a while, and commits a generation that has them. At least one batch of files is read. */
export async function defineSome(writing: Writing, current: CurrentIndex): Promise<Manifest> {
  const until = performance.now() + maxCallMs;
  const defined = new Map<string, SegmentEntry>();
  // The last segment has the files of the last push.
  for (const part of current.segments.toReversed()) {
    const { file, symbols, withoutDefinitions } = part.entry;
    if (withoutDefinitions === 0 && !areSymbolsDamaged(writing.folder, symbols)) continue;
    defined.set(file, await defineSegment(writing, part, until));
    if (performance.now() >= until) break;
  }
  const { manifest } = current;
  if (defined.size === 0) return manifest;
  const segments = manifest.segments.map((entry) => defined.get(entry.file) ?? entry);
  return commitManifest(writing, { ...manifest, segments });
}

async function defineSegment(writing: Writing, part: CurrentSegment, until: number): Promise<SegmentEntry> {
  const { definitions: reader, signal } = writing;
  const wanted = documentsToDefine(part, reader);
  const read = new Map<number, readonly Definition[]>();
  for (const batch of batchesOf(part, wanted)) {
    signal.throwIfAborted();
    const sources = batch.map(([first]) => sourceOf(part, first!));
    const found = await reader.read(sources, signal);
    if (found.length !== sources.length) throw new Error('The reader of definitions left out files.');
    batch.forEach((documents, index) => {
      for (const document of documents) read.set(document, found[index]!);
    });
    if (performance.now() >= until) break;
  }
  const { symbols: _, ...entry } = part.entry;
  const symbols = await writeRows(writing, part, read);
  return {
    ...entry,
    ...(symbols === undefined ? {} : { symbols }),
    withoutDefinitions: wanted.length - read.size,
  };
}

/** Yields the documents in batches. Documents with the same text and language are read once: they are one group. */
function* batchesOf(
  { segment: { documents } }: CurrentSegment,
  wanted: readonly number[],
): Generator<number[][]> {
  const groups = Map.groupBy(wanted, (one) => `${documents.oid(one)} ${documents.language(one)}`);
  let batch: number[][] = [];
  let bytes = 0;
  for (const group of groups.values()) {
    batch.push(group);
    bytes += documents.sizes[group[0]!]!;
    if (batch.length < maxBatch.files && bytes < maxBatch.bytes) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

function sourceOf({ segment, state }: CurrentSegment, document: number): DefinitionSource {
  const { documents } = segment;
  const { firstUnit } = documents;
  return {
    path: state.renamed.get(document) ?? documents.path(document),
    language: documents.language(document),
    text: segment.readUnits(firstUnit[document]!, firstUnit[document + 1]!),
  };
}

/** Writes the known definitions of a segment with those that were read. */
async function writeRows(
  { folder, generation }: Writing,
  { entry, segment, symbols: { table } }: CurrentSegment,
  read: ReadonlyMap<number, readonly Definition[]>,
): Promise<SymbolsEntry | undefined> {
  const rows = collectSymbols();
  const { count } = segment.documents;
  let yieldedAt = performance.now();
  for (let document = 0; document < count; document++) {
    const definitions = read.get(document) ?? definitionsIfRead(table, document);
    if (definitions !== undefined) rows.addDocument(document, definitions);
    if (performance.now() - yieldedAt < maxBlockMs) continue;
    await nextTick();
    yieldedAt = performance.now();
  }
  const encoded = rows.encode(count);
  return encoded && writeSymbols(folder, entry.file, generation, encoded);
}
