import { askpassFailure } from '../remote/askpass.ts';
import type { GitCredentials } from '../remote/git-credentials.ts';
import type { GitSource } from '../source/git-source.ts';
import { diskFullMessage, GitError, type GitReason, redactedOutput } from './git-error.ts';

type Patterns = readonly (readonly [RegExp, GitReason])[];

/**
 * Messages about this machine or the connection, which only local programs may report: a job waits for as long as the
 * disk is full, and operators change settings for the others.
 */
const localPatterns: Patterns = [
  [/No space left on device|Disk quota exceeded/i, 'disk_full'],
  // GIT_ALLOC_LIMIT (environment.ts).
  [/attempting to allocate \d{1,30} over limit/i, 'too_large'],
  [/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i, 'untrusted'],
  [
    /SSL:? (certificate|connection|peer|no alternative)|certificate subject name|certificate verif|SSL_connect|gnutls_handshake|TLS (connect|handshake)/i,
    'untrusted',
  ],
];

/**
 * Messages of Git (with LC_ALL=C), curl and ssh; the first match counts. They are applied to lines that a host wrote,
 * so every repetition is bounded.
 */
const patterns: Patterns = [
  [/unable to update url base from redirection|returned error: 30\d/i, 'redirected'],
  [
    /terminal prompts disabled|could not read (Username|Password)|Authentication failed|returned error: 40[134]|repository [^\n]{0,300}not found|Permission denied \(|does not appear to be a git repository|dubious ownership|Project not found/i,
    'not_found',
  ],
  [/couldn't find remote ref/i, 'branch_not_found'],
  [
    /Could not resolve host|Failed to connect|Couldn't connect|Connection (refused|reset|timed out|closed)/i,
    'unreachable',
  ],
  [
    /Network is unreachable|No route to host|Operation (timed out|too slow)|returned error: (408|429|5\d\d)/i,
    'unreachable',
  ],
  [
    /corrupt|did not send all necessary objects|bad (object|pack|tree)|(loose|packed) object|inflate|missing (blob|tree|commit)|could not read [\da-f]{40}|unresolved deltas|invalid index-pack|unpack-objects|pack has/i,
    'damaged',
  ],
  [
    /early EOF|RPC failed|unexpected disconnect|hung up|Empty reply|transfer closed|Could not read from remote/i,
    'unreachable',
  ],
];

/**
 * Converts standard error of Git (from `tryRemote`) into a GitError. The output itself is only logged, without
 * userinfo.
 */
export function classifyGitFailure(source: GitSource, text: string, credentials?: GitCredentials): GitError {
  const askpassError = askpassFailure(text);
  if (askpassError !== undefined) return askpassError;
  const reason =
    credentials !== undefined && refusedCredentials.test(text)
      ? 'authentication'
      : (reasonIn(withoutRemoteLines(text), localPatterns) ?? reasonIn(text, patterns) ?? 'failed');
  const object = reason === 'damaged' ? unreadableObject.exec(text)?.[1] : undefined;
  return new GitError(reason, messageFor(reason, source, text, object), {
    detail: { stderr: redactedOutput(text), ...(object !== undefined && { object }) },
  });
}

/** The id of an object that the source cannot read. */
const unreadableObject =
  /(?:unable to read(?: tree)?|loose object|packed object|[Cc]ould not (?:fetch|read)|bad tree object|missing blob object '?) ?\(?([\da-f]{40}(?:[\da-f]{24})?)\b/;

function reasonIn(text: string, known: Patterns): GitReason | undefined {
  return known.find(([pattern]) => pattern.test(text))?.[1];
}

/** Removes the lines that Git marks as those of the host. Over ssh a host can also write unmarked ones. */
function withoutRemoteLines(stderr: string): string {
  return stderr.replaceAll(/^remote:[^\n]*|^fatal: remote error:[^]*/gm, '');
}

/**
 * Messages of refused credentials, used only if credentials were given: without any, hosts report a missing
 * repository in the same way.
 */
const refusedCredentials = /Authentication failed|returned error: 401|HTTP 401/i;

function messageFor(reason: GitReason, source: GitSource, stderr: string, object?: string): string {
  const host = source.remote?.host ?? 'The folder';
  const messages: Partial<Record<GitReason, string>> = {
    disk_full: diskFullMessage,
    too_large: `${host} sent more data at once than is accepted: a list of branches or an index of objects is too large.`,
    redirected: `${host} redirects to another address. Add the repository with its current address.`,
    untrusted:
      source.kind === 'ssh'
        ? `The host key of ${host} has changed. If the change is legitimate, remove its line from DATA_DIR/ssh/known_hosts.`
        : `The certificate of ${host} cannot be verified. If it uses a private certificate authority, set NODE_EXTRA_CA_CERTS to its PEM file.`,
    not_found: notFoundMessage(source, stderr),
    authentication: `${host} refused the credentials of this connection: they expired or were revoked. Give it new ones.`,
    branch_not_found:
      'The repository has no such branch. Name an existing branch, or none for the default branch.',
    unreachable: `${host} could not be reached, or the transfer was interrupted. It will be retried automatically.`,
    damaged: `${host} sent a repository with broken or missing objects${object ? ` (${object})` : ''}. Run "git fsck" there and repair it.`,
  };
  return (
    messages[reason] ??
    `Git failed on ${source.kind === 'folder' ? 'the folder' : host}. See the log for its output.`
  );
}

function notFoundMessage(source: GitSource, stderr: string): string {
  switch (source.kind) {
    case 'https':
      return 'The repository does not exist, or it requires credentials. Check the URL. A private repository needs a connection to its Git host, or its SSH address (git@host:owner/name.git) and a deploy key.';
    case 'ssh':
      return 'The repository does not exist, or this service has no access. Check the address. Give the ssh key of the organization, or DATA_DIR/ssh/id_ed25519, read access to it.';
    case 'folder':
      return /dubious ownership/.test(stderr)
        ? 'The folder belongs to another account. Change its owner to the account of this service.'
        : 'The folder is not a Git repository. Check the path, or run "git init" and commit there.';
  }
}
