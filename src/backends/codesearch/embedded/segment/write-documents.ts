import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BlobReader } from '../../../../foundation/git/blob-reader.ts';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import { languageOf } from '../../language.ts';
import { mostFileBytes } from '../../port.ts';
import { isBinary, withoutMark } from '../../text-file.ts';
import { SKIP } from '../format/segment-sections.ts';
import type { IndexedDocument } from './open-segment.ts';
import type { PlannedFile } from './planned-file.ts';
import type { SegmentBuilder } from './segment-builder.ts';

/** Blobs asked for ahead, so that Git never waits for us; at most this many megabytes. */
const READ_AHEAD = 32;
const PROGRESS_MS = 1000;
/** After so long other work of the process has its turn: leases are renewed beside this. */
const TURN_MS = 10;

export interface Writing {
  readonly builder: Pick<SegmentBuilder, 'add'>;
  readonly blobs: Pick<BlobReader, 'read'>;
  readonly signal: AbortSignal;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

/** Reads the files, which must be in static order, and hands them to the builder. */
export async function writeDocuments(files: readonly PlannedFile[], writing: Writing): Promise<void> {
  const { builder, signal, onProgress } = writing;
  const ahead: Promise<IndexedDocument>[] = [];
  let asked = 0;
  const askAhead = (): void => {
    // Many at once: they go to Git as one message.
    if (ahead.length > READ_AHEAD / 2) return;
    for (; asked < files.length && ahead.length < READ_AHEAD; asked++) {
      const document = readDocument(files[asked]!, writing.blobs);
      // Awaited in order further down; until then a failure is nobody's surprise.
      document.catch(() => undefined);
      ahead.push(document);
    }
  };
  let reported = performance.now();
  let turn = reported;
  for (let done = 0; done < files.length; done++) {
    signal.throwIfAborted();
    askAhead();
    await builder.add(await ahead.shift()!);
    const now = performance.now();
    if (now - reported >= PROGRESS_MS) {
      reported = now;
      onProgress?.(done + 1, files.length);
    }
    if (now - turn >= TURN_MS) {
      await nextTurn();
      turn = performance.now();
    }
  }
}

async function readDocument(file: PlannedFile, blobs: Writing['blobs']): Promise<IndexedDocument> {
  const skip = (skipped: number): IndexedDocument => ({
    ...file,
    skipped,
    language: languageOf(file.path),
    text: Buffer.alloc(0),
  });
  if (file.skipped !== SKIP.none) return skip(file.skipped);
  const bytes = await blobs.read(file.oid, mostFileBytes);
  if (bytes === 'too_large') return skip(SKIP.tooLarge);
  if (bytes === 'missing') {
    throw new Unavailable(
      'mirror_incomplete',
      'The copy of the repository lacks files; synchronize it again.',
      {
        detail: { path: file.path, oid: file.oid },
      },
    );
  }
  if (isBinary(bytes)) return skip(SKIP.binary);
  return { ...file, language: languageOf(file.path), text: withoutMark(bytes) };
}
