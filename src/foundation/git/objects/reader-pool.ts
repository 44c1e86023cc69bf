import { untilAborted } from '../../net/until-aborted.ts';
import { GitError } from '../process/git-error.ts';
import { type BlobReader, openBlobReader, readerClosed } from './blob-reader.ts';

export interface ReaderPool {
  /**
   * Runs `work` with the open reader of a mirror, or opens one. If that reader fails, for example because of a damaged
   * file that another caller reads, `work` runs once more with a reader of its own.
   * @throws GitError; the signal's reason when that is aborted
   */
  use<T>(gitDir: string, signal: AbortSignal, work: (reader: BlobReader) => Promise<T>): Promise<T>;
  /** Ends the reader of a mirror, which may hang. Its other callers continue with readers of their own. */
  discard(gitDir: string): void;
  /** Ends the readers of the pool, whose reads fail, and opens no further ones. */
  close(): Promise<void>;
}

interface OpenReader {
  readonly reader: BlobReader;
  readonly expiry: NodeJS.Timeout;
  users: number;
}

/**
 * Opens a pool of at most `max` readers that nobody uses, one for each mirror. A reader is replaced `lifetimeMs` after
 * it was opened: until then it keeps the packs of a removed mirror open, so that their space is not free yet.
 */
export function openReaderPool(max: number, lifetimeMs: number): ReaderPool {
  // The readers, the least recently used first.
  const open = new Map<string, OpenReader>();
  /** All that have not ended: one that expired is no longer in `open`. */
  const readers = new Set<BlobReader>();
  let isClosed = false;
  const end = async (reader: BlobReader): Promise<void> => {
    await reader.close();
    readers.delete(reader);
  };
  /** Takes a reader out of the pool. It is closed now if `now`, otherwise when nobody uses it any more. */
  const remove = (gitDir: string, entry: OpenReader, now: boolean): void => {
    if (open.get(gitDir) === entry) open.delete(gitDir);
    clearTimeout(entry.expiry);
    if (now || entry.users === 0) void end(entry.reader);
  };
  const start = (gitDir: string): OpenReader => {
    const [unused] = [...open].filter(([, { users }]) => users === 0);
    if (open.size >= max && unused !== undefined) remove(...unused, true);
    const expiry = setTimeout(() => remove(gitDir, entry, false), lifetimeMs);
    const entry: OpenReader = { reader: openBlobReader(gitDir), expiry, users: 0 };
    readers.add(entry.reader);
    return entry;
  };
  const share: ReaderPool['use'] = async (gitDir, signal, work) => {
    const entry = open.get(gitDir) ?? start(gitDir);
    open.delete(gitDir);
    open.set(gitDir, entry);
    entry.users += 1;
    try {
      return await untilAborted(work(entry.reader), signal);
    } catch (error) {
      if (error instanceof GitError) remove(gitDir, entry, true);
      throw error;
    } finally {
      entry.users -= 1;
      if (entry.users === 0 && open.get(gitDir) !== entry) void end(entry.reader);
    }
  };
  return {
    async use(gitDir, signal, work) {
      signal.throwIfAborted();
      if (isClosed) throw readerClosed();
      try {
        return await share(gitDir, signal, work);
      } catch (error) {
        if (!(error instanceof GitError) || isClosed) throw error;
        signal.throwIfAborted();
        await using own = openBlobReader(gitDir, signal);
        return await work(own);
      }
    },
    discard(gitDir) {
      const entry = open.get(gitDir);
      if (entry !== undefined) remove(gitDir, entry, true);
    },
    async close() {
      isClosed = true;
      for (const [gitDir, entry] of open) remove(gitDir, entry, true);
      await Promise.all(Array.from(readers, end));
    },
  };
}
