import type { EventEmitter } from 'node:events';
import {
  type Account,
  type Configuration,
  errors,
  type JWKS,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import type { Queries } from '../../../foundation/db/database.ts';
import type { OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { oauthPaths, resourcesOf } from '../endpoints.ts';
import { expiredAuthorization } from '../expired-authorization.ts';
import { firstPartyClient } from '../first-party-client.ts';
import { findGrantAccess } from '../grants/find-grant-access.ts';
import type { KeySet } from '../keys/key-set.ts';
import { codeSeconds, deviceCodeSeconds, interactionSeconds } from '../lifetimes.ts';
import type { OAuthPages } from '../pages.ts';
import { allowLoopbackPorts } from '../registration/allow-loopback-ports.ts';
import { supportedAuthMethods, supportedScopes } from '../supported.ts';
import { type AdapterDeps, createAdapter } from './adapter.ts';
import { type HeldRedirect, holdUndecidedRedirects } from './hold-undecided-redirects.ts';
import { alwaysPromptPolicy } from './interaction-policy.ts';
import { type ErrorParameters, returnUnknownClient } from './return-unknown-client.ts';

export interface ProviderDeps extends AdapterDeps {
  readonly baseUrl: string;
  readonly accessTokenTtlMs: number;
  readonly refreshTokenTtlMs: number;
  readonly keySet: KeySet;
  readonly pages: OAuthPages;
  readonly log: Logger;
}

/** The message of a refused refresh. Only a new connection helps. */
const reconnectMessage =
  'This connection is not bound to an organization that its user is a member of: disconnect the client, ' +
  'connect it again and choose an organization.';

/** Creates an error whose message reaches the user. By default the library keeps it as a detail for the log. */
function unboundGrant(): errors.InvalidGrant {
  return Object.assign(new errors.InvalidGrant(reconnectMessage), { error_description: reconnectMessage });
}

/** Creates the library's provider with all unused features disabled. Every default that prints a notice is replaced. */
export function createProvider(deps: ProviderDeps): Provider {
  const provider = new Provider(deps.baseUrl, {
    adapter: createAdapter(deps),
    clients: [firstPartyClient],
    jwks: jwksOf(deps.keySet),
    scopes: [...supportedScopes],
    responseTypes: ['code'],
    clientAuthMethods: [...supportedAuthMethods],
    extraClientMetadata: { properties: ['undocumented'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    clientBasedCORS: () => true,
    routes: {
      authorization: oauthPaths.authorize,
      token: oauthPaths.token,
      registration: oauthPaths.register,
      revocation: oauthPaths.revoke,
      jwks: oauthPaths.jwks,
      device_authorization: oauthPaths.deviceAuthorization,
      code_verification: oauthPaths.device,
    },
    interactions: {
      policy: alwaysPromptPolicy(),
      url: (_ctx, { uid }) => `${oauthPaths.interaction}/${uid}`,
    },
    cookies: cookieSettings(deps),
    ttl: lifetimes(deps),
    features: features(deps),
    ...accounts(deps.database.queries),
    rotateRefreshToken: () => true,
    expiresWithSession: () => false,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    renderError: (ctx, out, error) => renderError(deps.pages, ctx, out, error),
  });
  // `inbound-request.ts` sets the host, protocol and address of each request; it is the trusted proxy here.
  provider.proxy = true;
  allowLoopbackPorts(provider);
  dropSessionCookie(provider);
  keepCorsHeaders(provider);
  holdUndecidedRedirects(provider, (ctx, held) => showHeld(deps.pages, ctx, held));
  logErrors(provider, deps.log);
  return provider;
}

function jwksOf({ keys }: KeySet): JWKS {
  return {
    keys: keys.map(({ id, privateJwk }) => ({ ...privateJwk, kid: id, alg: 'ES256', use: 'sig' })),
  };
}

function cookieSettings({ sealer }: ProviderDeps): NonNullable<Configuration['cookies']> {
  const options = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    names: { session: 'orgctx_oauth', interaction: 'orgctx_interaction', resume: 'orgctx_resume' },
    keys: [sealer.mac('cookies')],
    long: options,
    short: options,
  };
}

/** Returns the lifetimes in seconds. They are functions because the library's defaults print notices. */
function lifetimes({ accessTokenTtlMs, refreshTokenTtlMs }: ProviderDeps): NonNullable<Configuration['ttl']> {
  const access = seconds(accessTokenTtlMs);
  const refresh = seconds(refreshTokenTtlMs);
  return {
    AccessToken: () => access,
    AuthorizationCode: () => codeSeconds,
    DeviceCode: () => deviceCodeSeconds,
    Grant: () => refresh,
    IdToken: () => access,
    Interaction: () => interactionSeconds,
    RefreshToken: () => refresh,
    Session: () => interactionSeconds,
  };
}

function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function features(deps: ProviderDeps): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    introspection: { enabled: false },
    registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
    revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      deviceInfo: (ctx) => ({ ip: ctx.ip, ua: ctx.get('user-agent').slice(0, 300) }),
    },
    resourceIndicators: resourceIndicators(deps),
  };
}

