/**
 * A store for the tables of open segments. Search threads share one (`shared-tables.ts`); code that opens a segment
 * briefly uses its own.
 */
export interface TableStore {
  /**
   * Opens the tables of a segment. `replaced` is called when a table has moved to other memory, never while a query
   * runs.
   */
  ofSegment(file: string, checksum: number, replaced: (name: string) => void): SegmentTables;
}

/** The tables of one open segment, by name. */
export interface SegmentTables {
  get(name: string): ArrayBufferLike | undefined;
  /** Allocates memory for a table. */
  allocate(bytes: number): ArrayBufferLike;
  /** Adds a table from `allocate`. It is verified and must not change afterwards. */
  add(name: string, table: ArrayBufferLike): void;
  /** Called when the segment is closed. */
  close(): void;
}

export const ownTables: TableStore = {
  ofSegment: () => {
    const tables = new Map<string, ArrayBufferLike>();
    return {
      get: (name) => tables.get(name),
      allocate: (bytes) => new ArrayBuffer(bytes),
      add: (name, table) => void tables.set(name, table),
      close: () => tables.clear(),
    };
  },
};
