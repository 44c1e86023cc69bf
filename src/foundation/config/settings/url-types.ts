import { z } from 'zod';
import type { SettingType } from './setting.ts';
import { commaList, parsedText } from './setting-types.ts';

/** An origin: scheme, host, port. A trailing slash is removed. A path, query, fragment or user is refused. */
export const origin: SettingType<string> = z.string().transform((text, context) => {
  const result = readOrigin(text);
  if ('origin' in result) return result.origin;
  context.issues.push({ code: 'custom', message: result.error, input: undefined });
  return z.NEVER;
});

/**
 * Returns whether the host of a URL can be written into shell commands and configurations as it is: the URL standard
 * permits characters such as dollar, quote and back-tick.
 */
export function isPlainHost({ host }: URL): boolean {
  return /^[\w.:[\]-]+$/.test(host);
}

function readOrigin(text: string): { origin: string } | { error: string } {
  const url = URL.parse(text);
  if (url === null || !isHttp(url) || url.hostname === '') {
    return { error: 'must be an http or https origin such as https://context.example.com' };
  }
  if (url.username !== '' || url.password !== '' || text.includes('@')) {
    return { error: 'must not carry a user or password' };
  }
  if (text.includes('?') || text.includes('#')) return { error: 'must not have a query or a fragment' };
  if (!isPlainHost(url))
    return { error: 'must name a host of letters, digits, dots, hyphens and underscores' };
  if (url.pathname !== '/') return { error: 'must not have a path: it is an origin' };
  return { origin: url.origin };
}

export const origins = parsedText(
  'a comma list of origins such as https://app.example.com, without paths',
  (text) => {
    const read = commaList(text).map(readOrigin);
    return read.every((one) => 'origin' in one) ? read.map((one) => one.origin) : undefined;
  },
);

/** A URL configured by an operator and used as written (contract section 2). Credentials have separate settings. */
export const httpUrl = parsedText('an http or https URL without a user or password', (text) => {
  const url = URL.parse(text);
  return url !== null && isHttp(url) && url.username === '' && url.password === '' ? text : undefined;
});

/**
 * The URL of a proxy, with `http://` if it has no scheme, as in curl. Its credentials are percent-encoded, and its path
 * is ignored.
 */
export const proxyUrl = parsedText(
  'the http or https URL of a proxy, such as http://proxy.example.com:3128',
  (text) => {
    const url = URL.parse(text.includes('://') ? text : `http://${text}`);
    if (url === null || !isHttp(url) || !isDecodable(url.username + url.password)) return undefined;
    const userinfo = url.username === '' && url.password === '' ? '' : `${url.username}:${url.password}@`;
    return `${url.protocol}//${userinfo}${url.host}`;
  },
);

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

const graphSchemes = new Set(
  ['neo4j', 'bolt'].flatMap((scheme) => [`${scheme}:`, `${scheme}+s:`, `${scheme}+ssc:`]),
);

export const graphUri = parsedText(
  'a neo4j:// or bolt:// address (or with +s), without a user or password',
  (text) => {
    const url = URL.parse(text);
    const suits =
      url !== null && graphSchemes.has(url.protocol) && url.username === '' && url.password === '';
    return suits ? text : undefined;
  },
);

export type DatabaseUrl =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string; readonly host: string; readonly database: string };

export const databaseUrl = parsedText('sqlite:PATH or postgres://user@host/database', (text) =>
  text.startsWith('sqlite:') ? readSqlite(text) : readPostgres(text),
);

export const postgresUrl = parsedText('postgres://user@host/database', readPostgres);

/**
 * Parses `sqlite:name.db`, `sqlite:/absolute.db` and `sqlite:///absolute.db`. In-memory databases are refused, since
 * a second process cannot use them.
 */
function readSqlite(text: string): DatabaseUrl | undefined {
  const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  const refused = path === '' || path.startsWith(':') || path.startsWith('//') || path.includes('\0');
  return refused ? undefined : { dialect: 'sqlite', path };
}

/**
 * Parses a connection URL of libpq, whose authority may lack the host: `postgres://user@/database?host=/run/postgresql`
 * connects through a socket in that folder. A host in the query precedes one in the authority. The result always has
 * a host in its authority, because other parsers need one.
 */
function readPostgres(text: string): (DatabaseUrl & { dialect: 'postgres' }) | undefined {
  const complete = text.replace(/^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)(?=[/?]|:\d+[/?])/i, '$1localhost');
  const url = URL.parse(complete);
  const database = url?.pathname.slice(1) ?? '';
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || database === '') return undefined;
  const host = url.searchParams.get('host') || url.hostname.replaceAll(/%2f/gi, '/');
  return { dialect: 'postgres', url: complete, host, database };
}

/** Hosts as `host` or `host:port`, in lower case, with IPv6 addresses in brackets. */
export const allowedHosts = parsedText(
  'a comma list of host or host:port, without scheme or path',
  (text) => {
    const hosts = commaList(text.toLowerCase());
    return hosts.every(isHost) ? hosts : undefined;
  },
);

/**
 * Returns whether the text is a host as it appears in a normalized URL. Another notation (`127.1`, `.example.com`)
 * would never match.
 */
function isHost(text: string): boolean {
  const url = URL.parse(`http://${text}`);
  const host = url?.port === '' ? text.replace(/:80$/, '') : text;
  return url?.host === host && /^(?:\[[\da-f:.]+\]|[a-z\d-]+(?:\.[a-z\d-]+)*)(?::\d+)?$/.test(text);
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}
