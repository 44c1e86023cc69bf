/**
 * Where the tables of open segments lie in memory. Threads that answer keep them in one place (`shared-tables.ts`);
 * whoever opens a segment for a moment keeps them to itself.
 */
export interface TableStore {
  /** `replaced` is called when a table of the segment lies elsewhere from now on, never while a question runs. */
  ofSegment(file: string, checksum: number, replaced: (name: string) => void): SegmentTables;
}

/** The tables of one open segment, by names of its own. */
export interface SegmentTables {
  get(name: string): ArrayBufferLike | undefined;
  /** Memory for a table of so many bytes. */
  room(bytes: number): ArrayBufferLike;
  /** `table`, from `room`, is found to be intact and changes no more. */
  add(name: string, table: ArrayBufferLike): void;
  /** The segment is closed. */
  close(): void;
}

export const ownTables: TableStore = {
  ofSegment: () => {
    const tables = new Map<string, ArrayBufferLike>();
    return {
      get: (name) => tables.get(name),
      room: (bytes) => new ArrayBuffer(bytes),
      add: (name, table) => void tables.set(name, table),
      close: () => tables.clear(),
    };
  },
};
