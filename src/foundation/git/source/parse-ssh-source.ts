import { withoutEnd } from '../../kernel/text/cut-text.ts';
import { bareHost, isAllowedHost } from '../../net/allow-hosts.ts';
import { hostNameRefusal } from '../../net/resolve-public.ts';
import type { GitSource } from './git-source.ts';
import { refuse, repositoryNameOf } from './source-text.ts';

const sshPort = 22;

/** Valid user names. A leading `-` would be an option of ssh. */
const user = /^[A-Za-z\d_][\w.-]*$/;
const host = /^(?:[a-z\d][a-z\d.-]*|\[[\da-f:.]+\])$/i;

interface SshParts {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** True if `path` is relative to the account's home (`git@host:path`), which only the short form can express. */
  readonly short: boolean;
}

/**
 * Parses `ssh://user@host:port/path` and `user@host:path` (gitfaq: URLs). The resulting host is canonical: forms like
 * `0x7f.1`, which ssh would resolve to a literal, are checked as that literal.
 * @throws InvalidInput
 */
export function parseSshSource(source: string, allowHosts: readonly string[]): GitSource {
  const parts = source.includes('://') ? longForm(source) : shortForm(source);
  const name = canonicalHost(parts.host);
  checkParts(parts, name);
  const refusal = isAllowedHost(allowHosts, name, parts.port) ? undefined : hostNameRefusal(name);
  if (refusal !== undefined) throw refusal;
  const url = print(parts, name);
  return {
    kind: 'ssh',
    url,
    displayName: url,
    defaultName: repositoryNameOf(parts.path),
    remote: { host: bareHost(name), port: parts.port },
  };
}

function longForm(source: string): SshParts {
  const match = /^ssh:\/\/(?:([^@/]*)@)?([^@/:[\]]+|\[[^\]]*\])(?::(\d{1,5}))?(\/.*)$/i.exec(source);
  if (match === null) throw refuse('This is not an ssh URL.');
  const [, account = 'git', name = '', port = String(sshPort), path = ''] = match;
  if (account.includes(':')) throw refuse('A source must not carry a password.');
  return { user: account, host: name, port: Number(port), path, short: false };
}

function shortForm(source: string): SshParts {
  const match = /^(?:([^@/:]+)@)?([^@/:[\]]+|\[[^\]]*\]):(.+)$/.exec(source);
  if (match === null) {
    if (/^[^@\s]+@/.test(source) || source.includes('@')) throw refuse('The source cannot be read.');
    throw refuse('The source is neither a URL nor the absolute path of a folder.');
  }
  const [, account = 'git', name = '', path = ''] = match;
  return { user: account, host: name, port: sshPort, path, short: true };
}

/**
 * Returns the host as normalized by the URL standard: lower case, punycode, and numbers in any notation as an
 * address.
 */
function canonicalHost(text: string): string {
  const parsed = host.test(text) ? URL.parse(`https://${text}/`)?.hostname : undefined;
  if (parsed === undefined) throw refuse('The host name of the source is not valid.');
  return withoutEnd(parsed, '.');
}

function checkParts(parts: SshParts, name: string): void {
  if (!host.test(name) || !user.test(parts.user))
    throw refuse('The user or host name of the source is not valid.');
  if (parts.port < 1 || parts.port > 65_535) throw refuse('The port of the source is not valid.');
  // The server passes the path to its git-upload-pack: permit no option, nothing above the folder, nothing special to
  // a shell.
  const risky = /^\/?-|(?:^|\/)\.\.(?:\/|$)|[\\'"`$;&|<>*?!(){}\s]/;
  if (risky.test(parts.path) || parts.path.replaceAll('/', '') === '') {
    throw refuse('The path of the source is not valid.');
  }
}

function print(parts: SshParts, name: string): string {
  const path = withoutEnd(parts.path, '/');
  if (parts.short) return `${parts.user}@${name}:${path}`;
  return `ssh://${parts.user}@${name}${parts.port === sshPort ? '' : `:${parts.port}`}${path}`;
}
