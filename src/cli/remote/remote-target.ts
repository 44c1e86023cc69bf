import { runningServer } from '../../app/host/running-server.ts';
import { hasSlugFormat } from '../../features/identity/people/organization.ts';
import { readSecretFile } from '../../foundation/config/collect-settings.ts';
import { ConfigError } from '../../foundation/config/config-error.ts';
import { configuredAddress } from '../../foundation/config/load-config.ts';
import { isPlainHost } from '../../foundation/config/settings/url-types.ts';
import { Unauthenticated } from '../../foundation/kernel/errors.ts';
import { isLoopback } from '../../foundation/kernel/loopback.ts';
import { OutboundError } from '../../foundation/net/outbound-error.ts';
import type { CommandContext } from '../frame/context.ts';
import { text } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { rememberedHost } from '../host/remembered-host.ts';
import { type LoginStore, openLoginStore, type StoredLogin } from '../login/stored-login.ts';
import { loginHint } from './login-hint.ts';

/**
 * The flags of commands that call a running service. A key is never a flag, because other processes see command
 * lines.
 */
export const remoteFlags = {
  url: text('url', 'address of the service (ORGCTX_URL; default: the service of this host)'),
  org: text('slug', 'organization (ORGCTX_ORG)'),
};

export interface RemoteFlagValues {
  readonly url: string | undefined;
  readonly org: string | undefined;
}

/** A service and the credential for it. */
export interface Remote {
  /** Origin without a trailing slash. */
  readonly baseUrl: string;
  readonly credential: RemoteCredential;
}

export type RemoteCredential =
  /** Works in every organization of its user. */
  | { readonly kind: 'api-key'; readonly apiKey: string }
  /** The login of `orgctx login`, bound to one organization. */
  | { readonly kind: 'login'; readonly login: StoredLogin; readonly store: LoginStore };

/** A service, a credential and the organization of the request. */
export interface RemoteTarget extends Remote {
  readonly org: string;
}

/**
 * Reads the service and the credential. A key takes precedence over the login, because it is set explicitly (contract
 * section 1).
 * @throws Unauthenticated without a key and a login; OutboundError instead if no server of this host answers there
 */
async function readRemote(context: CommandContext, flags: Pick<RemoteFlagValues, 'url'>): Promise<Remote> {
  const baseUrl = readBaseUrl(context, flags.url);
  const apiKey = readApiKeyFor(baseUrl, context, flags.url);
  if (apiKey !== undefined) return { baseUrl, credential: { kind: 'api-key', apiKey } };
  const store = openLoginStore(context);
  const login = await store.find(baseUrl);
  if (login === undefined) {
    const others = inWords(await store.origins());
    // Loaded only here, because it opens an HTTP client.
    const { requireListening } = await import('./stopped-server.ts');
    await requireListening(baseUrl, others, context.signal);
    throw notSignedIn(baseUrl, others);
  }
  await requireOwnServer(baseUrl, login);
  return { baseUrl, credential: { kind: 'login', login, store } };
}

/**
 * Checks that the server of this host runs, before its login is sent: another process may have taken its port.
 * @throws OutboundError
 */
export async function requireOwnServer(baseUrl: string, { dataDir }: StoredLogin): Promise<void> {
  if (dataDir === undefined) return;
  // Loaded only here, because it opens the lock of the data folder.
  const { isServedBy } = await import('../../app/host/data-folder-lock.ts');
  if (isServedBy(dataDir, baseUrl)) return;
  throw new OutboundError(baseUrl, 'refused', `The server of ${dataDir} does not run at ${baseUrl}.`, {
    hint: `Your login was not sent there. Start the server with "orgctx quickstart" or "orgctx serve". To use another service at this address, run ${loginHint(baseUrl)}.`,
  });
}

/**
 * Reads the service, the credential and the organization. The default organization of a login is the one that it is
 * bound to. If another one is given, the request is sent with it and the service refuses it, so that nothing happens
 * in an unintended organization.
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
    throw new UsageError('No organization was given.', 'Use --org <slug> or set ORGCTX_ORG.');
  }
  return { ...remote, org };
}

/** Returns the organization of a login; `undefined` for a key. */
export function boundOrganization(credential: RemoteCredential): string | undefined {
  return credential.kind === 'login' ? credential.login.organization.slug : undefined;
}