/** Allows only the two resources of this service (RFC 8707). Every token is valid for both, within its scopes. */
function resourceIndicators({
  baseUrl,
  accessTokenTtlMs,
  keySet,
}: ProviderDeps): NonNullable<NonNullable<Configuration['features']>['resourceIndicators']> {
  const { rest, mcp } = resourcesOf(baseUrl);
  return {
    enabled: true,
    defaultResource: (_ctx, _client, oneOf) => {
      if (oneOf === undefined) return [rest, mcp];
      return oneOf.includes(mcp) ? mcp : (oneOf[0] ?? mcp);
    },
    useGrantedResource: () => true,
    getResourceServerInfo: (_ctx, resource) => {
      if (resource !== rest && resource !== mcp) {
        throw new errors.InvalidTarget(`the resources here are ${rest} and ${mcp}`);
      }
      return {
        scope: 'mcp api',
        accessTokenTTL: seconds(accessTokenTtlMs),
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256', kid: keySet.signingKeyId() } },
      };
    },
  };
}

interface BoundAccount extends Account {
  /** The organization of the token's grant. Absent during the authorization itself, which creates the grant. */
  readonly organizationId?: OrganizationId;
  [key: string]: unknown;
}

/**
 * Returns the settings that determine the account of a token. The account is looked up at every exchange and refresh,
 * so that a disabled user or removed member gets no token.
 */
function accounts(queries: Queries): Pick<
  Configuration,
  'findAccount' | 'loadExistingGrant' | 'extraTokenClaims'
> & {
  formats: NonNullable<Configuration['formats']>;
} {
  return {
    async findAccount(_ctx, sub, token) {
      const grantId = token !== undefined && 'grantId' in token ? token.grantId : undefined;
      if (typeof grantId !== 'string') return account(sub);
      const grant = await findGrantAccess(queries, grantId);
      if (grant === undefined || grant.userDisabled || grant.userId !== sub) return undefined;
      if (grant.membership === undefined) throw unboundGrant();
      return account(sub, grant.membership.scope.organizationId);
    },
    /** Never loads an earlier grant: each authorization has its own. */
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    extraTokenClaims(ctx, token) {
      const { organizationId } = (ctx.oidc.account ?? {}) as BoundAccount;
      const grantId = 'grantId' in token ? token.grantId : undefined;
      if (organizationId === undefined || grantId === undefined) throw unboundGrant();
      return { org: organizationId, gid: grantId };
    },
    formats: {
      customizers: {
        jwt: (ctx, _token, parts) => {
          const { rest, mcp } = resourcesOf(ctx.oidc.provider.issuer);
          (parts.payload as Record<string, unknown>)['aud'] = [rest, mcp];
        },
      },
    },
  };
}

function account(accountId: string, organizationId?: OrganizationId): BoundAccount {
  return {
    accountId,
    claims: async () => ({ sub: accountId }),
    ...(organizationId !== undefined && { organizationId }),
  };
}

