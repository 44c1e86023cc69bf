import { type CompiledLanguage, wordByte } from './compile-rules.ts';
import { addressOf, type LineExports, lineModule, maxRows, rowFields, textBytes } from './line-module.ts';

/** Finds the lines of one text after another. */
export interface LineScanner {
  begin(language: CompiledLanguage, text: Buffer): void;
  /**
   * Returns the rows (see `rowFields`) of the next lines in order, as many as fit. They are valid until the next
   * call. Returns no rows after the last line.
   */
  next(): Int32Array;
  /** Releases the text. */
  end(): void;
}

const newlineByte = 0x0a;
const noText = Buffer.alloc(0);

export function openLineScanner(): LineScanner {
  const { memory, scan } = new WebAssembly.Instance(lineModule).exports as unknown as LineExports;
  const bytes = new Uint8Array(memory.buffer);
  const numbers = new Int32Array(memory.buffer);
  bytes.set(wordByte, addressOf.wordBytes);
  let known: CompiledLanguage | undefined;
  let text: Buffer = noText;
  /**
   * The part of the text in memory: its offset, the offset of the next part, and the addresses of its next line and
   * its end.
   */
  let part = { from: 0, next: 0, at: 0, end: 0 };

  const loadPart = (from: number): void => {
    const next = endOfPart(text, from);
    const bytesOfPart = text.subarray(from, Math.min(next, from + textBytes));
    const end = addressOf.text + bytesOfPart.length;
    bytes.set(bytesOfPart, addressOf.text);
    bytes[end] = newlineByte;
    part = { from, next, at: addressOf.text, end };
  };
  return {
    begin: (language, whole) => {
      if (language !== known) {
        bytes.set(language.starts, addressOf.starts);
        numbers.set(language.hashes, addressOf.hashes / 4);
        known = language;
      }
      text = whole;
      loadPart(0);
    },
    next: () => {
      if (part.at >= part.end && part.next < text.length) loadPart(part.next);
      part.at = scan(
        part.at,
        part.end,
        part.from - addressOf.text,
        addressOf.rows + 4 * rowFields.length * maxRows,
      );
      return numbers.subarray(addressOf.rows / 4, numbers[addressOf.rowsEnd / 4]! / 4);
    },
    end: () => {
      text = noText;
    },
  };
}

/**
 * Returns the end of the part that starts at `from`: after as many whole lines as fit, or after one line that is
 * longer than that, of which only the beginning is scanned.
 */
function endOfPart(text: Buffer, from: number): number {
  if (text.length - from <= textBytes) return text.length;
  const back = text.lastIndexOf(newlineByte, from + textBytes - 1);
  if (back >= from) return back + 1;
  const ahead = text.indexOf(newlineByte, from + textBytes);
  return ahead < 0 ? text.length : ahead + 1;
}
