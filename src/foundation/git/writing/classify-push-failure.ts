import { classifyGitFailure } from '../process/classify-git-failure.ts';
import { GitError, type GitReason, redactedOutput } from '../process/git-error.ts';
import { askpassFailure } from '../remote/askpass.ts';
import type { GitCredentials } from '../remote/git-credentials.ts';
import type { GitSource } from '../source/git-source.ts';
import { tornMessage } from './copy-failure.ts';

export interface PushFailure {
  readonly source: GitSource;
  readonly branch: string;
  /** Standard output and standard error, from `tryRemote`. */
  readonly output: string;
  readonly credentials: GitCredentials | undefined;
}

/**
 * Messages of a push that lost against another one, or whose ref was locked by another push (git-push(1), refs.c,
 * receive-pack.c).
 */
const moved =
  /^\[rejected\]|\((?:fetch first|non-fast-forward|stale info)\)|failed to (?:update|lock) ref|cannot lock ref|incorrect old value|reference already exists/i;

/** Returns `rejected` if the branch has moved, otherwise the error. */
export function classifyPushFailure(failure: PushFailure): 'rejected' | GitError {
  const decision = rejectionIn(failure);
  if (decision !== undefined && moved.test(decision)) return 'rejected';
  const { source, branch, output, credentials } = failure;
  const askpassError = askpassFailure(output);
  if (askpassError !== undefined) return askpassError;
  // An address or a branch may itself contain `archived`.
  const withoutNames = output.replaceAll(source.url, '').replaceAll(`refs/heads/${branch}`, '');
  const reason = patterns.find(([pattern]) => pattern.test(withoutNames))?.[1];
  if (reason === undefined && decision === undefined) return classifyGitFailure(source, output, credentials);
  const known = reason ?? 'push_declined';
  return new GitError(known, messageFor(known, failure), { detail: { stderr: redactedOutput(output) } });
}

/**
 * Returns the summary of a ref that was not pushed: `!\t<from>:<to>\t<summary> (<reason>)` (git-push(1), OUTPUT with
 * --porcelain).
 */
function rejectionIn({ branch, output }: PushFailure): string | undefined {
  const [, , decision] =
    output
      .split('\n')
      .map((line) => line.split('\t'))
      .find(([flag, refs]) => flag === '!' && refs?.endsWith(`:refs/heads/${branch}`) === true) ?? [];
  return decision;
}

/** Messages of hosts that refuse a push; the first match counts. */
const patterns: readonly (readonly [RegExp, GitReason])[] = [
  [/archived|read-only repository|repository is read.only/i, 'archived'],
  [/protected branch|GH006|protected ref/i, 'protected_branch'],
  [
    /hook declined|rule violations|GH013|deny(?:ing)? |branch is currently checked out|prohibited/i,
    'push_declined',
  ],
  [/unpacker error|unpack failed|internal server error/i, 'unreachable'],
  [
    /Authentication failed|could not read (?:Username|Password)|returned error: 401|HTTP 401/i,
    'authentication',
  ],
  [
    /returned error: 403|HTTP 403|Permission to [^\n]{0,300} denied|marked as read only|not allowed to (?:push|upload)|Write access [^\n]{0,300} not granted|insufficient permission/i,
    'push_forbidden',
  ],
  // Only the local Git prints these.
  [
    /^fatal: (?:unable to read|bad object|missing blob|[^\n]{0,300}not a git repository)|pack-objects died|src refspec/im,
    'torn',
  ],
];

function messageFor(reason: GitReason, { source, branch }: PushFailure): string {
  const host = source.remote?.host ?? 'The folder';
  const messages: Partial<Record<GitReason, string>> = {
    archived:
      'The repository is archived and accepts no commits. Unarchive it, or choose another repository.',
    protected_branch: `The branch ${branch} is protected. Allow this service to push to it at the Git host, or choose another branch.`,
    push_declined: `${host} declined the push to ${branch}: a hook or a rule of the repository forbids it. See the log for its message. Change the rule, or choose another branch.`,
    unreachable: `${host} could not process the push. It will be retried automatically.`,
    authentication: `${host} refused the credentials of this connection: they are missing, expired or revoked. Give it new ones.`,
    push_forbidden: `The credentials of this connection may not write to the repository. Give them write access at ${host}.`,
    torn: tornMessage,
  };
  return messages[reason] ?? `${host} refused the push. See the log for its output.`;
}
