import type { BlobReader } from './blob-reader.ts';
import { isSafeName } from './entry-names.ts';
import { GitError } from './git-error.ts';
import { pathText } from './path-text.ts';
import { type TreeLimits, treeLimits, withinTreeLimits } from './tree-limits.ts';

/** What one comparison may hold. */
interface ComparisonLimits extends TreeLimits {
  /** Of one folder: some 250,000 names. Together with `foldersAtOnce` it bounds the memory that a bomb gets. */
  readonly folderBytes: number;
}

const comparisonLimits: ComparisonLimits = { ...treeLimits, folderBytes: 16 * 1024 ** 2 };
/** Asked for in one turn. */
const foldersAtOnce = 16;

/** One path that differs between two commits; a rename is a `D` and an `A`. */
export interface TreeChange {
  /** Added, modified, deleted, type changed. */
  readonly status: 'A' | 'M' | 'D' | 'T';
  /** `000000` and an oid of zeros where the side has nothing. */
  readonly oldMode: string;
  readonly mode: string;
  readonly oldOid: string;
  readonly oid: string;
  readonly path: string;
}

interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
  readonly name: Buffer;
}

/** A folder that differs; a side that has no such folder is `undefined`. */
interface Difference {
  readonly path: Buffer;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/**
 * The files that differ between two commits, in no order. Only folders that differ are looked at, through the process
 * that will read the files, and no more entries than a commit may have: Git's own comparison holds all of a bomb
 * before it prints the first difference.
 * @returns `missing` when one of the commits is not in this mirror; `forged` when a folder that differs has a name that
 * no honest tree has: then only a listing tells what is to be left out; `too_wide` when a folder that differs holds more
 * than is compared here: a listing takes it, if the commit is within its limits
 * @throws InvalidInput `too_many_files` where one of the commits is past a limit
 */
export async function changedFiles(
  reader: Pick<BlobReader, 'readTree'>,
  from: string,
  to: string,
  limits: Partial<ComparisonLimits> = {},
): Promise<readonly TreeChange[] | 'missing' | 'forged' | 'too_wide'> {
  const { folderBytes, ...most } = { ...comparisonLimits, ...limits };
  // Apart: a folder that is renamed is twice its files, and still no more than a commit may have.
  const [countPresent, countGone] = [withinTreeLimits(most), withinTreeLimits(most)];
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
        throw new GitError('damaged', 'The copy of the repository lacks a folder.');
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

/** `undefined` for one that is not there; empty for a side without the folder. */
async function readTree(
  reader: Pick<BlobReader, 'readTree'>,
  oid: string | undefined,
  maxBytes: number,
): Promise<Buffer | 'too_large' | undefined> {
  if (oid === undefined) return Buffer.alloc(0);
  const bytes = await reader.readTree(oid, maxBytes);
  return bytes === 'missing' ? undefined : bytes;
}

/** `<mode> <name>\0<id>`, one after another. */
function parseTree(bytes: Buffer, id: string | undefined): ReadonlyMap<string, TreeEntry> {
  const oidBytes = (id?.length ?? 0) / 2;
  const entries = new Map<string, TreeEntry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space + 1);
    const next = end + 1 + oidBytes;
    if (space < at || end < space || next > bytes.length) {
      throw new GitError('damaged', 'The copy of the repository has a folder that cannot be read.');
    }
    const name = bytes.subarray(space + 1, end);
    const text = name.toString('latin1');
    const mode = bytes.toString('latin1', at, space).padStart(6, '0');
    // The doubled name stands under one that no name can be.
    entries.set(entries.has(text) ? '' : text, { mode, oid: bytes.toString('hex', end + 1, next), name });
    at = next;
  }
  return entries;
}

function isForged(entries: ReadonlyMap<string, TreeEntry>): boolean {
  return [...entries.keys()].some((name) => !isSafeName(name));
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
