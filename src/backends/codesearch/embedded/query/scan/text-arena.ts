import { pageSize } from '../../wasm/assemble.ts';
import { findAnywhere, type Needle } from './needle.ts';
import { type ScanExports, scanModule } from './scan-module.ts';

/** Memory into which a search thread reads text, with a fast byte search. */
export interface TextArena {
  /** The whole memory. The next reader overwrites its content. */
  readonly memory: Buffer;
  /**
   * Returns the offset of the first occurrence of the needle in `[from, to)`, or -1. `text` may be in other memory.
   */
  find(needle: Needle, text: Buffer, from: number, to?: number): number;
  /** Returns the number of newlines in `[from, to)`. */
  countNewlines(text: Buffer, from: number, to: number): number;
}

const newlineByte = 0x0a;
/**
 * Maximum length of a needle, in bytes. The first half of the first page holds the needle, the second half its mask.
 */
const maxNeedleLength = pageSize / 2 - 64;
const textPages = 16;

/** Creates an arena of 1 MB. This takes about a tenth of a millisecond, so each thread creates only one. */
export function textArena(): TextArena {
  // The scan reads past the end of the text, into the last page.
  const module = scanModule(1 + textPages + 1);
  const scan = new WebAssembly.Instance(module).exports as unknown as ScanExports;
  const { buffer } = scan.memory;
  const needles = Buffer.from(buffer, 0, pageSize);
  const memory = Buffer.from(buffer, pageSize, textPages * pageSize);
  let loaded: Needle | undefined;
  const load = (needle: Needle): void => {
    needles.set(needle.bytes, 0);
    needles.set(needle.mask, pageSize / 2);
    loaded = needle;
  };
  return {
    memory,
    find: (needle, text, from, to = text.length) => {
      const { length } = needle.bytes;
      if (text.buffer !== buffer || length > maxNeedleLength || length === 0) {
        return findAnywhere(needle, text, from, to);
      }
      if (loaded !== needle) load(needle);
      const start = text.byteOffset;
      const found = scan.find(start + from, start + to, 0, pageSize / 2, length, needle.first, needle.second);
      return found < 0 ? -1 : found - start;
    },
    countNewlines: (text, from, to) => {
      if (text.buffer !== buffer) return countAnywhere(text, from, to);
      return scan.count(text.byteOffset + from, text.byteOffset + to, newlineByte);
    },
  };
}

function countAnywhere(text: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    if (text[at] === newlineByte) count++;
  }
  return count;
}
