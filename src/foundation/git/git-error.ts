import { ExternalServiceError } from '../kernel/errors.ts';
import { visibleText } from '../kernel/visible-text.ts';
import { redactText } from '../telemetry/redaction.ts';
import { legibleTail } from './legible-tail.ts';

export type GitReason =
  /** No such repository, or it needs credentials: hosts do not tell the two apart. */
  | 'not_found'
  | 'branch_not_found'
  /** No commit yet. */
  | 'empty'
  | 'too_large'
  /** No data for too long, or the whole took too long. */
  | 'timed_out'
  | 'unreachable'
  /** The certificate, or the host key, does not verify. */
  | 'untrusted'
  | 'redirected'
  /** Objects of the source or of the mirror are missing or broken. */
  | 'damaged'
  /** Our own copy of a repository that is written to; made anew at the next try. */
  | 'torn'
  /** The credentials are refused. */
  | 'authentication'
  /** The credentials are good but may not write here. */
  | 'push_forbidden'
  /** A rule of the host keeps this branch from being pushed to. */
  | 'protected_branch'
  /** A hook of the repository said no. */
  | 'push_declined'
  | 'archived'
  /** Git is not installed, or too old. */
  | 'git_missing'
  | 'disk_full'
  | 'failed';

/** What a Git process could not do. `code` is `git_<reason>`. */
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

const retryable: ReadonlySet<GitReason> = new Set([
  'timed_out',
  'unreachable',
  'disk_full',
  'torn',
  'failed',
]);

/** Standard error as the log may hold it: without credentials of any URL, without what moves a terminal, and not without end. */
export function redactedOutput(stderr: string): string {
  return visibleText(redactText(legibleTail(stderr)).slice(-2_000)).trim();
}

export const diskFullWords = 'The disk of the data folder is full. Make room; the work goes on by itself.';
