import { GitError } from '../../process/git-error.ts';
import { spawnGit } from '../../process/spawn-git.ts';
import { fullId, isObjectId } from '../commit-id.ts';
import { records } from '../records.ts';
import type { Signature } from './commit-history.ts';
import { noLaterThanNow, parseCommitTime } from './commit-time.ts';

/** A commit that changed some lines or a path, as its author wrote it. Merges are left out. */
export interface PastChange {
  readonly id: string;
  /** Time according to the committer, in seconds since 1970. */
  readonly time: number;
  /** With the names of `.mailmap`. */
  readonly author: Signature;
  /** Subject and body, at most `maxMessage` characters. */
  readonly message: string;
}

interface PastChanges {
  /** Newest first. */
  readonly changes: readonly PastChange[];
  /** False if older changes were not read, because of the time or the number. */
  readonly whole: boolean;
}

interface ChangesRequest {
  /** Full id of the commit whose history is read. */
  readonly to: string;
  readonly path: string;
  /** 1-based, inclusive, as of `to`. Without lines, the changes of the path. */
  readonly lines?: { readonly start: number; readonly end: number } | undefined;
  readonly max: number;
}

const maxMessage = 4_000;
/** Maximum length of a field, in bytes: a message that is longer is cut before it takes memory. */
export const maxField = 4 * maxMessage;
/** Fields of a commit in the output that `changeFormat` asks for. */
export const fieldsOfChange = 5;
/** Options of `git log` for the fields that `parseChange` reads. */
export const changeFormat: readonly string[] = [
  '--use-mailmap',
  '-z',
  '--format=%H%x00%ct%x00%aN%x00%aE%x00%B',
  '--encoding=UTF-8',
  '--no-color',
  '--no-show-signature',
  '--no-patch',
];
/** Versions of a file above this size are not compared: a history may hold one of gigabytes. */
const comparedSize = 'core.bigFileThreshold=4m';

/**
 * Reads the commits that made some lines or a path what they are, following the lines through renames. Ends after
 * `timeoutMs` with what was read until then, because Git compares all versions of a file.
 * @throws GitError, also if the path or the lines do not exist; the reason of `signal`
 */
export async function readChanges(
  gitDir: string,
  { to, path, lines, max }: ChangesRequest,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<PastChanges> {
  const [where, paths] = lines === undefined ? [[], [path]] : [[`-L${lines.start},${lines.end}:${path}`], []];
  const config = ['-c', comparedSize, '-c', `mailmap.blob=${to}:.mailmap`];
  const args = ['log', '--no-merges', `--max-count=${max + 1}`, ...changeFormat, ...where, fullId(to)];
  const timeout = AbortSignal.timeout(timeoutMs);
  const running = spawnGit(gitDir, [...config, ...args, '--', ...paths], AbortSignal.any([signal, timeout]));
  const changes: PastChange[] = [];
  let fields: string[] = [];
  let whole = true;
  try {
    for await (const record of records(running, maxField, { cuts: true })) {
      fields.push(record.toString());
      if (fields.length < fieldsOfChange) continue;
      const change = parseChange(fields);
      changes.push({ ...change, time: noLaterThanNow(change.time) });
      fields = [];
    }
  } catch (error) {
    if (!timeout.aborted || signal.aborted) throw error;
    whole = false;
  }
  return { changes: changes.slice(0, max), whole: whole && changes.length <= max };
}

/** Reads the fields of a commit. */
export function parseChange([
  id = '',
  time = '',
  name = '',
  email = '',
  message = '',
]: readonly string[]): PastChange {
  if (!isObjectId(id)) throw new GitError('damaged', 'The history of the repository is unreadable.');
  return {
    id,
    time: parseCommitTime(time),
    author: { name, email },
    message: message.slice(0, maxMessage).trimEnd(),
  };
}
