import { writablePathFault } from '../../foundation/git/writing/writable-path.ts';
import { TooLarge } from '../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import { invalidField } from '../../foundation/kernel/invalid-field.ts';

/** One rendered file on its way into a context repository. */
export interface NewChange {
  /** From the root of the repository, under `tracker/` or `oncall/`. */
  readonly path: string;
  /** `null` deletes the file. */
  readonly content: Buffer | null;
  readonly connectionId: ConnectionId;
  /** What it was rendered from, for the commit's trailer: `issue ENG-12`. */
  readonly origin: string;
}

/** The folders of a context repository that are ours to write; everything beside them is people's. */
export const mirrorRoots = ['tracker', 'oncall'] as const;

/** The largest asset there is (specification: Limits). */
const maxFileBytes = 25 * 1024 ** 2;

/**
 * The changes that count, in the order of their paths: of several of one path the last. The order is the same for
 * every caller, so that two transactions cannot wait for each other's rows.
 * @throws InvalidInput, TooLarge
 */
export function checkedChanges(changes: readonly NewChange[]): readonly NewChange[] {
  for (const change of changes) check(change);
  const latest = new Map(changes.map((change) => [change.path, change]));
  return [...latest.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Why a path may not be mirrored, as a sentence for people; `undefined` for one that may be. */
export function pathRefusal(path: string): string | undefined {
  const fault = writablePathFault(path, mirrorRoots);
  return fault && `The path ${JSON.stringify(path.slice(0, 200))} ${fault}`;
}

function check({ path, content }: NewChange): void {
  const refusal = pathRefusal(path);
  if (refusal !== undefined) throw invalidField('path', 'may not be mirrored', refusal);
  if (content !== null && content.length > maxFileBytes) {
    throw new TooLarge(
      `A mirrored file is at most ${maxFileBytes / 1024 ** 2} MiB. Mirror a stub with a link instead.`,
    );
  }
}
