import { ExternalServiceError } from '../../kernel/errors.ts';
import { visibleText } from '../../kernel/text/visible-text.ts';
import { redactText } from '../../telemetry/redaction.ts';
import { legibleTail } from './legible-tail.ts';

export type GitReason =
  /** The repository does not exist or requires credentials: hosts do not distinguish the two. */
  | 'not_found'
  | 'branch_not_found'
  /** The repository has no commit. */
  | 'empty'
  | 'too_large'
  /** No data arrived for too long, or the total time was exceeded. */
  | 'timed_out'
  | 'unreachable'
  /** The certificate or the host key cannot be verified. */
  | 'untrusted'
  | 'redirected'
  /** Objects of the source or of the mirror are missing or broken. */
  | 'damaged'
  /** The local copy of a context repository is damaged. The next attempt creates it again. */
  | 'torn'
  /** The host refused the credentials. */
  | 'authentication'
  /** The credentials are valid but do not permit writing. */
  | 'push_forbidden'
  /** A rule of the host forbids a push to this branch. */
  | 'protected_branch'
  /** A hook of the repository refused the push. */
  | 'push_declined'
  | 'archived'
  /** Git is not installed or too old. */
  | 'git_missing'
  | 'disk_full'
  | 'failed';

/** An error of a Git process. `code` is `git_<reason>`. */
export class GitError extends ExternalServiceError {
  readonly reason: GitReason;

  constructor(
    reason: GitReason,
    message: string,
    options: { cause?: unknown; detail?: Readonly<Record<string, unknown>> } = {},
  ) {
    super('git', message, { ...options, code: `git_${reason}`, retryable: retryable.has(reason) });
    this.reason = reason;
  }
}

/** Returns whether a host refused what newer credentials may be allowed. */
export function isRefusedAccess(error: unknown): error is GitError {
  if (!(error instanceof GitError)) return false;
  return ['authentication', 'not_found', 'push_forbidden'].includes(error.reason);
}

const retryable: ReadonlySet<GitReason> = new Set([
  'timed_out',
  'unreachable',
  'disk_full',
  'torn',
  'failed',
]);

/**
 * Returns the end of standard error for the log: without credentials in URLs, without terminal control characters,
 * and of limited length.
 */
export function redactedOutput(stderr: string): string {
  return visibleText(redactText(legibleTail(stderr)).slice(-2_000)).trim();
}

export const diskFullMessage =
  'The disk of the data folder is full. Free some space; the operation will be retried automatically.';
