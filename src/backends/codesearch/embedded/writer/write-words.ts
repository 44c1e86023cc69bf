import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { replaceDurably } from '../format/durable-files.ts';
import type { Manifest } from '../format/manifest.ts';
import type { Segment } from '../read/segment.ts';
import { openSegmentFile } from '../read/segment-state.ts';
import { WordCollector } from '../words/collect-words.ts';
import { encodeWords, wordsFile } from '../words/words-file.ts';

/** Maximum time before yielding to the event loop, in milliseconds. */
const maxBlockMs = 10;

/** Returns whether a segment of a generation has no table of words. */
export function lacksWords(folder: string, { segments }: Manifest): boolean {
  return segments.some(({ file }) => !existsSync(join(folder, wordsFile(file))));
}

/** Writes the tables of words that segments lack. @throws DamagedSegment; the reason of `signal` */
export async function writeWords(folder: string, { segments }: Manifest, signal: AbortSignal): Promise<void> {
  for (const entry of segments) {
    const file = join(folder, wordsFile(entry.file));
    if (existsSync(file)) continue;
    const segment = openSegmentFile(folder, entry);
    try {
      replaceDurably(file, await encodeWordsOf(segment, signal));
    } finally {
      segment.close();
    }
  }
}

async function encodeWordsOf(segment: Segment, signal: AbortSignal): Promise<Buffer> {
  const { documents, units } = segment;
  const words = new WordCollector();
  let yieldedAt = performance.now();
  for (let document = 0; document < documents.count; document++) {
    words.beginDocument();
    for (let unit = documents.firstUnit[document]!; unit < documents.firstUnit[document + 1]!; unit++) {
      words.addUnit(segment.readUnit(unit), units.flags[unit]!);
      if (performance.now() - yieldedAt < maxBlockMs) continue;
      await nextTick();
      signal.throwIfAborted();
      yieldedAt = performance.now();
    }
  }
  return encodeWords(words.postings(), words.firstLines());
}
