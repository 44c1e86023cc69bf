import { type Bits, hasBit } from '../format/bits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import type { Segment } from '../read/segment.ts';
import type { Narrowed, UnitsByAtom } from './candidates.ts';
import type { ContentAtom } from './compile-query.ts';
import type { TextArena } from './scan/text-arena.ts';
import { type SearchableText, textIn } from './text/searchable-text.ts';

/** The text of one document while a query reads it. Each unit is read at most once. */
export interface DocumentText {
  readonly document: number;
  readonly live: LiveSegment;
  /** Number of units read so far. */
  readonly unitsRead: number;
  /** Returns the units that may contain a match of the atom, in ascending order. */
  unitsOf(atom: ContentAtom): readonly number[];
  /** Returns the text of a unit. With `atom`, the next units that may match it are read ahead. */
  unit(unit: number, atom?: ContentAtom): SearchableText;
}

/** Opens documents one after another. A document is valid until the next one is opened. */
export interface DocumentReader {
  /** Opens a document. Also reads ahead into the following documents, as far as `narrowed` contains them. */
  open(live: LiveSegment, document: number, narrowed: Narrowed): DocumentText;
  /** Opens a document without reading ahead into the following ones. */
  openAlone(live: LiveSegment, document: number, narrowed: Narrowed): DocumentText;
}

/**
 * Maximum number of bytes per read. A system call takes as long as copying some ten kilobytes, and data that stays in
 * the CPU cache is copied fastest.
 */
const maxReadBytes = 64 * 1024;
/** Maximum gap between two required units that one read spans, in bytes. The gap is read and not used. */
const maxGapBytes = 8 * 1024;

/** Creates a reader that reads units into the memory of `arena`. */
export function documentReader(arena: TextArena): DocumentReader {
  const piece: Piece = { segment: undefined, from: 0, to: 0, memory: arena.memory, start: 0, end: 0 };
  return {
    open: (live, document, { units, possible }) =>
      new OpenDocument(live, document, units, possible, piece, arena),
    openAlone: (live, document, { units }) =>
      new OpenDocument(live, document, units, undefined, piece, arena),
  };
}

/** The units of one read, and their position in memory. */
interface Piece {
  segment: Segment | undefined;
  from: number;
  to: number;
  memory: Buffer;
  start: number;
  end: number;
}

/** A class, because one is created for every document read: its methods are shared through the prototype. */
class OpenDocument implements DocumentText {
  readonly live: LiveSegment;
  readonly document: number;
  unitsRead = 0;
  readonly #units: UnitsByAtom;
  readonly #following: Bits | undefined;
  readonly #piece: Piece;
  readonly #arena: TextArena;
  readonly #texts: (SearchableText | undefined)[] = [];

  constructor(
    live: LiveSegment,
    document: number,
    units: UnitsByAtom,
    following: Bits | undefined,
    piece: Piece,
    arena: TextArena,
  ) {
    this.live = live;
    this.document = document;
    this.#units = units;
    this.#following = following;
    this.#piece = piece;
    this.#arena = arena;
  }

  unitsOf(atom: ContentAtom): readonly number[] {
    const { firstUnit } = this.live.segment.documents;
    const units = this.#units.get(atom);
    const found: number[] = [];
    for (let unit = firstUnit[this.document]!; unit < firstUnit[this.document + 1]!; unit++) {
      if (units === undefined || hasBit(units, unit)) found.push(unit);
    }
    return found;
  }

  unit(unit: number, atom: ContentAtom | undefined): SearchableText {
    const { segment } = this.live;
    const place = unit - segment.documents.firstUnit[this.document]!;
    const known = this.#texts[place];
    if (known !== undefined) return known;
    const piece = this.#piece;
    if (piece.segment !== segment || unit < piece.from || unit >= piece.to) this.#read(unit, atom);
    this.unitsRead++;
    const { offsets, flags } = segment.units;
    const start = piece.start + offsets[unit]! - offsets[piece.from]!;
    const end = start + offsets[unit + 1]! - offsets[unit]!;
    const text = textIn(piece.memory, start, end, flags[unit]!, this.#arena);
    this.#texts[place] = text;
    return text;
  }

  /** Reads the piece that starts at `unit`. Earlier pieces of the same document stay in place. */
  #read(unit: number, atom: ContentAtom | undefined): void {
    const { segment } = this.live;
    const { offsets } = segment.units;
    const to = this.#endOfPiece(unit, atom);
    const length = offsets[to]! - offsets[unit]!;
    const piece = this.#piece;
    const { memory } = this.#arena;
    const start = this.unitsRead === 0 ? 0 : piece.end;
    const fits = start + length <= memory.length;
    piece.segment = undefined;
    piece.memory = fits ? memory : Buffer.allocUnsafe(length);
    piece.start = fits ? start : 0;
    segment.readUnits(unit, to, piece.memory.subarray(piece.start, piece.start + length));
    piece.segment = segment;
    piece.from = unit;
    piece.to = to;
    piece.end = fits ? start + length : start;
  }

  /** Returns the end of the run of adjacent units that will be read next. */
  #endOfPiece(unit: number, atom: ContentAtom | undefined): number {
    const { units, documents } = this.live.segment;
    const { offsets } = units;
    const wanted = atom === undefined ? undefined : this.#units.get(atom);
    const following = this.#following;
    const last = following === undefined ? documents.firstUnit[this.document + 1]! : units.count;
    const max = offsets[unit]! + maxReadBytes;
    let to = unit + 1;
    for (let next = to; next < last && offsets[next + 1]! <= max; next++) {
      if (offsets[next]! - offsets[to]! > maxGapBytes) break;
      if (wanted !== undefined && !hasBit(wanted, next)) continue;
      if (following === undefined || hasBit(following, documents.ofUnit[next]!)) to = next + 1;
    }
    return to;
  }
}