/** Says where else a login is stored; nothing if there is none. */
function inWords(elsewhere: readonly string[]): string {
  return elsewhere.length === 0
    ? ''
    : ` You are signed in at ${elsewhere.join(', ')}; to use it, give its address with --url.`;
}

function notSignedIn(baseUrl: string, others: string): Unauthenticated {
  return new Unauthenticated(
    'unauthenticated',
    `Not signed in at ${baseUrl}. Run ${loginHint(baseUrl)}, or set ORGCTX_ORG and ORGCTX_API_KEY or ` +
      `ORGCTX_API_KEY_FILE; "orgctx admin key create --email <email> --name <name>" creates a key on the host.${others}`,
  );
}

/** Warns about an unencrypted URL; it is still used (contract section 2). */
export function warnOfOpenTransport(baseUrl: string, { terminal }: CommandContext): void {
  if (baseUrl.startsWith('https:') || isLoopback(new URL(baseUrl).hostname)) return;
  terminal.note(`warning: ${baseUrl} is not https; credentials are sent unencrypted.`);
}

export function readOrganization({ env }: CommandContext, given: string | undefined): string | undefined {
  const org = given ?? (env['ORGCTX_ORG'] || undefined);
  // The slug becomes a part of the path.
  if (org !== undefined && !hasSlugFormat(org)) {
    throw new UsageError('--org (ORGCTX_ORG) must be a slug of lower-case letters, digits and hyphens.');
  }
  return org;
}

/** Reads the origin of the service; the URL of its /mcp endpoint is also accepted. */
export function readBaseUrl(context: CommandContext, given: string | undefined): string {
  const written = given ?? (context.env['ORGCTX_URL'] || urlOfThisHost(context));
  if (written === undefined) {
    throw new UsageError('No address of the service was given.', 'Use --url <url> or set ORGCTX_URL.');
  }
  const url = URL.parse(written);
  if (url === null || !/^https?:$/.test(url.protocol)) throw badUrl('must be an http or https URL');
  if (url.username !== '' || url.password !== '') throw badUrl('must not contain a user or password');
  if (!isPlainHost(url)) throw badUrl('must name a host of letters, digits, dots, hyphens and underscores');
  if (url.search !== '' || url.hash !== '') throw badUrl('must not have a query or a fragment');
  if (!/^\/(mcp\/?)?$/.test(url.pathname)) throw badUrl('must be the origin of the service, without a path');
  return url.origin;
}

/** Returns the address of the service of this host: as configured, otherwise that of the running server. */
function urlOfThisHost(context: CommandContext): string | undefined {
  return knownUrlOfThisHost(context) ?? configuredHost(context).baseUrl;
}

/** Returns the address of the service of this host; `undefined` if none is configured, running or remembered. */
export function knownUrlOfThisHost(context: CommandContext): string | undefined {
  const { baseUrl, given, dataDir, remembered } = configuredHost(context);
  if (given) return baseUrl;
  return runningServer(dataDir)?.baseUrl ?? (remembered === undefined ? undefined : baseUrl);
}

function configuredHost(context: CommandContext) {
  const { env, cwd, homeDir } = context;
  const remembered = rememberedHost(context);
  return { ...configuredAddress({ env, cwd, homeDir, remembered }), remembered };
}

function badUrl(message: string): UsageError {
  return new UsageError(`--url (ORGCTX_URL) ${message}.`);
}

/**
 * Reads the API key for a service.
 * @throws UsageError if only `./orgctx.yaml` names that service and it is another host: a cloned repository may contain
 *   that file
 */
export function readApiKeyFor(
  baseUrl: string,
  context: CommandContext,
  given: string | undefined,
): string | undefined {
  const apiKey = readApiKey(context);
  const isNamed = given !== undefined || Boolean(context.env['ORGCTX_URL']);
  if (apiKey === undefined || isNamed || isLoopback(new URL(baseUrl).hostname)) return apiKey;
  const { file } = configuredHost(context);
  if (file === undefined) return apiKey;
  throw new UsageError(
    `The API key was not used, because the address ${baseUrl} comes from ${file}.`,
    `If that is your service, name it: --url ${baseUrl} (ORGCTX_URL).`,
  );
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
  // The key is sent in a header; RFC 6750 section 2.1 defines the format of a bearer token.
  if (given.text !== undefined && !/^[\w.~+/-]+=*$/.test(given.text)) {
    throw new ConfigError([{ name: 'ORGCTX_API_KEY', message: 'is not an API key (they start with ock_)' }]);
  }
  return given.text;
}
