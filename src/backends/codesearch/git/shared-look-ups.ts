import type { DataScope } from '../../../foundation/kernel/org-scope.ts';
import { untilAborted } from '../../../foundation/net/until-aborted.ts';
import type { ReadFileRequest, SourceFile } from '../port.ts';

/** The files of one commit that were asked for in one turn of the event loop. */
type CommitFiles = Pick<ReadFileRequest, 'repository' | 'commit'> & { readonly paths: readonly string[] };

type ReadFiles = (
  scope: DataScope,
  request: CommitFiles,
) => Promise<readonly PromiseSettledResult<SourceFile | undefined>[]>;

type ReadFile = (
  scope: DataScope,
  request: ReadFileRequest,
  signal: AbortSignal,
) => Promise<SourceFile | undefined>;

interface SharedLookUp {
  readonly paths: string[];
  readonly results: ReturnType<ReadFiles>;
}

/** Maximum number of files of one look-up. */
const maxFiles = 64;

/**
 * Returns a reader of single files that reads those of one commit together, if the same scope asks for them in one turn
 * of the event loop: finding a commit takes longer than reading a file of it. Aborting `signal` ends the wait for one
 * file and not the look-up, which others may share.
 */
export function shareLookUps(readFiles: ReadFiles): ReadFile {
  const starting = new WeakMap<DataScope, Map<string, SharedLookUp>>();
  const begin = (scope: DataScope, key: string, request: Omit<CommitFiles, 'paths'>): SharedLookUp => {
    const ofScope = starting.get(scope) ?? new Map<string, SharedLookUp>();
    const paths: string[] = [];
    const results = Promise.resolve().then(() => {
      if (ofScope.get(key) === begun) ofScope.delete(key);
      return readFiles(scope, { ...request, paths });
    });
    const begun = { paths, results };
    starting.set(scope, ofScope.set(key, begun));
    return begun;
  };
  return async (scope, { path, ...request }, signal) => {
    signal.throwIfAborted();
    const key = `${request.repository} ${request.commit ?? ''}`;
    const known = starting.get(scope)?.get(key);
    const lookUp =
      known === undefined || known.paths.length === maxFiles ? begin(scope, key, request) : known;
    const index = lookUp.paths.push(path) - 1;
    const results = await untilAborted(lookUp.results, signal);
    const result = results[index];
    if (result?.status === 'rejected') throw result.reason;
    return result?.value;
  };
}
