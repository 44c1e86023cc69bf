export interface FileChange {
  /** From the root of the repository, as `writablePathFault` has it. */
  readonly path: string;
  /** `null` deletes the file; one that is not there is no fault. */
  readonly content: Uint8Array | null;
}

export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
}

export interface CommitLimits {
  readonly maxFiles: number;
  /** Of all contents together. */
  readonly maxBytes: number;
}

export interface CommitRequest {
  readonly gitDir: string;
  /** A whole commit id of this repository; `undefined`: the first commit of a branch. */
  readonly parent: string | undefined;
  /** Of two changes of one path the later counts. */
  readonly changes: Iterable<FileChange> | AsyncIterable<FileChange>;
  /** The folders of the root that may be written. */
  readonly roots: readonly string[];
  readonly message: string;
  /** Committer as well. */
  readonly author: CommitAuthor;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** `refs/orgctx/staging/<number>`: the one ref that is moved, whatever it was before. */
  readonly stagingRef: string;
  readonly limits?: CommitLimits;
  readonly signal: AbortSignal;
}

export type WrittenCommit =
  | { readonly changed: true; readonly commit: string }
  /** Nothing differs from the parent: there is no new commit, and no staging ref. */
  | { readonly changed: false; readonly commit: string | undefined };

/**
 * Writes one commit on a parent, or nothing at all.
 * @throws InvalidInput for a path, an author or an amount that is refused; GitError; the signal's reason.
 */
export function writeCommit(_request: CommitRequest): Promise<WrittenCommit> {
  return Promise.reject(new Error('not built yet'));
}