function renderError(pages: OAuthPages, ctx: KoaContextWithOIDC, out: ErrorParameters, error: Error): void {
  const isServerError = ctx.status >= 500;
  const message = isServerError
    ? 'The service could not complete the request. Go back to the client and try again.'
    : explain(ctx, error, out);
  const back = isServerError ? undefined : returnUnknownClient(ctx, out, message);
  showPage(pages, ctx, {
    title: isServerError ? 'Something went wrong' : 'This authorization cannot go on',
    message,
    ...(back !== undefined && { back }),
  });
}

function showHeld(pages: OAuthPages, ctx: KoaContextWithOIDC, { reason, href, name }: HeldRedirect): void {
  showPage(pages, ctx, {
    title: 'This authorization cannot go on',
    message: `A client sent you here with a request that cannot be completed: ${reason}. Nothing was granted.`,
    back: { href, name },
  });
}

function showPage(
  pages: OAuthPages,
  ctx: KoaContextWithOIDC,
  view: Omit<Parameters<OAuthPages['error']>[0], 'requestId'>,
): void {
  const requestId = ctx.res.getHeader('x-request-id');
  ctx.type = 'text/html; charset=utf-8';
  ctx.set('cache-control', 'no-store');
  ctx.body = pages.error({ ...view, ...(typeof requestId === 'string' && { requestId }) });
}

/** Returns the message for the user: our own text for common errors, the library's description for client errors. */
function explain(
  { oidc }: KoaContextWithOIDC,
  cause: Error,
  { error, error_description: description }: ErrorParameters,
): string {
  if (cause instanceof errors.SessionNotFound) return expiredAuthorization;
  if (error === 'temporarily_unavailable') {
    const reason = (description ?? 'the service is busy').replace(/\.$/, '');
    return `The service could not complete the request: ${reason}. Nothing was granted. Go back to the client and try again.`;
  }
  if (error === 'invalid_client') {
    return 'The client is not registered here, or its registration has expired. Go back to the client and try again. If that does not help, remove the connection in the client and connect it again.';
  }
  if (error === 'invalid_redirect_uri' && oidc.client?.['undocumented'] === true) {
    return 'This service has not read the metadata document of the client, so it redirects to this computer only. Nothing was granted. Go back to the client and try again: it can register itself.';
  }
  if (error === 'invalid_redirect_uri') {
    return 'The client requested a redirect to an address that it has not registered. Nothing was sent there.';
  }
  return `The client sent an invalid request: ${description ?? error}. Go back to the client and try again.`;
}

/** Removes the cookie of the library's session, which is not stored (`adapter.ts`). */
function dropSessionCookie(provider: Provider): void {
  const name = provider.cookieName('session');
  provider.use(async (ctx, next) => {
    await next();
    const cookies = [ctx.res.getHeader('set-cookie') ?? []].flat().map(String);
    const kept = cookies.filter(
      (cookie) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.sig=`),
    );
    if (kept.length === cookies.length) return;
    if (kept.length === 0) ctx.res.removeHeader('set-cookie');
    else ctx.res.setHeader('set-cookie', kept);
  });
}

/** Restores the CORS headers that `origins.ts` has set. The library would allow every origin. */
function keepCorsHeaders(provider: Provider): void {
  const names = ['access-control-allow-origin', 'access-control-expose-headers'];
  provider.use(async ({ res }, next) => {
    const decided = names.map((name) => [name, res.getHeader(name)] as const);
    await next();
    for (const [name, value] of decided) {
      if (value === undefined) res.removeHeader(name);
      else res.setHeader(name, value);
    }
  });
}

function logErrors(provider: Provider, log: Logger): void {
  provider.on('server_error', (_ctx, err: unknown) => log.error({ err }, 'authorization server failed'));
  // Koa emits errors from outside the library's handlers. Without a listener it prints them.
  (provider as EventEmitter).on('error', (err: unknown) => log.error({ err }, 'authorization server failed'));
}
