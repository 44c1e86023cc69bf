import type BetterSqlite3 from 'better-sqlite3';

/** Within 10 s of the last news a commit is seen after 5 ms, later after 50 ms. One look costs about 3 microseconds. */
const busyPollMs = 5;
const idlePollMs = 50;
const busyForMs = 10_000;

export interface CommitWatch {
  subscribe(onNews: () => void): () => void;
  /** Looks now: a commit of this process need not wait for the next poll. */
  check(): void;
  close(): void;
}

/**
 * Tells subscribers of commits to a SQLite file. `PRAGMA data_version` changes when any other connection has
 * committed, so it is asked on a connection of its own, which sees this process's commits as well as foreign ones.
 * Watching the log file instead misses commits: it changes before they are visible.
 */
export function watchCommits(open: () => BetterSqlite3.Database): CommitWatch {
  const subscribers = new Set<() => void>();
  let watching: Watching | undefined;
  let timer: NodeJS.Timeout | undefined;

  const check = (): void => {
    if (watching === undefined || !watching.hasNews()) return;
    for (const onNews of subscribers) onNews();
  };
  const poll = (): void => {
    check();
    timer = setTimeout(poll, watching?.isBusy() === true ? busyPollMs : idlePollMs);
    timer.unref();
  };
  const close = (): void => {
    clearTimeout(timer);
    watching?.close();
    watching = undefined;
    subscribers.clear();
  };

  return {
    check,
    close,
    subscribe: (onNews) => {
      subscribers.add(onNews);
      if (watching === undefined) {
        watching = openWatching(open());
        poll();
      }
      return () => {
        subscribers.delete(onNews);
        if (subscribers.size === 0) close();
      };
    },
  };
}

interface Watching {
  hasNews(): boolean;
  isBusy(): boolean;
  close(): void;
}

function openWatching(connection: BetterSqlite3.Database): Watching {
  const version = connection.prepare('pragma data_version').pluck();
  let seen = version.get();
  let lastNews = performance.now();
  return {
    hasNews: () => {
      const now = version.get();
      if (now === seen) return false;
      seen = now;
      lastNews = performance.now();
      return true;
    },
    isBusy: () => performance.now() - lastNews < busyForMs,
    close: () => {
      connection.close();
    },
  };
}
