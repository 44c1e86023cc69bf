import { type CompiledLanguage, WORD_BYTE } from './compile-rules.ts';
import { AT, type LineExports, lineModule, ROW, ROWS, TEXT_BYTES } from './line-module.ts';

/** Finds the lines of one text after another. */
export interface LineScanner {
  begin(language: CompiledLanguage, text: Buffer): void;
  /** As many lines as there is room for, in order, as `ROW` says; good until the next. None after the last. */
  next(): Int32Array;
  /** Lets go of the text. */
  end(): void;
}

const NEWLINE = 0x0a;
const NO_TEXT = Buffer.alloc(0);

export function openLineScanner(): LineScanner {
  const { memory, scan } = new WebAssembly.Instance(lineModule).exports as unknown as LineExports;
  const bytes = new Uint8Array(memory.buffer);
  const numbers = new Int32Array(memory.buffer);
  bytes.set(WORD_BYTE, AT.wordBytes);
  let known: CompiledLanguage | undefined;
  let text: Buffer = NO_TEXT;
  /** Of the text, the part in memory: its offset, that of the next part, and addresses of its next line and its end. */
  let part = { from: 0, next: 0, at: 0, end: 0 };

  const takeIn = (from: number): void => {
    const next = endOfPart(text, from);
    const some = text.subarray(from, Math.min(next, from + TEXT_BYTES));
    const end = AT.text + some.length;
    bytes.set(some, AT.text);
    bytes[end] = NEWLINE;
    part = { from, next, at: AT.text, end };
  };
  return {
    begin: (language, whole) => {
      if (language !== known) {
        bytes.set(language.starts, AT.starts);
        numbers.set(language.hashes, AT.hashes / 4);
        known = language;
      }
      text = whole;
      takeIn(0);
    },
    next: () => {
      if (part.at >= part.end && part.next < text.length) takeIn(part.next);
      part.at = scan(part.at, part.end, part.from - AT.text, AT.rows + 4 * ROW.length * ROWS);
      return numbers.subarray(AT.rows / 4, numbers[AT.rowsEnd / 4]! / 4);
    },
    end: () => {
      text = NO_TEXT;
    },
  };
}

/** Behind as many whole lines as there is room for; behind one line where it is longer, which then is known in part. */
function endOfPart(text: Buffer, from: number): number {
  if (text.length - from <= TEXT_BYTES) return text.length;
  const back = text.lastIndexOf(NEWLINE, from + TEXT_BYTES - 1);
  if (back >= from) return back + 1;
  const ahead = text.indexOf(NEWLINE, from + TEXT_BYTES);
  return ahead < 0 ? text.length : ahead + 1;
}
