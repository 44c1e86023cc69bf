import { askpassFailure } from '../askpass.ts';
import { classifyGitFailure } from '../classify-git-failure.ts';
import { type GitCredentials, withoutPassword } from '../git-credentials.ts';
import { GitError, type GitReason, redactedOutput } from '../git-error.ts';
import type { GitSource } from '../git-source.ts';
import { tornWords } from './copy-failure.ts';

export interface PushFailure {
  readonly source: GitSource;
  readonly branch: string;
  /** Standard output and standard error. */
  readonly output: string;
  readonly credentials: GitCredentials | undefined;
}

/** Another push came first; also one that held the ref while ours wanted it (git-push(1), refs.c, receive-pack.c). */
const moved =
  /^\[rejected\]|\((?:fetch first|non-fast-forward|stale info)\)|failed to (?:update|lock) ref|cannot lock ref|incorrect old value|reference already exists/i;

/** `rejected` where the branch has moved; otherwise what stands in the way, as an error. */
export function classifyPushFailure(failure: PushFailure): 'rejected' | GitError {
  const verdict = verdictOn(failure);
  if (verdict !== undefined && moved.test(verdict)) return 'rejected';
  const { source, branch, output, credentials } = failure;
  const text = credentials === undefined ? output : withoutPassword(output, credentials);
  const unasked = askpassFailure(text);
  if (unasked !== undefined) return unasked;
  // An address or a branch may be called `archived` itself.
  const withoutNames = text.replaceAll(source.url, '').replaceAll(`refs/heads/${branch}`, '');
  const reason = signs.find(([sign]) => sign.test(withoutNames))?.[1];
  if (reason === undefined && verdict === undefined) return classifyGitFailure(source, output, credentials);
  const known = reason ?? 'push_declined';
  return new GitError(known, wordsFor(known, failure), { detail: { stderr: redactedOutput(text) } });
}

/** git-push(1), OUTPUT with --porcelain: `!\t<from>:<to>\t<verdict> (<reason>)` for a ref that was not pushed. */
function verdictOn({ branch, output }: PushFailure): string | undefined {
  const [, , verdict] =
    output
      .split('\n')
      .map((line) => line.split('\t'))
      .find(([flag, refs]) => flag === '!' && refs?.endsWith(`:refs/heads/${branch}`) === true) ?? [];
  return verdict;
}

/** What hosts print when they refuse, first match first. */
const signs: readonly (readonly [RegExp, GitReason])[] = [
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
  // Only Git on this host says these.
  [
    /^fatal: (?:unable to read|bad object|missing blob|[^\n]{0,300}not a git repository)|pack-objects died|src refspec/im,
    'torn',
  ],
];

function wordsFor(reason: GitReason, { source, branch }: PushFailure): string {
  const host = source.remote?.host ?? 'The folder';
  const words: Partial<Record<GitReason, string>> = {
    archived: 'The repository is archived and takes no commits. Unarchive it, or choose another repository.',
    protected_branch: `The branch ${branch} is protected. Allow this service to push to it at the Git host, or choose another branch.`,
    push_declined: `${host} declined the push to ${branch}: a hook or a rule of the repository forbids it. The log has its words; change the rule, or choose another branch.`,
    unreachable: `${host} could not take the push. It is tried again by itself.`,
    authentication: `${host} refuses the credentials of this connection: they are missing, expired or revoked. Connect it again.`,
    push_forbidden: `The credentials of this connection may not write to the repository. Give them write access at ${host}.`,
    torn: tornWords,
  };
  return words[reason] ?? `${host} did not take the push. The log has what it printed.`;
}
