import { isAscii, isUtf8 } from 'node:buffer';
import { UNIT_FLAGS } from '../format/segment-sections.ts';

/** The knee of size against latency: measured, 16 KB answer three times as fast as whole files. */
const UNIT_BYTES = 16 * 1024;
const NEWLINE = 0x0a;

export interface UnitCut {
  readonly start: number;
  readonly end: number;
  /** 1-based number of the unit's first line. */
  readonly firstLine: number;
  readonly flags: number;
}

/** Cuts text behind newlines, so that no line spans two units; a longer line makes a longer unit. */
export function cutUnits(text: Buffer): UnitCut[] {
  const units: UnitCut[] = [];
  let firstLine = 1;
  for (let start = 0; start < text.length; ) {
    const end = endOfUnit(text, start);
    const bytes = text.subarray(start, end);
    units.push({ start, end, firstLine, flags: flagsOf(bytes) });
    // Most files are one unit: nobody asks how many lines the last one has.
    if (end < text.length) firstLine += countNewlines(bytes);
    start = end;
  }
  return units;
}

function endOfUnit(text: Buffer, start: number): number {
  if (text.length - start <= UNIT_BYTES) return text.length;
  const back = text.lastIndexOf(NEWLINE, start + UNIT_BYTES - 1);
  if (back >= start) return back + 1;
  const ahead = text.indexOf(NEWLINE, start + UNIT_BYTES);
  return ahead < 0 ? text.length : ahead + 1;
}

function flagsOf(bytes: Buffer): number {
  if (isAscii(bytes)) return UNIT_FLAGS.ascii | UNIT_FLAGS.validUtf8;
  return isUtf8(bytes) ? UNIT_FLAGS.validUtf8 : 0;
}

/** A plain loop: a call of `indexOf` for each line takes twice as long. */
function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}
