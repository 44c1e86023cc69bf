import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Reply } from '../tracker/http.ts';
import type { Account, User } from './types.ts';

/** An app of one account: apps of Scoped OAuth are private to the account that created them. */
export interface OncallApp {
  readonly account: Account;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Compared character by character. */
  readonly redirectUris: string[];
}

export interface Grant {
  readonly app: OncallApp;
  readonly user: User;
  readonly scopes: readonly string[];
  readonly grantedAt: number;
  revoked: boolean;
}

interface Code {
  readonly grant: Grant;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAt: number;
}

export interface OncallOauth {
  readonly apps: OncallApp[];
  /** What the person decides. */
  decision: 'allow' | 'deny';
  /** Scopes that the app lacks: the provider leaves them out of the token, without an error. */
  readonly missingScopes: Set<string>;
  readonly strays: string[];
  readonly counts: { refreshed: number; reused: number };
  authorize(parameters: URLSearchParams): Reply;
  token(form: URLSearchParams): Reply;
  grantOf(accessToken: string): Grant | undefined;
  /** Ends all authorizations, as an administrator of the account can. */
  revokeAll(): void;
}

const authorizeShape = z.strictObject({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.literal('code'),
  // A list of scopes is separated by blanks.
  scope: z.string().regex(/^[\w.]+(?: [\w.]+)*$/),
  state: z.string().optional(),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256'),
});

const client = { client_id: z.string(), client_secret: z.string() };

const tokenShape = z.discriminatedUnion('grant_type', [
  z.strictObject({
    grant_type: z.literal('authorization_code'),
    code: z.string(),
    redirect_uri: z.string(),
    code_verifier: z.string(),
    ...client,
  }),
  z.strictObject({ grant_type: z.literal('refresh_token'), refresh_token: z.string(), ...client }),
]);

const codeMs = 30_000;
const accessSeconds = 86_400;
const dayMs = 86_400_000;
/** A refresh token expires after this time without use; an authorization after this time in any case. */
const lifetimes = { refreshMs: 30 * dayMs, grantMs: 365 * dayMs } as const;

export function createOauth(): OncallOauth {
  const codes = new Map<string, Code>();
  const refreshTokens = new Map<
    string,
    { readonly grant: Grant; readonly issuedAt: number; used: boolean }
  >();
  const accessTokens = new Map<string, { readonly grant: Grant; readonly expiresAt: number }>();

  function reply(grant: Grant): Reply {
    const now = grant.app.account.now();
    const accessToken = `pdus+${randomBytes(32).toString('hex')}`;
    const refreshToken = `pdur+${randomBytes(32).toString('hex')}`;
    accessTokens.set(accessToken, { grant, expiresAt: now + accessSeconds * 1_000 });
    refreshTokens.set(refreshToken, { grant, issuedAt: now, used: false });
    return {
      status: 200,
      body: {
        access_token: accessToken,
        token_type: 'bearer',
        expires_in: accessSeconds,
        refresh_token: refreshToken,
        id_token: 'e30.e30.',
        scope: ['openid', ...grant.scopes].join(' '),
      },
    };
  }

  function exchange(app: OncallApp, form: z.output<typeof tokenShape>): Reply {
    const now = app.account.now();
    if (form.grant_type === 'authorization_code') {
      const code = codes.get(form.code);
      codes.delete(form.code);
      if (code === undefined || code.grant.app !== app || code.expiresAt <= now)
        return refusal('invalid_grant');
      const challenge = createHash('sha256').update(form.code_verifier).digest('base64url');
      if (challenge !== code.challenge) return refusal('invalid_grant', 'PKCE verification failed');
      if (form.redirect_uri !== code.redirectUri) return refusal('invalid_grant', 'redirect_uri differs');
      return reply(code.grant);
    }
    const known = refreshTokens.get(form.refresh_token);
    if (known?.used === true) oauth.counts.reused += 1;
    if (known === undefined || known.used || known.grant.app !== app || known.grant.revoked) {
      return refusal('invalid_grant', 'The refresh token is not valid.');
    }
    const isOld =
      now - known.issuedAt > lifetimes.refreshMs || now - known.grant.grantedAt > lifetimes.grantMs;
    if (isOld) return refusal('invalid_grant', 'The refresh token has expired.');
    known.used = true;
    oauth.counts.refreshed += 1;
    return reply(known.grant);
  }

  const oauth: OncallOauth = {
    apps: [],
    decision: 'allow',
    missingScopes: new Set(),
    strays: [],
    counts: { refreshed: 0, reused: 0 },
    authorize(parameters) {
      const given = authorizeShape.safeParse(Object.fromEntries(parameters));
      if (!given.success) {
        oauth.strays.push(given.error.message);
        return refusal('invalid_request', given.error.message);
      }
      const { client_id, redirect_uri, state, code_challenge, scope } = given.data;
      const app = oauth.apps.find(({ clientId }) => clientId === client_id);
      // A wrong client or redirect is shown to the person and not redirected (RFC 6749 section 4.1.2.1).
      if (app === undefined) return refusal('invalid_client');
      if (!app.redirectUris.includes(redirect_uri)) return refusal('invalid_redirect_uri');
      const { account } = app;
      const target = new URL(redirect_uri);
      if (oauth.decision === 'allow') {
        const code = randomBytes(20).toString('hex');
        const scopes = scope.split(' ').filter((each) => !oauth.missingScopes.has(each));
        const grant = { app, user: account.viewer, scopes, grantedAt: account.now(), revoked: false };
        const expiresAt = account.now() + codeMs;
        codes.set(code, { grant, redirectUri: redirect_uri, challenge: code_challenge, expiresAt });
        target.searchParams.set('code', code);
      } else target.searchParams.set('error', 'access_denied');
      if (state !== undefined) target.searchParams.set('state', state);
      return { status: 302, headers: { location: target.href } };
    },
    token(form) {
      const given = tokenShape.safeParse(Object.fromEntries(form));
      if (!given.success) {
        oauth.strays.push(given.error.message);
        return refusal('invalid_request', given.error.message);
      }
      const app = oauth.apps.find(({ clientId }) => clientId === given.data.client_id);
      if (app === undefined || app.clientSecret !== given.data.client_secret) {
        return { ...refusal('invalid_client'), status: 401 };
      }
      return exchange(app, given.data);
    },
    grantOf(accessToken) {
      const known = accessTokens.get(accessToken);
      if (known === undefined || known.grant.revoked) return undefined;
      return known.expiresAt > known.grant.app.account.now() ? known.grant : undefined;
    },
    revokeAll() {
      for (const { grant } of refreshTokens.values()) grant.revoked = true;
    },
  };
  return oauth;
}

function refusal(error: string, description?: string): Reply {
  return {
    status: 400,
    body: { error, ...(description !== undefined && { error_description: description }) },
  };
}
