import { setImmediate as nextTick } from 'node:timers/promises';
import type { BlobReader } from '../../../../foundation/git/objects/blob-reader.ts';
import { Unavailable } from '../../../../foundation/kernel/errors.ts';
import { languageOf } from '../../../languages/port.ts';
import type { DefinitionReader } from '../../definition-reader.ts';
import { maxFileBytes } from '../../port.ts';
import { isLfsPointer, textOf } from '../../text-file.ts';
import { skipCodes } from '../format/segment-sections.ts';
import type { IndexedDocument } from './open-segment.ts';
import type { PlannedFile } from './planned-file.ts';
import type { SegmentBuilder } from './segment-builder.ts';

/** Number of blobs requested ahead, so that Git never waits; at most as many megabytes. */
const readAhead = 32;
/** Interval of progress reports, in milliseconds. */
const progressMs = 1000;
/** Maximum time before yielding to the event loop, in milliseconds, because leases are renewed in the same process. */
const maxBlockMs = 10;

export interface Writing {
  readonly builder: Pick<SegmentBuilder, 'add'>;
  readonly blobs: Pick<BlobReader, 'read'>;
  readonly definitions: Pick<DefinitionReader, 'supports'>;
  readonly signal: AbortSignal;
  readonly onProgress: ((done: number, total: number) => void) | undefined;
}

/** Reads files, which must be in static order, and passes them to the builder. */
export async function writeDocuments(files: readonly PlannedFile[], writing: Writing): Promise<void> {
  const { builder, signal, onProgress } = writing;
  const ahead: Promise<IndexedDocument>[] = [];
  let requested = 0;
  const requestAhead = (): void => {
    // Requested in batches: each batch is one message to Git.
    if (ahead.length > readAhead / 2) return;
    for (; requested < files.length && ahead.length < readAhead; requested++) {
      const document = readDocument(files[requested]!, writing);
      // Prevents an unhandled rejection; the promise is awaited in order below.
      document.catch(() => undefined);
      ahead.push(document);
    }
  };
  let reported = performance.now();
  let yieldedAt = reported;
  for (let done = 0; done < files.length; done++) {
    signal.throwIfAborted();
    requestAhead();
    await builder.add(await ahead.shift()!);
    const now = performance.now();
    if (now - reported >= progressMs) {
      reported = now;
      onProgress?.(done + 1, files.length);
    }
    if (now - yieldedAt >= maxBlockMs) {
      await nextTick();
      yieldedAt = performance.now();
    }
  }
}

async function readDocument(
  { definitions: known, ...file }: PlannedFile,
  { blobs, definitions: reader }: Pick<Writing, 'blobs' | 'definitions'>,
): Promise<IndexedDocument> {
  const skip = (skipped: number): IndexedDocument => ({
    ...file,
    skipped,
    language: languageOf(file.path),
    text: Buffer.alloc(0),
  });
  if (file.skipped !== skipCodes.none) return skip(file.skipped);
  const bytes = await blobs.read(file.oid, maxFileBytes);
  if (bytes === 'too_large') return skip(skipCodes.tooLarge);
  if (bytes === 'missing') {
    throw new Unavailable(
      'mirror_incomplete',
      'The copy of the repository is incomplete. Sync the repository again.',
      {
        detail: { path: file.path, oid: file.oid },
      },
    );
  }
  const text = textOf(bytes);
  if (text === undefined) return skip(skipCodes.binary);
  // Text in UTF-16 may be longer in UTF-8.
  if (text.length > maxFileBytes) return skip(skipCodes.tooLarge);
  if (isLfsPointer(text)) return skip(skipCodes.lfsPointer);
  const language = languageOf(file.path, text);
  const mayDefine = text.length > 0 && reader.supports(language);
  const definitions = mayDefine ? (known?.() ?? 'unread') : undefined;
  return { ...file, language, text, definitions };
}
