import { GitError } from '../../process/git-error.ts';
import { pathText } from '../path-text.ts';

/** A commit in the output of `git log -z` with a format that begins with `%x00`. */
export interface LogRecord {
  readonly fields: readonly string[];
  /** The records after the fields, such as the paths of `--name-only`, at most as many as were asked for. */
  readonly changes: readonly string[];
  /** Number of records after the fields. */
  readonly changed: number;
}

/**
 * Yields the commits of records: each is an empty one, its `fields` (their number) and its changes. A field may be
 * empty; no path is, and Git prints a message only up to its first NUL, so that nothing can imitate the start of
 * another commit.
 */
export async function* logRecords(
  output: AsyncIterable<Buffer> | Iterable<Buffer>,
  fields: number,
  maxChanges = Number.POSITIVE_INFINITY,
): AsyncGenerator<LogRecord, void> {
  let commit: { fields: string[]; changes: string[]; changed: number } | undefined;
  for await (const record of output) {
    if (commit !== undefined && commit.fields.length < fields) commit.fields.push(record.toString());
    else if (record.length === 0) {
      if (commit !== undefined) yield commit;
      commit = { fields: [], changes: [], changed: 0 };
    } else if (commit !== undefined) {
      // Git prints a line break before the first one. Any other line break is part of a path.
      if (commit.changed < maxChanges)
        commit.changes.push(pathText(commit.changed === 0 ? record.subarray(1) : record));
      commit.changed += 1;
    }
  }
  if (commit?.fields.length === fields) yield commit;
}

/** A file in the output of `--name-status`. */
export interface FileStatus {
  /** The letter of Git, such as `R`. */
  readonly status: string;
  readonly path: string;
  /** The former path of a renamed file, or that of a copied one. */
  readonly from?: string;
}

/** Yields the files of the changes that `--name-status` prints: each is its status and one or two paths. */
export function* fileStatuses(changes: readonly string[]): Generator<FileStatus, void> {
  for (let at = 0; at + 1 < changes.length; ) {
    const [letter = '', path = '', to] = changes.slice(at, at + 3);
    const status = letter.charAt(0);
    const isPair = to !== undefined && (status === 'R' || status === 'C');
    yield isPair ? { status, path: to, from: path } : { status, path };
    at += isPair ? 3 : 2;
  }
}

/** Returns the error for a history that Git prints in another form than it was asked for. */
export function unreadable(): GitError {
  return new GitError('damaged', 'The history of the repository is unreadable.');
}
