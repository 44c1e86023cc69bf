import { basename, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutEnd } from '../../kernel/text/cut-text.ts';
import { invalidField } from '../../kernel/wire/invalid-field.ts';
import { checkDestination } from '../../net/check-destination.ts';
import type { GitSource } from './git-source.ts';
import { parseSshSource } from './parse-ssh-source.ts';
import { refuse, repositoryNameOf } from './source-text.ts';

export interface SourceRules {
  /** True if folders of this host are permitted: ALLOW_LOCAL_REPOSITORIES, or a request of the host's operator. */
  readonly allowLocal: boolean;
  /** OUTBOUND_ALLOW_HOSTS. */
  readonly allowHosts: readonly string[];
}

const maxSourceLength = 2_048;

/**
 * Parses the text that names a repository: an https URL, `ssh://…`, `git@host:path`, and where permitted an absolute
 * folder or `file:///…`. Addresses of the host are checked when connecting.
 * @throws InvalidInput naming the fix; it never repeats the text, which may contain a password.
 */
export function parseSource(text: string, rules: SourceRules): GitSource {
  const source = text.trim();
  if (source === '') throw refuse('The source is empty.');
  if (source.length > maxSourceLength)
    throw refuse(`The source is longer than ${maxSourceLength} characters.`);
  if (/\p{Cc}|\p{Zl}|\p{Zp}/u.test(source) || !source.isWellFormed()) {
    throw refuse('The source contains control characters.');
  }
  if (source.startsWith('-')) throw refuse('The source looks like a command-line option.');
  if (/^[^/]*::/.test(source) && !source.includes('['))
    throw refuse('Remote helpers ("transport::address") are not supported.');
  if (isAbsolute(source)) return folderSource(source, rules);
  const scheme = /^([a-z][a-z\d+.-]*):\/\//i.exec(source)?.[1]?.toLowerCase();
  if (scheme === undefined && !/^file:/i.test(source)) return parseSshSource(source, rules.allowHosts);
  return sourceOfScheme(scheme ?? 'file', source, rules);
}

function sourceOfScheme(scheme: string, source: string, rules: SourceRules): GitSource {
  switch (scheme) {
    case 'https':
    case 'http':
      return httpsSource(source, rules.allowHosts);
    case 'ssh':
      return parseSshSource(source, rules.allowHosts);
    case 'file':
      return folderSource(pathOfFileUrl(source), rules);
    case 'git':
      throw refuse('The git:// protocol neither encrypts nor authenticates.');
    default:
      throw refuse('The source uses a protocol that is not supported.');
  }
}

function httpsSource(source: string, allowHosts: readonly string[]): GitSource {
  const { url } = checkDestination(source, 'tenant', allowHosts);
  if (url.search !== '' || url.hash !== '') {
    throw refuse('The URL of a repository must not have a query ("?") or a fragment ("#").');
  }
  const path = withoutEnd(url.pathname, '/');
  if (path === '' || /%(?:0|1|7f)/i.test(path)) throw refuse('The URL does not name a repository.');
  const host = withoutEnd(url.hostname, '.');
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
  const canonical = `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}${path}`;
  return {
    kind: 'https',
    url: canonical,
    displayName: canonical,
    defaultName: repositoryNameOf(decoded(path)),
    remote: { host: host.replace(/^\[(.*)\]$/, '$1'), port },
  };
}

function folderSource(folder: string, { allowLocal }: SourceRules): GitSource {
  if (!allowLocal) {
    const message =
      'Folders of the host are not allowed as repositories on this server. Use a Git URL, or have its operator restart it with the setting ALLOW_LOCAL_REPOSITORIES=true; stopping it and running "orgctx quickstart <folder>" with its data folder also adds one.';
    throw invalidField('source', message, message);
  }
  const path = resolve(folder);
  const name = basename(path) === '.git' ? basename(resolve(path, '..')) : basename(path);
  const defaultName = repositoryNameOf(name);
  return { kind: 'folder', url: path, displayName: path, defaultName, remote: undefined };
}

function pathOfFileUrl(source: string): string {
  try {
    const path = fileURLToPath(source);
    if (!path.includes('\0')) return path;
  } catch {
    // Not a file URL of this host: refused below.
  }
  throw refuse('A file: URL must name an absolute folder of this host, as in file:///srv/git/project.');
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw refuse('The URL is not percent-encoded correctly.');
  }
}
