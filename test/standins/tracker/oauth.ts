import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Reply } from './http.ts';

/** An OAuth application that an operator registered. */
export interface TrackerApp {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Compared byte for byte. */
  readonly redirectUris: readonly string[];
}

interface Code {
  readonly app: TrackerApp;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAt: number;
}

interface Grant {
  readonly app: TrackerApp;
  revoked: boolean;
}

export interface TrackerOauth {
  readonly apps: TrackerApp[];
  /** What the person does at the authorization page. */
  decision: 'allow' | 'deny';
  /** Scope that is granted, whatever was asked for; a list as apps from before December 2023 get it. */
  scope: string | readonly string[];
  /** Changes the body of a reply with tokens, as another version of the provider may. */
  reshape: (body: Readonly<Record<string, unknown>>) => object | string;
  accessTokenSeconds: number;
  readonly codeSeconds: number;
  /** Requests that were refused because of a parameter that no such API has. */
  readonly strays: string[];
  /** How often each kind of token request succeeded or failed. */
  readonly counts: { refreshed: number; reused: number };
  /** The form fields that each revocation had. */
  readonly revocations: string[];
  authorize(parameters: URLSearchParams): Reply;
  token(form: URLSearchParams, authorization: string | undefined): Reply;
  revoke(form: URLSearchParams, authorization: string | undefined): Reply;
  isValid(accessToken: string): boolean;
  /** Ends all tokens, as an administrator of the workspace can. */
  revokeAll(): void;
  /** Gives out tokens without an authorization. */
  issue(app: TrackerApp): { readonly accessToken: string; readonly refreshToken: string };
}

const authorizeShape = z.strictObject({
  client_id: z.string(),
  redirect_uri: z.string(),
  response_type: z.literal('code'),
  // A list of scopes is separated by commas.
  scope: z.string().regex(/^[\w:]+(?:,[\w:]+)*$/),
  state: z.string().optional(),
  prompt: z.literal('consent').optional(),
  actor: z.enum(['user', 'app']).optional(),
  code_challenge: z.string().regex(/^[\w-]{43}$/),
  code_challenge_method: z.literal('S256'),
});

const client = { client_id: z.string().optional(), client_secret: z.string().optional() };

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

const revokeShape = z.strictObject({
  access_token: z.string().optional(),
  refresh_token: z.string().optional(),
});

