import { sharedGarbage } from './shared-garbage.ts';
import type { TableStore } from './table-store.ts';

/** A table that a thread has loaded, in memory that all threads of the process can read. */
export interface SharedTable {
  /** Identifies a segment file by its path and checksum. */
  readonly segment: string;
  readonly name: string;
  readonly bytes: SharedArrayBuffer;
}

/** A message from a thread to the other threads. */
export interface TableChanges {
  /** All segments that the thread has open. */
  readonly open: readonly string[];
  readonly loaded: readonly SharedTable[];
}

/** A message to a thread about the tables of other threads. */
export interface TableOffers {
  readonly loaded: readonly SharedTable[];
  /** Segments that no thread has open any more. */
  readonly withdrawn: readonly string[];
}

/**
 * The tables that one thread knows: those it has loaded, and those that other threads offered, which it uses instead
 * of loading its own. Tables never change. Changes are sent to the other threads between two queries
 * (`thread/table-exchange.ts`).
 */
export interface SharedTables extends TableStore {
  /** Returns the changes since the last call, or `undefined` if there are none. */
  takeChanges(): TableChanges | undefined;
  /**
   * Takes the offered tables. If two threads have loaded the same table, both use the offered one. Must not be called
   * while a query runs.
   */
  take(offers: TableOffers): void;
}

export function sharedTables(): SharedTables {
  const known = new Map<string, Map<string, SharedArrayBuffer>>();
  const open = new Map<string, (name: string) => void>();
  const dropped = sharedGarbage();
  let loaded: SharedTable[] = [];
  let isReported = true;
  const remember = ({ segment, name, bytes }: SharedTable): void => {
    const tables = known.get(segment) ?? new Map<string, SharedArrayBuffer>();
    dropped(tables.get(name)?.byteLength ?? 0);
    known.set(segment, tables.set(name, bytes));
  };
  return {
    ofSegment: (file, checksum, replaced) => {
      const segment = `${checksum} ${file}`;
      open.set(segment, replaced);
      isReported = false;
      return {
        get: (name) => known.get(segment)?.get(name),
        allocate: ownPages,
        add: (name, bytes) => {
          const table = { segment, name, bytes: bytes as SharedArrayBuffer };
          remember(table);
          loaded.push(table);
          isReported = false;
        },
        close: () => {
          if (open.get(segment) === replaced) open.delete(segment);
          isReported = false;
        },
      };
    },
    takeChanges: () => {
      if (isReported) return undefined;
      const changes = { open: [...open.keys()], loaded };
      loaded = [];
      isReported = true;
      return changes;
    },
    take: (offers) => {
      for (const table of offers.loaded) {
        remember(table);
        open.get(table.segment)?.(table.name);
      }
      for (const segment of offers.withdrawn) {
        for (const { byteLength } of known.get(segment)?.values() ?? []) dropped(byteLength);
        known.delete(segment);
      }
    },
  };
}

/**
 * Allocates memory that could grow, because it has pages of its own, which the operating system gets back when it is
 * dropped. The heap of a thread would keep the gaps between tables that other threads still hold.
 */
function ownPages(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes, { maxByteLength: bytes });
}
