/** Number of entries of a piece. A log has at most 8 bytes for two bytes of text. */
const pieceEntries = 1 << 18;
/** Marks an entry that moves to a later line; the others are words in it. */
const lineMark = 0x8000_0000;

/** The words of each line, in order, as they are found. */
export class LineLog {
  readonly #pieces: Uint32Array[] = [];
  /** Number of entries of the last piece. */
  #entries = pieceEntries;
  #line = 0;

  /** Adds a word of a line, which must not be before the last one. */
  add(word: number, line: number): void {
    if (line !== this.#line) this.#note((lineMark | (line - this.#line)) >>> 0);
    this.#line = line;
    this.#note(word);
  }

  each(visit: (word: number, line: number) => void): void {
    let line = 0;
    for (const [index, piece] of this.#pieces.entries()) {
      for (const entry of index === this.#pieces.length - 1 ? piece.subarray(0, this.#entries) : piece) {
        if (entry >= lineMark) line += entry - lineMark;
        else visit(entry, line);
      }
    }
  }

  #note(entry: number): void {
    if (this.#entries === pieceEntries) {
      this.#pieces.push(new Uint32Array(pieceEntries));
      this.#entries = 0;
    }
    this.#pieces.at(-1)![this.#entries++] = entry;
  }
}
