import { writablePathError } from '../../foundation/git/writing/writable-path.ts';
import { TooLarge } from '../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';

/** One rendered file to be committed to a context repository. */
export interface NewChange {
  /** Path from the root of the repository, inside the folder of a connector. */
  readonly path: string;
  /** `null` deletes the file. */
  readonly content: Buffer | null;
  readonly connectionId: ConnectionId;
  /** The source of the content, for the commit's trailer: `issue ENG-12`. */
  readonly origin: string;
  /** Default: `edit`. */
  readonly changeClass?: ChangeClass | undefined;
}

/**
 * The kind of work that a change is part of. An `edit` is committed before a `backfill`, which may take hours; a
 * `rebuild` is committed at its end.
 */
export type ChangeClass = 'edit' | 'backfill' | 'rebuild';

/** The order in which changes are committed, as rows have it. */
export const changeClasses: Readonly<Record<ChangeClass, number>> = { edit: 0, backfill: 1, rebuild: 2 };

/** Maximum size of a file, in bytes: the maximum of an asset (specification: Limits). */
const maxFileBytes = 25 * 1024 ** 2;

/**
 * Checks changes and returns the last one per path, sorted by path. The order is the same for every caller, so that
 * two transactions cannot deadlock.
 * @throws InvalidInput, TooLarge
 */
export function checkedChanges(
  changes: readonly NewChange[],
  roots: readonly string[],
): readonly NewChange[] {
  for (const { path, content } of changes) {
    const refusal = pathRefusal(path, roots);
    if (refusal !== undefined) throw invalidField('path', 'must not be mirrored', refusal);
    if (content === null || content.length <= maxFileBytes) continue;
    const max = maxFileBytes / 1024 ** 2;
    throw new TooLarge(`A mirrored file can have at most ${max} MiB. Mirror a stub with a link instead.`);
  }
  const latest = new Map(changes.map((change) => [change.path, change]));
  return [...latest.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Returns the reason why a path must not be mirrored, as a sentence for people; `undefined` if it may be. `roots`: the
 * top folders that may be written; all other files belong to people.
 */
export function pathRefusal(path: string, roots: readonly string[]): string | undefined {
  const error = writablePathError(path, roots);
  return error && `The path ${JSON.stringify(path.slice(0, 200))} ${error}`;
}
