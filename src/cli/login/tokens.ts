import { z } from 'zod';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { ExternalServiceError, Unauthenticated } from '../../foundation/kernel/errors.ts';
import { parseJson } from '../../foundation/kernel/wire/parse-json.ts';
import type { HttpResponse } from '../../foundation/net/http.ts';
import { loginHint } from '../remote/login-hint.ts';
import {
  discoverLogin,
  isTransient,
  type LoginService,
  oauthErrorOf,
  oauthFailure,
  postForm,
} from './endpoints.ts';
import type { StoredLogin } from './stored-login.ts';

/**
 * A token (RFC 6749 section 5.1). It is sent in a header, so only the characters of RFC 6750 section 2.1 are allowed.
 */
const token = z.string().regex(/^[\w.~+/-]+=*$/);
const tokensShape = z.object({
  access_token: token,
  token_type: z.string().regex(/^bearer$/i),
  expires_in: z.number().positive(),
  refresh_token: token,
  scope: z.string().optional(),
});

export type LoginTokens = Pick<
  StoredLogin,
  'accessToken' | 'accessTokenExpiresAt' | 'accessTokenLifetime' | 'refreshToken' | 'scopes'
>;

/** The scopes of a login: REST and refresh tokens. Never /mcp (specification: Authentication 5). */
export const loginScopes = ['api', 'offline_access'] as const;

/** Reads the tokens of a response. @throws ExternalServiceError if it contains none */
export function readTokens(response: HttpResponse, baseUrl: string, clock: Clock): LoginTokens {
  const answer = tokensShape.safeParse(parseJson(response.body));
  if (!answer.success) {
    throw new ExternalServiceError(baseUrl, `${baseUrl} did not return tokens for the sign-in.`, {
      retryable: false,
    });
  }
  const { access_token, refresh_token, expires_in, scope } = answer.data;
  const lifetime = Math.round(expires_in * 1_000);
  return {
    accessToken: access_token,
    accessTokenExpiresAt: clock() + lifetime,
    accessTokenLifetime: lifetime,
    refreshToken: refresh_token,
    scopes: scope?.split(' ') ?? [...loginScopes],
  };
}

/**
 * Exchanges a refresh token for new tokens. It cannot be aborted, because the service may already have used up the
 * token. A lost response is requested again at once, within REFRESH_GRACE.
 * @throws Unauthenticated if the login has ended; OutboundError and others if it may still be valid
 */
export async function refreshTokens(
  service: LoginService,
  refreshToken: string,
  clock: Clock,
): Promise<LoginTokens> {
  const endpoints = await discoverLogin(service);
  const ask = () =>
    postForm(service.http, endpoints.token, { grant_type: 'refresh_token', refresh_token: refreshToken });
  const response = await ask().catch((error: unknown) => {
    if (isTransient(error)) return ask();
    throw error;
  });
  if (response.status === 200) return readTokens(response, service.baseUrl, clock);
  if (oauthErrorOf(response) === 'invalid_grant') throw loginEnded(service.baseUrl);
  throw oauthFailure(response, service.baseUrl);
}

/** Revokes the grant of a refresh token (RFC 7009). @throws if the service cannot be reached or refuses */
export async function revokeLogin(
  service: LoginService,
  refreshToken: string,
  signal: AbortSignal,
): Promise<void> {
  const { revocation } = await discoverLogin(service, signal);
  const fields = { token: refreshToken, token_type_hint: 'refresh_token' };
  const response = await postForm(service.http, revocation, fields, signal);
  if (response.status !== 200) throw oauthFailure(response, service.baseUrl);
}

function loginEnded(baseUrl: string): Unauthenticated {
  return new Unauthenticated(
    'invalid_token',
    `The login at ${baseUrl} has expired or was revoked. Sign in again: ${loginHint(baseUrl)}`,
  );
}
