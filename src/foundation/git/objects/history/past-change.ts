import { spawnGit } from '../../process/spawn-git.ts';
import { fullId, isObjectId } from '../commit-id.ts';
import type { pathArguments } from '../path-arguments.ts';
import { records } from '../records.ts';
import { comparedSize } from './commit-files.ts';
import type { Signature } from './commit-history.ts';
import { parseCommitTime } from './commit-time.ts';
import { type LogRecord, logRecords, unreadable } from './log-records.ts';

/** A commit as its author wrote it. */
export interface PastChange {
  readonly id: string;
  /** Time according to the committer, in seconds since 1970. */
  readonly time: number;
  /** With the names of `.mailmap`. */
  readonly author: Signature;
  /** Subject and body, at most `maxMessage` characters. */
  readonly message: string;
}

const maxMessage = 4_000;
/** Maximum length of a field, in bytes: a message that is longer is cut before it takes memory. */
const maxField = 4 * maxMessage;
/** Options of `git log` for the fields that `parseChange` reads, and their number. */
const format = [
  '--use-mailmap',
  '--format=%x00%H%x00%ct%x00%aN%x00%aE%x00%B',
  '-z',
  '--encoding=UTF-8',
  '--no-color',
  '--no-show-signature',
];
const fieldsOfChange = 5;

/** Yields the commits that a `git log` of the history of `to` prints, with their first `maxChanges` changes. */
export async function* logChanges(
  gitDir: string,
  { to, options, paths }: LogRequest,
  maxChanges: number,
  signal: AbortSignal,
): AsyncGenerator<PastChange & Pick<LogRecord, 'changes'>, void> {
  const args = ['log', ...format, ...options, fullId(to), ...paths.args];
  const running = spawnGit(gitDir, [...comparedSize, '-c', `mailmap.blob=${to}:.mailmap`, ...args], signal);
  running.child.stdin.end(paths.input);
  const output = records(running, maxField, { cuts: true });
  for await (const { fields, changes } of logRecords(output, fieldsOfChange, maxChanges))
    yield { ...parseChange(fields), changes };
}

export interface LogRequest {
  /** Full id of the commit whose history is read. */
  readonly to: string;
  readonly options: readonly string[];
  readonly paths: ReturnType<typeof pathArguments>;
}

function parseChange([
  id = '',
  time = '',
  name = '',
  email = '',
  message = '',
]: readonly string[]): PastChange {
  if (!isObjectId(id)) throw unreadable();
  return {
    id,
    time: parseCommitTime(time),
    author: { name, email },
    message: message.slice(0, maxMessage).trimEnd(),
  };
}
