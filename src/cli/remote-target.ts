import { ConfigError } from '../foundation/config/config-error.ts';
import { readSecretFile } from '../foundation/config/gather-settings.ts';
import { configuredBaseUrl } from '../foundation/config/load-config.ts';
import { Unauthenticated } from '../foundation/kernel/errors.ts';
import { isLoopback } from '../foundation/kernel/loopback.ts';
import type { CommandContext } from './frame/context.ts';
import { text } from './frame/parameters.ts';
import { UsageError } from './frame/usage-error.ts';

/** Flags of the commands that call a running service. A key is never a flag: other processes see command lines. */
export const remoteFlags = {
  url: text('url', 'address of the service (ORGCTX_URL; default: AUTH_BASE_URL of this host)'),
  org: text('slug', 'organization (ORGCTX_ORG)'),
};

export interface RemoteFlagValues {
  readonly url: string | undefined;
  readonly org: string | undefined;
}

/** Which service, as whom, in which organization. */
export interface RemoteTarget {
  /** Origin without a trailing slash. */
  readonly baseUrl: string;
  readonly org: string;
  readonly apiKey: string;
}

/** @throws UsageError without an organization, Unauthenticated without a key (contract section 1) */
export function readRemoteTarget(context: CommandContext, flags: RemoteFlagValues): RemoteTarget {
  const baseUrl = readBaseUrl(context, flags.url);
  const org = readOrganization(context, flags.org);
  if (org === undefined) {
    throw new UsageError('Which organization?', 'Give --org <slug> or set ORGCTX_ORG.');
  }
  const apiKey = readApiKey(context);
  if (apiKey === undefined) {
    throw new Unauthenticated(
      'unauthenticated',
      'No API key. Set ORGCTX_API_KEY or ORGCTX_API_KEY_FILE; `orgctx admin key create` makes one on the host.',
    );
  }
  return { baseUrl, org, apiKey };
}

/** A URL that an operator writes is used as written (contract section 2), but not without a word. */
export function warnOfOpenTransport({ baseUrl }: RemoteTarget, { terminal }: CommandContext): void {
  if (baseUrl.startsWith('https:') || isLoopback(new URL(baseUrl).hostname)) return;
  terminal.note(`warning: ${baseUrl} is not https: the API key travels in the clear.`);
}

export function readOrganization({ env }: CommandContext, given: string | undefined): string | undefined {
  const org = given ?? (env['ORGCTX_ORG'] || undefined);
  // The slug becomes part of a path: contract section 3 says which slugs there are.
  if (org !== undefined && !/^[a-z0-9][a-z0-9-]{0,38}$/.test(org)) {
    throw new UsageError('--org (ORGCTX_ORG) must be a slug of lower-case letters, digits and hyphens.');
  }
  return org;
}

/** The service's origin; the address of its /mcp endpoint is taken as well. */
export function readBaseUrl(context: CommandContext, given: string | undefined): string {
  const { env, cwd, homeDir } = context;
  const written = given ?? (env['ORGCTX_URL'] || undefined) ?? configuredBaseUrl({ env, cwd, homeDir });
  if (written === undefined) {
    throw new UsageError('Where is the service?', 'Give --url <url> or set ORGCTX_URL.');
  }
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) throw badUrl('must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw badUrl('must not carry a user or password');
  if (url.search !== '' || url.hash !== '') throw badUrl('must not have a query or a fragment');
  if (!/^\/(mcp\/?)?$/.test(url.pathname)) throw badUrl('must be the origin of the service, without a path');
  return url.origin;
}

function badUrl(message: string): UsageError {
  return new UsageError(`--url (ORGCTX_URL) ${message}.`);
}

export function readApiKey({ env, cwd }: CommandContext): string | undefined {
  const key = env['ORGCTX_API_KEY'] || undefined;
  const file = env['ORGCTX_API_KEY_FILE'] || undefined;
  if (key !== undefined && file !== undefined) {
    throw new ConfigError([
      { name: 'ORGCTX_API_KEY', message: 'and ORGCTX_API_KEY_FILE must not both be set' },
    ]);
  }
  const given = file === undefined ? { text: key } : readSecretFile('ORGCTX_API_KEY_FILE', file, cwd);
  if ('message' in given) throw new ConfigError([given]);
  // It goes into a header: RFC 6750 section 2.1 says what a bearer token is made of.
  if (given.text !== undefined && !/^[\w.~+/-]+=*$/.test(given.text)) {
    throw new ConfigError([{ name: 'ORGCTX_API_KEY', message: 'is not an API key (they start with ock_)' }]);
  }
  return given.text;
}
