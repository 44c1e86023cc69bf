import { InvalidInput } from '../kernel/errors.ts';
import { isCommitPrefix, isObjectId } from './commit-id.ts';
import { isSafeName, unsafeEntries } from './entry-names.ts';
import { GitError } from './git-error.ts';
import { pathBytes, pathText } from './path-text.ts';
import { records } from './records.ts';
import { boundedPacks, gitOutput, spawnGit } from './spawn-git.ts';
import { type TreeLimits, treeLimits, withinTreeLimits } from './tree-limits.ts';

/** One entry of a tree. Modes: `100644` and `100755` file, `120000` symlink, `160000` submodule, `040000` folder. */
export interface TreeRecord {
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly oid: string;
  /** Of a blob; 0 otherwise. */
  readonly bytes: number;
  /** From the root of the repository; bytes that are no UTF-8 as `pathText` writes them. */
  readonly path: string;
}

/** A file of a commit; `unsafe` where its name, or that of a folder above it, is one that no honest tree has. */
export interface ListedFile extends TreeRecord {
  readonly unsafe: boolean;
}

export interface ListOptions {
  readonly limits?: TreeLimits;
  /** Without them `bytes` is 0, and Git looks at no file: many times as fast. */
  readonly sizes?: boolean;
}

/**
 * Every file, symlink and submodule of a commit, in the order of their bytes. Git is ended as soon as a limit is passed.
 * @throws GitError `damaged`, InvalidInput `too_many_files`
 */
export async function* listTree(
  gitDir: string,
  commit: string,
  signal?: AbortSignal,
  { limits = treeLimits, sizes = true }: ListOptions = {},
): AsyncGenerator<ListedFile, void> {
  // With the folders: empty ones count as well, and a name that holds a slash is told from two names.
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
 * The entries directly under a folder (empty: the root) in Git's order, without forged names; `undefined` when the
 * commit has no such folder. @throws InvalidInput `too_many_files`
 */
export async function listFolder(
  gitDir: string,
  commit: string,
  folder: string,
  { signal, sizes = true }: Pick<ListOptions, 'sizes'> & { readonly signal?: AbortSignal } = {},
): Promise<readonly TreeRecord[] | undefined> {
  const path = folder.replace(/\/$/, '');
  const tree = await findPath(gitDir, commit, path, signal);
  if (tree?.type !== 'tree') return undefined;
  const entries = new Map<string, TreeRecord>();
  const listing = spawnGit(
    gitDir,
    ['ls-tree', '-z', ...(sizes ? ['--long'] : []), '--full-tree', tree.oid],
    signal,
  );
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

export interface FoundPath {
  readonly type: 'blob' | 'tree';
  readonly oid: string;
  readonly bytes: number;
}

/** What lies at a path of a commit; `undefined` for nothing, a submodule, or a commit that is not there. */
export async function findPath(
  gitDir: string,
  commit: string,
  path: string,
  signal?: AbortSignal,
): Promise<FoundPath | undefined> {
  if (!isObjectId(commit) || !isInside(path)) return undefined;
  // Over standard input, so that a path is bytes and never an argument.
  const input = Buffer.concat([Buffer.from(`${commit}:`), pathBytes(path), Buffer.of(0)]);
  const output = await gitOutput(gitDir, ['cat-file', '--batch-check', '-z'], { input, signal });
  const [, oid, type, bytes] = /^([\da-f]+) (blob|tree) (\d+)\n$/.exec(output.toString('latin1')) ?? [];
  if (oid === undefined) return undefined;
  return { type: type === 'tree' ? 'tree' : 'blob', oid, bytes: Number(bytes) };
}

/** The file at a path of a commit, or where a symlink points to; `too_large` above `maxBytes`, `undefined` for no file. */
export async function readPath(
  gitDir: string,
  commit: string,
  path: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Buffer | 'too_large' | undefined> {
  const found = await findPath(gitDir, commit, path, signal);
  if (found?.type !== 'blob') return undefined;
  if (found.bytes > maxBytes) return 'too_large';
  return gitOutput(gitDir, ['cat-file', 'blob', found.oid], { signal });
}

/** The commit that `HEAD` or a whole or shortened id (7 digits or more) names in this mirror; `undefined` for none. */
export async function resolveCommit(gitDir: string, ref: string): Promise<string | undefined> {
  if (ref !== 'HEAD' && !isCommitPrefix(ref)) return undefined;
  const args = ['cat-file', '--batch-check=%(objectname) %(objecttype)'];
  const output = await gitOutput(gitDir, args, { input: `${ref}^{commit}\n` });
  return /^([\da-f]{40,64}) commit\n$/.exec(output.toString('latin1'))?.[1];
}

/** `<mode> <type> <oid> <size>\t<path>`, the size right-aligned, `-` but for blobs, and absent unless asked for. */
function treeRecord(record: Buffer): TreeRecord {
  const tab = record.indexOf(9);
  const [mode = '', type = '', oid = '', size = '-'] = record.toString('latin1', 0, tab).split(/ +/);
  if (type !== 'blob' && type !== 'tree' && type !== 'commit') throw unreadable();
  const bytes = size === '-' ? 0 : Number(size);
  if (!Number.isInteger(bytes)) throw unreadable();
  return { mode, type, oid, bytes, path: pathText(record.subarray(tab + 1)) };
}

function unreadable(): GitError {
  return new GitError('damaged', 'The copy of the repository lists something that cannot be read.');
}

function checkedOid(text: string): string {
  if (isObjectId(text)) return text;
  throw new InvalidInput('A commit is named by its whole id: 40 or 64 hexadecimal digits.');
}

/** Git's own paths have no empty, `.`, `..` or `.git` segment; anything else names nothing. */
function isInside(path: string): boolean {
  return path === '' || path.split('/').every(isSafeName);
}