export function createOauth(now: () => number): TrackerOauth {
  const codes = new Map<string, Code>();
  const refreshTokens = new Map<string, { readonly grant: Grant; used: boolean }>();
  const accessTokens = new Map<string, { readonly grant: Grant; readonly expiresAt: number }>();

  const appOf = (clientId: string | undefined): TrackerApp | undefined =>
    oauth.apps.find((app) => app.clientId === clientId);

  function issueFor(grant: Grant) {
    const accessToken = `lin_oauth_${randomBytes(32).toString('hex')}`;
    const refreshToken = `lin_refresh_${randomBytes(32).toString('hex')}`;
    accessTokens.set(accessToken, { grant, expiresAt: now() + oauth.accessTokenSeconds * 1_000 });
    refreshTokens.set(refreshToken, { grant, used: false });
    return { accessToken, refreshToken };
  }

  function reply(grant: Grant): Reply {
    const { accessToken, refreshToken } = issueFor(grant);
    return {
      status: 200,
      body: oauth.reshape({
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: oauth.accessTokenSeconds,
        scope: oauth.scope,
        refresh_token: refreshToken,
      }),
    };
  }

  function exchange(app: TrackerApp, form: z.output<typeof tokenShape>): Reply {
    if (form.grant_type === 'authorization_code') {
      const code = codes.get(form.code);
      codes.delete(form.code);
      if (code === undefined || code.app !== app || code.expiresAt <= now()) return refusal('invalid_grant');
      const challenge = createHash('sha256').update(form.code_verifier).digest('base64url');
      if (challenge !== code.challenge) return refusal('invalid_grant', 'PKCE verification failed');
      if (form.redirect_uri !== code.redirectUri) return refusal('invalid_grant', 'redirect_uri differs');
      return reply({ app, revoked: false });
    }
    const known = refreshTokens.get(form.refresh_token);
    if (known === undefined || known.grant.app !== app || known.grant.revoked || known.used) {
      if (known?.used === true) oauth.counts.reused += 1;
      return refusal('invalid_grant', 'Token has been expired or revoked.');
    }
    known.used = true;
    oauth.counts.refreshed += 1;
    return reply(known.grant);
  }

  const oauth: TrackerOauth = {
    apps: [],
    decision: 'allow',
    scope: 'read',
    reshape: (body) => body,
    accessTokenSeconds: 86_399,
    codeSeconds: 600,
    strays: [],
    counts: { refreshed: 0, reused: 0 },
    revocations: [],
    authorize(parameters) {
      const given = authorizeShape.safeParse(Object.fromEntries(parameters));
      if (!given.success) {
        oauth.strays.push(given.error.message);
        return refusal('invalid_request', given.error.message);
      }
      const { client_id, redirect_uri, state, code_challenge } = given.data;
      const app = appOf(client_id);
      // A wrong client or redirect is shown to the person and not redirected (RFC 6749 section 4.1.2.1).
      if (app === undefined) return refusal('invalid_client');
      if (!app.redirectUris.includes(redirect_uri)) return refusal('invalid_redirect_uri');
      const target = new URL(redirect_uri);
      if (oauth.decision === 'allow') {
        const code = randomBytes(20).toString('hex');
        const expiresAt = now() + oauth.codeSeconds * 1_000;
        codes.set(code, { app, redirectUri: redirect_uri, challenge: code_challenge, expiresAt });
        target.searchParams.set('code', code);
      } else target.searchParams.set('error', 'access_denied');
      if (state !== undefined) target.searchParams.set('state', state);
      return { status: 302, headers: { location: target.href } };
    },
    token(form, authorization) {
      const given = tokenShape.safeParse(Object.fromEntries(form));
      if (!given.success) {
        oauth.strays.push(given.error.message);
        return refusal('invalid_request', given.error.message);
      }
      const [id, secret] = basicOf(authorization) ?? [given.data.client_id, given.data.client_secret];
      const app = appOf(id);
      if (app === undefined || app.clientSecret !== secret)
        return { ...refusal('invalid_client'), status: 401 };
      return exchange(app, given.data);
    },
    revoke(form, authorization) {
      const given = revokeShape.safeParse(Object.fromEntries(form));
      if (!given.success) {
        oauth.strays.push(given.error.message);
        return refusal('invalid_request');
      }
      oauth.revocations.push(Object.keys(given.data).join(' '));
      const { access_token, refresh_token } = given.data;
      const known = accessTokens.get(access_token ?? authorization?.replace(/^Bearer /, '') ?? '');
      const isLive = known !== undefined && known.expiresAt > now();
      const grant = refresh_token === undefined ? known?.grant : refreshTokens.get(refresh_token)?.grant;
      if (grant?.revoked === true) return { status: 400 };
      if (grant === undefined || (refresh_token === undefined && !isLive)) return { status: 401 };
      grant.revoked = true;
      return { status: 200 };
    },
    isValid(accessToken) {
      const known = accessTokens.get(accessToken);
      return known !== undefined && !known.grant.revoked && known.expiresAt > now();
    },
    revokeAll() {
      for (const { grant } of refreshTokens.values()) grant.revoked = true;
    },
    issue: (app) => issueFor({ app, revoked: false }),
  };
  return oauth;
}

function refusal(error: string, description?: string): Reply {
  return {
    status: 400,
    body: { error, ...(description !== undefined && { error_description: description }) },
  };
}

function basicOf(authorization: string | undefined): readonly string[] | undefined {
  if (authorization?.startsWith('Basic ') !== true) return undefined;
  return Buffer.from(authorization.slice(6), 'base64').toString('utf8').split(':').map(decodeURIComponent);
}
