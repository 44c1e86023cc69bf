import { PAGE } from '../../wasm/assemble.ts';
import { findAnywhere, type Needle } from './needle.ts';
import { type ScanExports, scanModule } from './scan-module.ts';

/** Memory that a search thread reads text into, and looks for bytes in fastest. */
export interface TextArena {
  /** All of it; what is read here is gone when the next reader begins. */
  readonly memory: Buffer;
  /** Where the needle stands first at or after `from`, and ends by `to`; -1 when nowhere. `text` may lie in other memory. */
  find(needle: Needle, text: Buffer, from: number, to?: number): number;
  /** How many newlines lie in `[from, to)`. */
  countNewlines(text: Buffer, from: number, to: number): number;
}

const NEWLINE = 0x0a;
/** The needle lies in the first half of the first page and its mask in the second. */
const LONGEST_NEEDLE = PAGE / 2 - 64;
const TEXT_PAGES = 16;

/** 1 MB. To make one takes about a tenth of a millisecond: one a thread. */
export function textArena(): TextArena {
  // The page behind the text is for what the scan reads past its end.
  const module = scanModule(1 + TEXT_PAGES + 1);
  const scan = new WebAssembly.Instance(module).exports as unknown as ScanExports;
  const { buffer } = scan.memory;
  const needles = Buffer.from(buffer, 0, PAGE);
  const memory = Buffer.from(buffer, PAGE, TEXT_PAGES * PAGE);
  let loaded: Needle | undefined;
  const load = (needle: Needle): void => {
    needles.set(needle.bytes, 0);
    needles.set(needle.mask, PAGE / 2);
    loaded = needle;
  };
  return {
    memory,
    find: (needle, text, from, to = text.length) => {
      const { length } = needle.bytes;
      if (text.buffer !== buffer || length > LONGEST_NEEDLE || length === 0) {
        return findAnywhere(needle, text, from, to);
      }
      if (loaded !== needle) load(needle);
      const start = text.byteOffset;
      const found = scan.find(start + from, start + to, 0, PAGE / 2, length, needle.first, needle.second);
      return found < 0 ? -1 : found - start;
    },
    countNewlines: (text, from, to) => {
      if (text.buffer !== buffer) return countAnywhere(text, from, to);
      return scan.count(text.byteOffset + from, text.byteOffset + to, NEWLINE);
    },
  };
}

function countAnywhere(text: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    if (text[at] === NEWLINE) count++;
  }
  return count;
}
