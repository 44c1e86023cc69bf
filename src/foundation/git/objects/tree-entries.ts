import { GitError } from '../process/git-error.ts';

/** One entry of a tree object. Its name is bytes. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  readonly name: Buffer;
}

/**
 * Parses the entries of a tree object, `<mode> <name>\0<id>`, one after another. The keys are the names, a byte per
 * character; an id has the length of `id`, the tree's own. @throws GitError `damaged`
 */
export function parseTree(bytes: Buffer, id: string | undefined): ReadonlyMap<string, TreeEntry> {
  const oidBytes = (id?.length ?? 0) / 2;
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space + 1);
    const next = end + 1 + oidBytes;
    if (space < at || end < space || next > bytes.length) {
      throw new GitError(
        'damaged',
        'The copy of the repository contains an unreadable folder. Sync the repository.',
      );
    }
    const name = bytes.subarray(space + 1, end);
    const text = name.toString('latin1');
    const mode = bytes.toString('latin1', at, space).padStart(6, '0');
    // A duplicate name is stored under the empty one, which is not a valid name.
    entries.set(entries.has(text) ? '' : text, { mode, oid: bytes.toString('hex', end + 1, next), name });
    at = next;
  }
  return entries;
}
