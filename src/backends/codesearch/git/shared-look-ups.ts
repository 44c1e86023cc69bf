import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { untilAborted } from '../../../foundation/net/until-aborted.ts';
import type { ReadFileRequest, SourceFile } from '../port.ts';

/** The repository and commit of files, as asked for. */
type Place = Pick<ReadFileRequest, 'repository' | 'commit'>;

/** The result of each file that is read together with others. */
export type FileResults = readonly PromiseSettledResult<SourceFile | undefined>[];

type ReadFiles = (
  scope: DataScope,
  request: Place & { readonly paths: readonly string[] },
  signal: AbortSignal,
) => Promise<FileResults>;

type ReadFile = (
  scope: DataScope,
  request: ReadFileRequest,
  signal: AbortSignal,
) => Promise<SourceFile | undefined>;

interface SharedLookUp {
  readonly paths: string[];
  readonly results: Promise<FileResults>;
  /** Ends the look-up. */
  readonly stop: AbortController;
  /** Number of callers that wait for it. */
  waiting: number;
}

/** Maximum number of files of one look-up. */
const maxFiles = 64;
/** Why a look-up stops without callers. One for all: an error of each would read the stack. */
const unwanted = new Error('nobody waits for these files');

/**
 * Returns a reader of single files that reads those of one commit together if they are asked for at once, before the
 * microtasks queued by then have run, and with the same scope object: finding a commit takes longer than reading a file
 * of it. An aborted caller stops waiting; the look-up ends when all of its callers have stopped.
 */
export function shareLookUps(readFiles: ReadFiles): ReadFile {
  const starting = new WeakMap<DataScope, Map<string, SharedLookUp>>();
  const begin = (scope: DataScope, key: string, place: Place): SharedLookUp => {
    const ofScope = starting.get(scope) ?? new Map<string, SharedLookUp>();
    const paths: string[] = [];
    const stop = new AbortController();
    const results = Promise.resolve().then(() => {
      if (ofScope.get(key) === begun) ofScope.delete(key);
      return readFiles(scope, { ...place, paths }, stop.signal);
    });
    const begun = { paths, results, stop, waiting: 0 };
    starting.set(scope, ofScope.set(key, begun));
    return begun;
  };
  return async (scope, { path, ...place }, signal) => {
    signal.throwIfAborted();
    const key = `${place.repository} ${place.commit ?? ''}`;
    const known = starting.get(scope)?.get(key);
    const lookUp = known === undefined || known.paths.length === maxFiles ? begin(scope, key, place) : known;
    const index = lookUp.paths.push(path) - 1;
    lookUp.waiting += 1;
    try {
      const result = (await untilAborted(lookUp.results, signal))[index];
      if (result?.status === 'rejected') throw result.reason;
      return result?.value;
    } finally {
      lookUp.waiting -= 1;
      if (lookUp.waiting === 0) lookUp.stop.abort(unwanted);
    }
  };
}
