import { sharedGarbage } from '../read/shared-garbage.ts';
import type { SharedTable, TableNews, TableOffers } from '../read/shared-tables.ts';

/** The search threads of a process tell each other here which tables they have loaded, so that each lies in memory once. */
export interface TableExchange<Thread> {
  /** It is told at once of all that the others have. */
  joined(thread: Thread, tell: (offers: TableOffers) => void): void;
  heard(thread: Thread, news: TableNews): void;
  /** The thread has ended. What others have open stays with them, whoever loaded it. */
  left(thread: Thread): void;
}

interface Segment<Thread> {
  /** The threads that have it open; without any it is forgotten. */
  readonly holders: Set<Thread>;
  readonly tables: Map<string, SharedTable>;
}

export function tableExchange<Thread>(): TableExchange<Thread> {
  const threads = new Map<Thread, (offers: TableOffers) => void>();
  const segments = new Map<string, Segment<Thread>>();
  const dropped = sharedGarbage();

  const tellOthers = (teller: Thread | undefined, offers: TableOffers): void => {
    if (offers.loaded.length + offers.withdrawn.length === 0) return;
    for (const [thread, tell] of threads) if (thread !== teller) tell(offers);
  };
  const segmentOf = (name: string): Segment<Thread> => {
    const segment = segments.get(name) ?? { holders: new Set(), tables: new Map() };
    segments.set(name, segment);
    return segment;
  };
  const note = (thread: Thread, open: ReadonlySet<string>): void => {
    for (const [name, { holders }] of segments) if (!open.has(name)) holders.delete(thread);
    for (const name of open) segmentOf(name).holders.add(thread);
  };
  /** The first table of a name is the one for all. */
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
    tellOthers(undefined, { loaded: [], withdrawn: unheld.map(([name]) => name) });
  };

  return {
    joined: (thread, tell) => {
      threads.set(thread, tell);
      const loaded = [...segments.values()].flatMap(({ tables }) => [...tables.values()]);
      if (loaded.length > 0) tell({ loaded, withdrawn: [] });
    },
    heard: (thread, { open, loaded }) => {
      const tell = threads.get(thread);
      if (tell === undefined) return;
      note(thread, new Set(open));
      const added: SharedTable[] = [];
      const known: SharedTable[] = [];
      for (const table of loaded) {
        const first = firstOf(table);
        if (first !== table) dropped(table.bytes.byteLength);
        (first === table ? added : known).push(first);
      }
      if (known.length > 0) tell({ loaded: known, withdrawn: [] });
      tellOthers(thread, { loaded: added, withdrawn: [] });
      withdraw();
    },
    left: (thread) => {
      threads.delete(thread);
      note(thread, new Set());
      withdraw();
    },
  };
}
