import { ConfigError } from '../foundation/config/config-error.ts';
import { readSecretFile } from '../foundation/config/gather-settings.ts';
import { configuredBaseUrl } from '../foundation/config/load-config.ts';
import { Unauthenticated } from '../foundation/kernel/errors.ts';
import { isLoopback } from '../foundation/kernel/loopback.ts';
import type { CommandContext } from './frame/context.ts';
import { text } from './frame/parameters.ts';
import { UsageError } from './frame/usage-error.ts';
import { type LoginStore, openLoginStore, type StoredLogin } from './login/stored-login.ts';
import { loginHint } from './login-hint.ts';

/** Flags of the commands that call a running service. A key is never a flag: other processes see command lines. */
export const remoteFlags = {
  url: text('url', 'address of the service (ORGCTX_URL; default: AUTH_BASE_URL of this host)'),
  org: text('slug', 'organization (ORGCTX_ORG)'),
};

export interface RemoteFlagValues {
  readonly url: string | undefined;
  readonly org: string | undefined;
}

/** Which service, and as whom. */
export interface Remote {
  /** Origin without a trailing slash. */
  readonly baseUrl: string;
  readonly credential: RemoteCredential;
}

export type RemoteCredential =
  /** Works in every organization of its user. */
  | { readonly kind: 'api-key'; readonly apiKey: string }
  /** Of `orgctx login`: bound to one organization. */
  | { readonly kind: 'login'; readonly login: StoredLogin; readonly store: LoginStore };

/** The same with the organization that is meant. */
export interface RemoteTarget extends Remote {
  readonly org: string;
}

/**
 * A key wins over the login: it is what a script or a single call sets on purpose (contract section 1).
 * @throws Unauthenticated with neither
 */
async function readRemote(context: CommandContext, flags: Pick<RemoteFlagValues, 'url'>): Promise<Remote> {
  const baseUrl = readBaseUrl(context, flags.url);
  const apiKey = readApiKey(context);
  if (apiKey !== undefined) return { baseUrl, credential: { kind: 'api-key', apiKey } };
  const store = openLoginStore(context);
  const login = await store.find(baseUrl);
  if (login === undefined) throw notSignedIn(baseUrl, await store.origins());
  return { baseUrl, credential: { kind: 'login', login, store } };
}

/**
 * With a login the organization is the one it is bound to. Another one that is named is asked for all the same: the
 * service says no, and nothing happens in an organization that was not meant.
 * @throws UsageError for a key without an organization, Unauthenticated without a credential (contract section 1)
 */
export async function readRemoteTarget(
  context: CommandContext,
  flags: RemoteFlagValues,
): Promise<RemoteTarget> {
  const named = readOrganization(context, flags.org);
  const remote = await readRemote(context, flags);
  const org = named ?? boundOrganization(remote.credential);
  if (org === undefined) {
    throw new UsageError('Which organization?', 'Give --org <slug> or set ORGCTX_ORG.');
  }
  return { ...remote, org };
}

/** `undefined` for a key. */
export function boundOrganization(credential: RemoteCredential): string | undefined {
  return credential.kind === 'login' ? credential.login.organization.slug : undefined;
}

function notSignedIn(baseUrl: string, elsewhere: readonly string[]): Unauthenticated {
  const others =
    elsewhere.length === 0 ? '' : ` You are signed in at ${elsewhere.join(', ')}: name it with --url.`;
  return new Unauthenticated(
    'unauthenticated',
    `Not signed in at ${baseUrl}. Run ${loginHint(baseUrl)}, or set ORGCTX_API_KEY or ` +
      `ORGCTX_API_KEY_FILE; \`orgctx admin key create\` makes a key on the host.${others}`,
  );
}

/** A URL that an operator writes is used as written (contract section 2), but not without a word. */
export function warnOfOpenTransport(baseUrl: string, { terminal }: CommandContext): void {
  if (baseUrl.startsWith('https:') || isLoopback(new URL(baseUrl).hostname)) return;
  terminal.note(`warning: ${baseUrl} is not https: credentials travel in the clear.`);
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
