import { GitError } from '../process/git-error.ts';
import type { BlobReader } from './blob-reader.ts';
import { isSafeName } from './entry-names.ts';
import { pathText } from './path-text.ts';
import { parseTree, type TreeEntry } from './tree-entries.ts';
import { type TreeLimits, treeLimits, withinTreeLimits } from './tree-limits.ts';

/** The limits of one comparison. */
interface ComparisonLimits extends TreeLimits {
  /**
   * Maximum size of one tree object, enough for about 250,000 names. Together with `foldersAtOnce` it limits the
   * memory that a bomb can use.
   */
  readonly folderBytes: number;
}

const comparisonLimits: ComparisonLimits = { ...treeLimits, folderBytes: 16 * 1024 ** 2 };
/** Number of folders that are requested together. */
const foldersAtOnce = 16;

/** One path that differs between two commits; a rename is a `D` and an `A`. */
export interface TreeChange {
  /** `A` added, `M` modified, `D` deleted, `T` type changed. */
  readonly status: 'A' | 'M' | 'D' | 'T';
  /** Mode before the change. A side without the file has mode `000000` and an oid of zeros. */
  readonly oldMode: string;
  readonly mode: string;
  readonly oldOid: string;
  readonly oid: string;
  readonly path: string;
}

/** A folder that differs. A side without the folder is `undefined`. */
interface Difference {
  readonly path: Buffer;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * Returns the files that differ between two commits, in no particular order. Reads only folders that differ, through
 * the process that will also read the files, and no more entries than a commit may have. Git's own comparison is not
 * used because it holds all of a bomb in memory before it prints the first difference.
 * @returns `missing` if one of the commits is not in this mirror; `forged` if a folder that differs contains a name
 * that no valid tree has, so that only a listing shows what to skip; `too_wide` if a folder that differs exceeds the
 * limit of this comparison: a listing can read it if the commit is within its limits
 * @throws InvalidInput `too_many_files` if one of the commits exceeds a limit
 */
export async function changedFiles(
  reader: Pick<BlobReader, 'readTree'>,
  from: string,
  to: string,
  limits: Partial<ComparisonLimits> = {},
): Promise<readonly TreeChange[] | 'missing' | 'forged' | 'too_wide'> {
  const { folderBytes, ...max } = { ...comparisonLimits, ...limits };
  // Counted separately: a renamed folder contributes its files twice, yet each commit is within the limit.
  const [countPresent, countGone] = [withinTreeLimits(max), withinTreeLimits(max)];
  const changes: TreeChange[] = [];
  const open: Difference[] = [{ path: Buffer.alloc(0), from, to }];
  while (open.length > 0) {
    const batch = open.splice(0, foldersAtOnce);
    const trees = await Promise.all(
      batch.flatMap(({ from: before, to: after }) => [
        readTree(reader, before, folderBytes),
        readTree(reader, after, folderBytes),
      ]),
    );
    for (const [index, { path, ...ids }] of batch.entries()) {
      const [before, after] = [trees[2 * index], trees[2 * index + 1]];
      if (before === 'too_large' || after === 'too_large') return 'too_wide';
      if (before === undefined || after === undefined) {
        if (path.length === 0) return 'missing';
        throw new GitError('damaged', 'The copy of the repository lacks a folder. Sync the repository.');
      }
      const entries = parseTree(after, ids.to);
      if (isForged(entries)) return 'forged';
      for (const change of compareEntries(path, parseTree(before, ids.from), entries)) {
        (isGone(change) ? countGone : countPresent)(change.path);
        if ('status' in change) changes.push({ ...change, path: pathText(change.path) });
        else open.push(change);
      }
    }
  }
  return changes;
}

/** Reads a tree. Returns `undefined` if it is missing, and an empty buffer for a side without the folder. */
async function readTree(
  reader: Pick<BlobReader, 'readTree'>,
  oid: string | undefined,
  maxBytes: number,
): Promise<Buffer | 'too_large' | undefined> {
  if (oid === undefined) return Buffer.alloc(0);
  const bytes = await reader.readTree(oid, maxBytes);
  return bytes === 'missing' ? undefined : bytes;
}

function isForged(entries: ReadonlyMap<string, TreeEntry>): boolean {
  return [...entries.keys()].some((name) => !isSafeName(name, name.length));
}

type EntryChange = Omit<TreeChange, 'path'> & { readonly path: Buffer };

function isGone(change: EntryChange | Difference): boolean {
  return 'status' in change ? change.status === 'D' : change.to === undefined;
}

function* compareEntries(
  folder: Buffer,
  before: ReadonlyMap<string, TreeEntry>,
  after: ReadonlyMap<string, TreeEntry>,
): Generator<EntryChange | Difference> {
  for (const [name, entry] of after) {
    const former = before.get(name);
    if (former?.oid !== entry.oid || former.mode !== entry.mode) yield* compareEntry(folder, former, entry);
  }
  for (const [name, former] of before) if (!after.has(name)) yield* compareEntry(folder, former, undefined);
}

function* compareEntry(
  folder: Buffer,
  former: TreeEntry | undefined,
  entry: TreeEntry | undefined,
): Generator<EntryChange | Difference> {
  const { name } = entry ?? former ?? { name: folder };
  const path = folder.length === 0 ? name : Buffer.concat([folder, Buffer.from('/'), name]);
  const [from, to] = [folderId(former), folderId(entry)];
  if (from !== to) yield { path, from, to };
  const [old, present] = [fileOf(former), fileOf(entry)];
  if (old === undefined && present === undefined) return;
  yield {
    status: statusOf(old, present),
    oldMode: old?.mode ?? '000000',
    mode: present?.mode ?? '000000',
    oldOid: old?.oid ?? noObject(present),
    oid: present?.oid ?? noObject(old),
    path,
  };
}

const folderMode = '040000';

function folderId(entry: TreeEntry | undefined): string | undefined {
  return entry?.mode === folderMode ? entry.oid : undefined;
}

function fileOf(entry: TreeEntry | undefined): TreeEntry | undefined {
  return entry?.mode === folderMode ? undefined : entry;
}

function statusOf(old: TreeEntry | undefined, present: TreeEntry | undefined): TreeChange['status'] {
  if (old === undefined) return 'A';
  if (present === undefined) return 'D';
  return old.mode.slice(0, 2) === present.mode.slice(0, 2) ? 'M' : 'T';
}

function noObject(other: TreeEntry | undefined): string {
  return '0'.repeat(other?.oid.length ?? 40);
}
