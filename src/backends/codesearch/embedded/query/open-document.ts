import { type Bits, hasBit } from '../format/bits.ts';
import type { LiveSegment } from '../read/live-segment.ts';
import type { Segment } from '../read/segment.ts';
import type { Narrowed, UnitsByAtom } from './candidates.ts';
import type { ContentAtom } from './compile-query.ts';
import type { TextArena } from './scan/text-arena.ts';
import { type SearchableText, textIn } from './searchable-text.ts';

/** One document of a segment while a query looks at it: units are read once, whatever asks for them. */
export interface DocumentText {
  readonly document: number;
  readonly live: LiveSegment;
  /** Units that were asked for. */
  readonly unitsRead: number;
  /** The units that may hold a match of the atom, in order. */
  unitsOf(atom: ContentAtom): readonly number[];
  /** `atom` is what looks at it, if one does: its next units are read along. */
  unit(unit: number, atom?: ContentAtom): SearchableText;
}

/** Opens one document after the other; each is gone when the next is opened. */
export interface DocumentReader {
  /** Reads along what those behind it will be asked for, of all documents that `narrowed` leaves. */
  open(live: LiveSegment, document: number, narrowed: Narrowed): DocumentText;
  /** The same of a document that is opened by itself. */
  openAlone(live: LiveSegment, document: number, narrowed: Narrowed): DocumentText;
}

/** A call into the system takes as long as to copy some ten kilobytes, and what stays in the cache is copied fastest. */
const AT_ONCE = 64 * 1024;
/** What nobody asks for is read along with what lies around it, up to so many bytes. */
const WIDEST_GAP = 8 * 1024;

/** Units are read into the memory of `arena`. */
export function documentReader(arena: TextArena): DocumentReader {
  const piece: Piece = { segment: undefined, from: 0, to: 0, memory: arena.memory, start: 0, end: 0 };
  return {
    open: (live, document, { units, possible }) =>
      new OpenDocument(live, document, units, possible, piece, arena),
    openAlone: (live, document, { units }) =>
      new OpenDocument(live, document, units, undefined, piece, arena),
  };
}

/** Units that were read at once, and where they lie. */
interface Piece {
  segment: Segment | undefined;
  from: number;
  to: number;
  memory: Buffer;
  start: number;
  end: number;
}

/** A class, as one is made for every document that is looked at: its functions are those of the prototype. */
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

  /** What the document was asked for before stays where it is. */
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

  /** Behind the units that will be asked for next, as far as they lie together. */
  #endOfPiece(unit: number, atom: ContentAtom | undefined): number {
    const { units, documents } = this.live.segment;
    const { offsets } = units;
    const wanted = atom === undefined ? undefined : this.#units.get(atom);
    const following = this.#following;
    const last = following === undefined ? documents.firstUnit[this.document + 1]! : units.count;
    const most = offsets[unit]! + AT_ONCE;
    let to = unit + 1;
    for (let next = to; next < last && offsets[next + 1]! <= most; next++) {
      if (offsets[next]! - offsets[to]! > WIDEST_GAP) break;
      if (wanted !== undefined && !hasBit(wanted, next)) continue;
      if (following === undefined || hasBit(following, documents.ofUnit[next]!)) to = next + 1;
    }
    return to;
  }
}
