import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openPauses, type Pause } from '../../../../foundation/kernel/limits/pauses.ts';
import type { Logger } from '../../../../foundation/telemetry/logger.ts';
import type { Manifest } from '../format/manifest.ts';
import type { Segment } from '../read/segment.ts';
import { openSegmentFile } from '../read/segment-state.ts';
import { WordCollector } from '../words/collect-words.ts';
import { encodeWords, unreadableWordsFile, wordsFile } from '../words/words-file.ts';
import type { Writing } from './write-generation.ts';

/** Number of bytes that are written at once. */
const pieceBytes = 1 << 20;

/** Returns whether a segment of a generation has no table of words. */
export function lacksWords(folder: string, { segments }: Manifest): boolean {
  return segments.some(({ file }) => !existsSync(join(folder, wordsFile(file))));
}

/**
 * Writes the tables of words that segments lack, in turns with other work of the process.
 * @throws DamagedSegment; the reason of `signal`
 */
export async function writeWords(
  log: Logger,
  { folder, request, signal }: Pick<Writing, 'folder' | 'request' | 'signal'>,
  { segments }: Manifest,
): Promise<void> {
  const openPause = openPauses();
  const pause: Pause = () => {
    signal.throwIfAborted();
    return openPause();
  };
  for (const entry of segments) {
    const file = join(folder, wordsFile(entry.file));
    if (existsSync(file)) continue;
    const segment = openSegmentFile(folder, entry);
    try {
      await writeParts(file, await encodeWordsOf(segment, pause), pause);
    } finally {
      segment.close();
    }
    const unreadable = join(folder, unreadableWordsFile(entry.file));
    if (!existsSync(unreadable)) continue;
    rmSync(unreadable, { recursive: true });
    const repository = request.repository.id;
    log.warn({ repository, file }, 'a table of words was unreadable and was written anew');
  }
}

async function encodeWordsOf(segment: Segment, pause: Pause): Promise<readonly Buffer[]> {
  const words = new WordCollector();
  await addAll(segment, words, pause);
  words.choose();
  await addAll(segment, words, pause);
  return encodeWords(words.table(), pause);
}

async function addAll(segment: Segment, words: WordCollector, pause: Pause): Promise<void> {
  const { documents, units } = segment;
  for (let document = 0; document < documents.count; document++) {
    words.beginDocument();
    for (let unit = documents.firstUnit[document]!; unit < documents.firstUnit[document + 1]!; unit++) {
      await words.addUnit(segment.readUnit(unit), units.flags[unit]!, pause);
    }
  }
}

/** Replaces a file. Its checksums reveal what a loss of power leaves of it, so it is not forced to disk. */
async function writeParts(file: string, parts: readonly Buffer[], pause: Pause): Promise<void> {
  const temporary = `${file}.tmp`;
  const fd = openSync(temporary, 'w', 0o600);
  try {
    for (const part of parts) {
      for (let done = 0; done < part.length; ) {
        done += writeSync(fd, part, done, Math.min(pieceBytes, part.length - done));
        await pause();
      }
    }
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, file);
}
