import { InvalidInput } from '../../kernel/errors.ts';
import { GitError } from '../process/git-error.ts';
import { boundedPacks, gitOutput, spawnGit } from '../process/spawn-git.ts';
import { isCommitPrefix, isObjectId } from './commit-id.ts';
import { isSafeName, unsafeEntries } from './entry-names.ts';
import { entryName, type FoundPath, parseFound } from './found-path.ts';
import { pathText } from './path-text.ts';
import { records } from './records.ts';
import { type TreeLimits, treeLimits, withinTreeLimits } from './tree-limits.ts';

/** One entry of a tree. Modes: `100644` and `100755` file, `120000` symlink, `160000` submodule, `040000` folder. */
export interface TreeRecord {
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly oid: string;
  /** Size of a blob; 0 for other types. */
  readonly bytes: number;
  /** Path from the root of the repository. Bytes that are not UTF-8 are written as in `pathText`. */
  readonly path: string;
}

/** A file of a commit. `unsafe` is true if its name, or that of a parent folder, is one that no valid tree has. */
export interface ListedFile extends TreeRecord {
  readonly unsafe: boolean;
}

export interface ListOptions {
  readonly limits?: TreeLimits;
  /** False to skip sizes: `bytes` is then 0, and Git reads no file, which is many times faster. Default: true. */
  readonly sizes?: boolean;
}

/**
 * Lists every file, symlink and submodule of a commit, in byte order. Git is stopped as soon as a limit is exceeded.
 * @throws GitError `damaged`, InvalidInput `too_many_files`
 */
export async function* listTree(
  gitDir: string,
  commit: string,
  signal?: AbortSignal,
  { limits = treeLimits, sizes = true }: ListOptions = {},
): AsyncGenerator<ListedFile, void> {
  // Folders are listed as well: empty ones count, and a name that contains a slash can be distinguished from two
  // names.
  const long = sizes ? ['--long'] : [];
  const args = [...boundedPacks, 'ls-tree', '-r', '-t', '-z', ...long, '--full-tree', checkedOid(commit)];
  const [count, isUnsafe] = [withinTreeLimits(limits), unsafeEntries()];
  for await (const record of records(spawnGit(gitDir, args, signal))) {
    count(record.subarray(record.indexOf(9) + 1));
    const entry = treeRecord(record);
    const unsafe = isUnsafe(entry.type, entry.path);
    if (entry.type !== 'tree') yield { ...entry, unsafe };
  }
}

/**
 * Lists the direct entries of a folder (empty: the root) in Git's order, without forged names; `undefined` if the
 * commit has no such folder. @throws InvalidInput `too_many_files`
 */
export async function listFolder(
  gitDir: string,
  commit: string,
  folder: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<readonly TreeRecord[] | undefined> {
  const path = folder.replace(/\/$/, '');
  const tree = await findPath(gitDir, commit, path, signal);
  if (tree?.type !== 'tree') return undefined;
  const entries = new Map<string, TreeRecord>();
  const listing = spawnGit(gitDir, ['ls-tree', '-z', '--long', '--full-tree', tree.oid], signal);
  const [count, prefix] = [withinTreeLimits(treeLimits), path === '' ? '' : `${path}/`];
  for await (const record of records(listing)) {
    const entry = treeRecord(record);
    count(record.subarray(record.indexOf(9) + 1));
    if (isSafeName(entry.path) && !entries.has(entry.path)) {
      entries.set(entry.path, { ...entry, path: prefix + entry.path });
    }
  }
  return [...entries.values()];
}

/**
 * Finds the entry at a path of a commit; `undefined` if there is none, for a submodule, or if the commit is missing.
 */
export async function findPath(
  gitDir: string,
  commit: string,
  path: string,
  signal?: AbortSignal,
): Promise<FoundPath | undefined> {
  const name = entryName(commit, path);
  if (name === undefined) return undefined;
  // Passed on standard input, so that a path can be any bytes and is never an argument.
  const input = Buffer.concat([name, Buffer.of(0)]);
  const output = await gitOutput(gitDir, ['cat-file', '--batch-check', '-z'], { input, signal });
  return parseFound(output.toString('latin1').replace(/\n$/, ''));
}

/**
 * Resolves `HEAD` or an id (complete, or 7 digits or more) to a commit of this mirror; `undefined` if there is none.
 */
export async function resolveCommit(gitDir: string, ref: string): Promise<string | undefined> {
  if (ref !== 'HEAD' && !isCommitPrefix(ref)) return undefined;
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const output = await gitOutput(gitDir, args, { input: `${ref}^{commit}\n` });
  return /^([\da-f]{40,64}) commit\n$/.exec(output.toString('latin1'))?.[1];
}

/**
 * Parses `<mode> <type> <oid> <size>\t<path>`. The size is right-aligned, `-` for anything but blobs, and absent
 * unless requested.
 */
function treeRecord(record: Buffer): TreeRecord {
  const tab = record.indexOf(9);
  const [mode = '', type = '', oid = '', size = '-'] = record.toString('latin1', 0, tab).split(/ +/);
  if (type !== 'blob' && type !== 'tree' && type !== 'commit') throw unreadable();
  const bytes = size === '-' ? 0 : Number(size);
  if (!Number.isInteger(bytes)) throw unreadable();
  return { mode, type, oid, bytes, path: pathText(record.subarray(tab + 1)) };
}

function unreadable(): GitError {
  return new GitError(
    'damaged',
    'The copy of the repository contains an unreadable entry. Sync the repository.',
  );
}

function checkedOid(text: string): string {
  if (isObjectId(text)) return text;
  throw new InvalidInput('A commit must be given by its full id: 40 or 64 hexadecimal digits.');
}
