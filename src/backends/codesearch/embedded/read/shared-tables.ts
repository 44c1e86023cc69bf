import { sharedGarbage } from './shared-garbage.ts';
import type { TableStore } from './table-store.ts';

/** A table that a thread has loaded, in memory that all threads of the process can read. */
export interface SharedTable {
  /** Names a file and what it holds. */
  readonly segment: string;
  readonly name: string;
  readonly bytes: SharedArrayBuffer;
}

/** What a thread tells the others. */
export interface TableNews {
  /** All segments that it has open by now. */
  readonly open: readonly string[];
  readonly loaded: readonly SharedTable[];
}

/** What a thread is told of the others. */
export interface TableOffers {
  readonly loaded: readonly SharedTable[];
  /** Segments that no thread has open any more. */
  readonly withdrawn: readonly string[];
}

/**
 * The tables that one thread knows of: those it has loaded, and those it was offered by others, which it takes instead
 * of loading its own. Tables never change. What happens here is told to the others between two questions
 * (`thread/table-exchange.ts`).
 */
export interface SharedTables extends TableStore {
  /** What was not told yet; `undefined` when that is nothing. */
  news(): TableNews | undefined;
  /** Of a table that two have loaded both take the one that is offered. Not while a question runs. */
  take(offers: TableOffers): void;
}

export function sharedTables(): SharedTables {
  const known = new Map<string, Map<string, SharedArrayBuffer>>();
  const open = new Map<string, (name: string) => void>();
  const dropped = sharedGarbage();
  let loaded: SharedTable[] = [];
  let isTold = true;
  const remember = ({ segment, name, bytes }: SharedTable): void => {
    const tables = known.get(segment) ?? new Map<string, SharedArrayBuffer>();
    dropped(tables.get(name)?.byteLength ?? 0);
    known.set(segment, tables.set(name, bytes));
  };
  return {
    ofSegment: (file, checksum, replaced) => {
      const segment = `${checksum} ${file}`;
      open.set(segment, replaced);
      isTold = false;
      return {
        get: (name) => known.get(segment)?.get(name),
        room: ownPages,
        add: (name, bytes) => {
          const table = { segment, name, bytes: bytes as SharedArrayBuffer };
          remember(table);
          loaded.push(table);
          isTold = false;
        },
        close: () => {
          if (open.get(segment) === replaced) open.delete(segment);
          isTold = false;
        },
      };
    },
    news: () => {
      if (isTold) return undefined;
      const news = { open: [...open.keys()], loaded };
      loaded = [];
      isTold = true;
      return news;
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
 * Memory that could grow lies in pages of its own, which the system has back when it is dropped. The heap of a thread
 * that others still hold a table in would keep the holes around it.
 */
function ownPages(bytes: number): SharedArrayBuffer {
  return new SharedArrayBuffer(bytes, { maxByteLength: bytes });
}
