import { askpassFailure } from './askpass.ts';
import { type GitCredentials, withoutPassword } from './git-credentials.ts';
import { diskFullWords, GitError, type GitReason, redactedOutput } from './git-error.ts';
import type { GitSource } from './git-source.ts';

/** What Git (with LC_ALL=C), curl and ssh print, first match first. They see lines that a host wrote: none repeats without a bound. */
const signs: readonly (readonly [RegExp, GitReason])[] = [
  [/No space left on device|Disk quota exceeded/i, 'disk_full'],
  // GIT_ALLOC_LIMIT (environment.ts).
  [/attempting to allocate \d{1,30} over limit/i, 'too_large'],
  [/unable to update url base from redirection|returned error: 30\d/i, 'redirected'],
  [/Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i, 'untrusted'],
  [
    /SSL:? (certificate|connection|peer|no alternative)|certificate subject name|certificate verif|SSL_connect|gnutls_handshake|TLS (connect|handshake)/i,
    'untrusted',
  ],
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
    /corrupt|did not send all necessary objects|bad (object|pack|tree)|(loose|packed) object|inflate|missing (blob|tree|commit)|unresolved deltas|invalid index-pack|unpack-objects|pack has/i,
    'damaged',
  ],
  [
    /early EOF|RPC failed|unexpected disconnect|hung up|Empty reply|transfer closed|Could not read from remote/i,
    'unreachable',
  ],
];

/** Names what went wrong at a source from standard error, which itself goes to the log without userinfo. */
export function classifyGitFailure(
  source: GitSource,
  stderr: string,
  credentials?: GitCredentials,
): GitError {
  const text = credentials === undefined ? stderr : withoutPassword(stderr, credentials);
  const unasked = askpassFailure(text);
  if (unasked !== undefined) return unasked;
  const reason =
    credentials !== undefined && refusedCredentials.test(text)
      ? 'authentication'
      : (signs.find(([sign]) => sign.test(text))?.[1] ?? 'failed');
  return new GitError(reason, wordsFor(reason, source, text), {
    detail: { stderr: redactedOutput(text) },
  });
}

/** Where credentials were given: without any, hosts say the same of a repository that is not there. */
const refusedCredentials = /Authentication failed|returned error: 401|HTTP 401/i;

function wordsFor(reason: GitReason, source: GitSource, stderr: string): string {
  const host = source.remote?.host ?? 'The folder';
  const words: Partial<Record<GitReason, string>> = {
    disk_full: diskFullWords,
    too_large: `${host} sends more at once than is taken: a list of branches, or an index of objects, without end.`,
    redirected: `${host} redirects to another address. Add the repository under the address it has now.`,
    untrusted:
      source.kind === 'ssh'
        ? `The host key of ${host} is not the one known. If it changed for good, remove its line from DATA_DIR/ssh/known_hosts.`
        : `The certificate of ${host} does not verify. For a private certificate authority set NODE_EXTRA_CA_CERTS to its PEM file.`,
    not_found: notFoundWords(source, stderr),
    authentication: `${host} refuses the credentials of this connection: they expired or were revoked. Connect it again.`,
    branch_not_found: 'The repository has no such branch. Name one it has, or none for the default branch.',
    unreachable: `${host} could not be reached, or the transfer broke off. It is tried again by itself.`,
    damaged: `${host} sent a repository with broken or missing objects. Run "git fsck" there and repair it.`,
  };
  return (
    words[reason] ??
    `Git failed on ${source.kind === 'folder' ? 'the folder' : host}. The log has what it printed.`
  );
}

function notFoundWords(source: GitSource, stderr: string): string {
  switch (source.kind) {
    case 'https':
      return 'The repository does not exist, or it needs credentials. Check the URL; a private repository needs a Git-host connection.';
    case 'ssh':
      return 'The repository does not exist, or this service has no access. Check the address; a deploy key goes to DATA_DIR/ssh/id_ed25519.';
    case 'folder':
      return /dubious ownership/.test(stderr)
        ? 'The folder belongs to another account. Give it to the account this service runs under.'
        : 'The folder is no Git repository. Check the path, or run "git init" and commit there.';
  }
}
