import { z } from 'zod';
import type { SettingType } from './setting.ts';
import { commaList, reading } from './setting-types.ts';

/** An origin: scheme, host, port. A trailing slash is removed; a path, query, fragment or user is a fault. */
export const origin: SettingType<string> = z.string().transform((text, context) => {
  const result = readOrigin(text);
  if ('origin' in result) return result.origin;
  context.issues.push({ code: 'custom', message: result.fault, input: undefined });
  return z.NEVER;
});

function readOrigin(text: string): { origin: string } | { fault: string } {
  const url = URL.parse(text);
  if (url === null || !isHttp(url) || url.hostname === '') {
    return { fault: 'must be an http or https origin such as https://context.example.com' };
  }
  if (url.username !== '' || url.password !== '' || text.includes('@')) {
    return { fault: 'must not carry a user or password' };
  }
  if (text.includes('?') || text.includes('#')) return { fault: 'must not have a query or a fragment' };
  if (url.pathname !== '/') return { fault: 'must not have a path: it is an origin' };
  return { origin: url.origin };
}

export const origins = reading(
  'a comma list of origins such as https://app.example.com, without paths',
  (text) => {
    const read = commaList(text).map(readOrigin);
    return read.every((one) => 'origin' in one) ? read.map((one) => one.origin) : undefined;
  },
);

/** A URL that an operator writes, used as written (contract section 2). Credentials have settings of their own. */
export const httpUrl = reading('an http or https URL without a user or password', (text) => {
  const url = URL.parse(text);
  return url !== null && isHttp(url) && url.username === '' && url.password === '' ? text : undefined;
});

const graphSchemes = new Set(
  ['neo4j', 'bolt'].flatMap((scheme) => [`${scheme}:`, `${scheme}+s:`, `${scheme}+ssc:`]),
);

export const graphUri = reading(
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

export const databaseUrl = reading('sqlite:PATH or postgres://user@host/database', (text) =>
  text.startsWith('sqlite:') ? readSqlite(text) : readPostgres(text),
);

export const postgresUrl = reading('postgres://user@host/database', readPostgres);

/** `sqlite:name.db`, `sqlite:/absolute.db`, `sqlite:///absolute.db`. Memory has no second process, so it is refused. */
function readSqlite(text: string): DatabaseUrl | undefined {
  const path = text.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
  const refused = path === '' || path.startsWith(':') || path.startsWith('//') || path.includes('\0');
  return refused ? undefined : { dialect: 'sqlite', path };
}

function readPostgres(text: string): (DatabaseUrl & { dialect: 'postgres' }) | undefined {
  const url = URL.parse(text);
  const database = url?.pathname.slice(1) ?? '';
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || database === '') return undefined;
  // A socket folder stands in the query, as libpq has it.
  const host = url.hostname || url.searchParams.get('host') || 'localhost';
  return { dialect: 'postgres', url: text, host, database };
}

/** `host` or `host:port` in lower case; an IPv6 address in brackets. */
export const allowedHosts = reading('a comma list of host or host:port, without scheme or path', (text) => {
  const hosts = commaList(text.toLowerCase());
  return hosts.every(isHost) ? hosts : undefined;
});

/** As a URL names it in the end: what is written otherwise (`127.1`, `.example.com`) would never match. */
function isHost(text: string): boolean {
  const url = URL.parse(`http://${text}`);
  const host = url?.port === '' ? text.replace(/:80$/, '') : text;
  return url?.host === host && /^(?:\[[\da-f:.]+\]|[a-z\d-]+(?:\.[a-z\d-]+)*)(?::\d+)?$/.test(text);
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}
