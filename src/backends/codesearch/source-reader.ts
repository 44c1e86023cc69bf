import type { RepositoryId } from '../../foundation/kernel/ids.ts';
import type { DataScope } from '../../foundation/kernel/org-scope.ts';

/** The port that reads files, folders and past commits, part of the code search ports. */

export interface LineSpan {
  readonly startLine: number;
  readonly endLine: number;
}

export interface ReadFileRequest {
  readonly repository: RepositoryId;
  /** Default: the indexed commit. */
  readonly commit?: string;
  readonly path: string;
}

export interface SourceFile {
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly bytes: number;
  /**
   * The content decoded as UTF-8 without a byte order mark, with invalid sequences replaced; `undefined` for a binary
   * file or one larger than `maxSourceBytes`.
   */
  readonly content: string | undefined;
}

export interface TreeEntry {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'symlink' | 'submodule';
  /** Size of a file or symlink; 0 for other kinds. */
  readonly bytes: number;
}

export interface SourceTree {
  readonly commit: string;
  readonly entries: readonly TreeEntry[];
}

/** Maximum size of a file whose content `SourceReader` returns, in bytes. */
export const maxSourceBytes = 1024 * 1024;

export interface CommitRequest {
  readonly repository: RepositoryId;
  /** An id in lower case, complete or shortened to 7 digits or more. */
  readonly commit: string;
}

/** A commit with what it changed. Merges contain what they changed in their first parent. */
export interface SourceCommit {
  readonly id: string;
  /** Time according to the committer, in seconds since 1970. */
  readonly time: number;
  /** As written in the commit, without `.mailmap`. */
  readonly author: SourcePerson;
  readonly committer: SourcePerson;
  /** Subject and body; the end of one of more than 256 KiB is left out. */
  readonly message: string;
  /** Paths that it changed, at most 1,000. */
  readonly paths: readonly string[];
  /** Number of paths that it changed. */
  readonly changed: number;
}

interface SourcePerson {
  readonly name: string;
  readonly email: string;
}

/**
 * Maximum number of commits that a history skips and returns, of the files of each, and of commits that a search for
 * words returns.
 */
export const historyLimits = { skip: 10_000, commits: 201, files: 20, said: 400 } as const;

export interface HistoryRequest {
  readonly repository: RepositoryId;
  /** Default: the indexed commit. */
  readonly commit?: string;
  /** Only commits that changed this file or folder. Merges are then left out. */
  readonly path?: string;
  /** Only commits that made these lines of `path` what they are; 1-based, inclusive. */
  readonly lines?: LineSpan;
  /** Texts that subject or body must all contain, in any case. */
  readonly words?: readonly string[];
  /**
   * Beginnings of words, at most 40, in any case; a long one also inside of a name such as `keepAlive`. Finds the
   * commits whose messages have most of them, a word of few commits counting more, in that order. Of the other fields
   * only `repository`, `commit` and `max` count.
   */
  readonly said?: readonly string[];
  /** Only commits that changed how often files have this text, of which they show added or removed lines. */
  readonly text?: string;
  /** Text that the name or the email of the author must contain, in any case. */
  readonly author?: string;
  /** Times according to the committer, in seconds since 1970, inclusive. */
  readonly since?: number;
  readonly until?: number;
  readonly skip: number;
  readonly max: number;
  /** Read the files of each commit, and follow a file through renames. */
  readonly files: boolean;
}

export interface SourceHistory {
  /** The commit whose history it is. */
  readonly commit: string;
  /** Newest first, unless words order them. */
  readonly commits: readonly SourceHistoryCommit[];
  /** True if more commits follow. */
  readonly more: boolean;
  /** False if the time was up before it was complete. */
  readonly whole: boolean;
  /** Set on the first page if no file or folder has the path now: the commit that removed or renamed it. */
  readonly gone?: { readonly commit: string; readonly renamedTo?: string };
  /** Set if no commit follows and the mirror lacks older ones, which its source did not have, either. */
  readonly lacksOlder?: true;
}

/** A commit as its author wrote it. */
export interface SourceHistoryCommit {
  readonly id: string;
  /** Time according to the committer, in seconds since 1970. */
  readonly time: number;
  readonly author: SourcePerson;
  /** Subject and body; the end of a long one is left out. */
  readonly message: string;
  /** Paths that it changed, at most 20, or 40 of a search for words, and how many; none unless they were asked for. */
  readonly paths: readonly string[];
  readonly changed: number;
  /** The path of a file that is followed, after this commit, and the former one if this commit renamed it. */
  readonly followed?: string;
  readonly renamedFrom?: string;
}

/** Maximum number of files of a `SourceDiff`, of bytes of one of its pages, and offset of a page. */
export const diffLimits = { files: 300, bytes: 64 * 1024, offset: 64 * 1024 ** 2 } as const;

export interface DiffRequest {
  readonly repository: RepositoryId;
  /** An id in lower case, complete or shortened. */
  readonly commit: string;
  /** Only this file, by its new or its former path, or the files of this folder. */
  readonly path?: string;
  /** Only hunks that touch these lines of the new version; 1-based, inclusive. */
  readonly lines?: LineSpan;
  /** `next` of the page before; 0 for the first one. */
  readonly offset: number;
  readonly maxBytes: number;
}

/** A page of what a commit changed in its first parent. */
export interface SourceDiff {
  readonly commit: string;
  readonly parents: readonly string[];
  /** The files that it changed, at most 300; only on the first page, and if a path was given. */
  readonly files: readonly SourceDiffFile[];
  /** The lines `diff --git` and `@@` of the page before that the first line of `text` is below. */
  readonly continues: readonly string[];
  /** Unified, whole lines; a line of more than 1,950 bytes is shortened. */
  readonly text: string;
  /** Offset of the next page. */
  readonly next?: number;
  /** True if the rest is not shown because of the time or the size. */
  readonly cut: boolean;
}

export interface SourceDiffFile {
  readonly path: string;
  readonly renamedFrom?: string;
  readonly status: 'added' | 'changed' | 'removed' | 'renamed';
  /** Numbers of lines; absent for a binary file, and if there was no time to count them. */
  readonly added?: number;
  readonly removed?: number;
  readonly binary?: true;
}

/**
 * Reads one commit of a repository from its mirror. Returns `undefined` if the repository, commit or path does not
 * exist. A commit that no followed branch reaches, such as one that a force push left behind, does not exist.
 */
export interface SourceReader {
  readFile(scope: DataScope, request: ReadFileRequest, signal: AbortSignal): Promise<SourceFile | undefined>;
  /** Returns the entries directly under `path` (empty: the root), directories first, then by name. */
  listTree(scope: DataScope, request: ReadFileRequest, signal: AbortSignal): Promise<SourceTree | undefined>;
  /**
   * Returns the commits with an id that a followed branch reaches, on whichever line: one, more if the id is shortened
   * and ambiguous, or none.
   */
  findCommits(
    scope: DataScope,
    request: CommitRequest,
    signal: AbortSignal,
  ): Promise<readonly SourceCommit[]>;
  /**
   * Lists commits. It ends after five seconds, or two for words and for a path without files, with what was read until
   * then. Lines that do not exist have no history.
   */
  readHistory(
    scope: DataScope,
    request: HistoryRequest,
    signal: AbortSignal,
  ): Promise<SourceHistory | undefined>;
  /** Reads a page of what a commit changed. It ends after five seconds with what was read until then. */
  readDiff(scope: DataScope, request: DiffRequest, signal: AbortSignal): Promise<SourceDiff | undefined>;
  close(): Promise<void>;
}
