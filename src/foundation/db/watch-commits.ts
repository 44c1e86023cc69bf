import type BetterSqlite3 from 'better-sqlite3';
import { isSqliteBusy } from './retry-transaction.ts';

/**
 * Poll intervals in milliseconds: 5 ms within 10 s of the last commit, 50 ms afterwards. One poll costs about 3
 * microseconds.
 */
const busyPollMs = 5;
const idlePollMs = 50;
const busyForMs = 10_000;

export interface CommitWatch {
  subscribe(onChange: () => void): () => void;
  /** Checks now: a commit of this process need not wait for the next poll. */
  check(): void;
  close(): void;
}

/**
 * Notifies subscribers of commits to a SQLite file. `PRAGMA data_version` changes when another connection has
 * committed, so it is read on a separate connection, which detects the commits of this process and of others.
 * Watcher the log file instead misses commits, because it changes before they are visible.
 */
export function watchCommits(open: () => BetterSqlite3.Database): CommitWatch {
  const subscribers = new Set<() => void>();
  let watcher: Watcher | undefined;
  let timer: NodeJS.Timeout | undefined;

  const check = (): void => {
    if (watcher === undefined || !watcher.hasChanged()) return;
    for (const onChange of subscribers) onChange();
  };
  const poll = (): void => {
    check();
    timer = setTimeout(poll, watcher?.isBusy() === true ? busyPollMs : idlePollMs);
    timer.unref();
  };
  const close = (): void => {
    clearTimeout(timer);
    watcher?.close();
    watcher = undefined;
    subscribers.clear();
  };

  return {
    check,
    close,
    subscribe: (onChange) => {
      subscribers.add(onChange);
      if (watcher === undefined) {
        watcher = openWatcher(open());
        poll();
      }
      return () => {
        subscribers.delete(onChange);
        if (subscribers.size === 0) close();
      };
    },
  };
}

interface Watcher {
  hasChanged(): boolean;
  isBusy(): boolean;
  close(): void;
}

function openWatcher(connection: BetterSqlite3.Database): Watcher {
  const version = connection.prepare('pragma data_version').pluck();
  // While another process recovers the log, the version cannot be read; the next poll finds a change.
  const read = (): unknown => {
    try {
      return version.get();
    } catch (error) {
      if (isSqliteBusy(error)) return lastVersion;
      throw error;
    }
  };
  let lastVersion: unknown;
  lastVersion = read();
  let lastChange = performance.now();
  return {
    hasChanged: () => {
      const now = read();
      if (now === lastVersion) return false;
      lastVersion = now;
      lastChange = performance.now();
      return true;
    },
    isBusy: () => performance.now() - lastChange < busyForMs,
    close: () => {
      connection.close();
    },
  };
}
