import { sharedGarbage } from '../read/shared-garbage.ts';
import type { SharedTable, TableChanges, TableOffers } from '../read/shared-tables.ts';

/** Shares loaded tables between the search threads of a process, so that each table is in memory only once. */
export interface TableExchange<Thread> {
  /** Registers a thread and sends it all tables of the other threads. `send` delivers later offers. */
  joined(thread: Thread, send: (offers: TableOffers) => void): void;
  /** Handles a message of a thread about its loaded tables. */
  received(thread: Thread, changes: TableChanges): void;
  /** Unregisters a thread that has ended. Tables that others have open stay, whoever loaded them. */
  left(thread: Thread): void;
}

interface Segment<Thread> {
  /** The threads that have the segment open; it is dropped when there are none. */
  readonly holders: Set<Thread>;
  readonly tables: Map<string, SharedTable>;
}

export function tableExchange<Thread>(): TableExchange<Thread> {
  const threads = new Map<Thread, (offers: TableOffers) => void>();
  const segments = new Map<string, Segment<Thread>>();
  const dropped = sharedGarbage();

  const sendToOthers = (sender: Thread | undefined, offers: TableOffers): void => {
    if (offers.loaded.length + offers.withdrawn.length === 0) return;
    for (const [thread, send] of threads) if (thread !== sender) send(offers);
  };
  const segmentOf = (name: string): Segment<Thread> => {
    const segment = segments.get(name) ?? { holders: new Set(), tables: new Map() };
    segments.set(name, segment);
    return segment;
  };
  const updateHolders = (thread: Thread, open: ReadonlySet<string>): void => {
    for (const [name, { holders }] of segments) if (!open.has(name)) holders.delete(thread);
    for (const name of open) segmentOf(name).holders.add(thread);
  };
  /** Returns the first table of this name, which all threads use. */
  const firstOf = (table: SharedTable): SharedTable => {
    const { tables } = segmentOf(table.segment);
    const first = tables.get(table.name) ?? table;
    tables.set(table.name, first);
    return first;
  };
  const withdraw = (): void => {
    const unheld = [...segments].filter(([, { holders }]) => holders.size === 0);
    for (const [name, { tables }] of unheld) {
      segments.delete(name);
      for (const { bytes } of tables.values()) dropped(bytes.byteLength);
    }
    sendToOthers(undefined, { loaded: [], withdrawn: unheld.map(([name]) => name) });
  };

  return {
    joined: (thread, send) => {
      threads.set(thread, send);
      const loaded = [...segments.values()].flatMap(({ tables }) => [...tables.values()]);
      if (loaded.length > 0) send({ loaded, withdrawn: [] });
    },
    received: (thread, { open, loaded }) => {
      const send = threads.get(thread);
      if (send === undefined) return;
      updateHolders(thread, new Set(open));
      const added: SharedTable[] = [];
      const known: SharedTable[] = [];
      for (const table of loaded) {
        const first = firstOf(table);
        if (first !== table) dropped(table.bytes.byteLength);
        (first === table ? added : known).push(first);
      }
      if (known.length > 0) send({ loaded: known, withdrawn: [] });
      sendToOthers(thread, { loaded: added, withdrawn: [] });
      withdraw();
    },
    left: (thread) => {
      threads.delete(thread);
      updateHolders(thread, new Set());
      withdraw();
    },
  };
}
