import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** The person who signs in at the provider; it asks for no password. */
export interface UpstreamPerson {
  readonly subject: string;
  readonly email?: string;
  readonly verified?: boolean | string;
}

/** Deviations of the provider from the standard; the rest of its response stays correct. */
export interface Misbehaviour {
  /** Claims of the ID token, signed with the provider's own key. */
  readonly claims?: JWTPayload;
  /** Signs with a key that it does not publish. */
  readonly foreignKey?: boolean;
  /** Delays the response of the token endpoint until this settles. */
  readonly slow?: Promise<void>;
  /** Issuer in its metadata. */
  readonly publishedIssuer?: string;
  /** Responds to every request with 500. */
  readonly broken?: boolean;
  /** Sends the browser back with this error. */
  readonly refuses?: string;
  /** Omits the email address from the ID token, so that it must be read from the user info endpoint. */
  readonly emailAtUserInfo?: boolean;
}

/** A loopback OpenID provider that immediately signs everybody in as the current person. */
export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  person: UpstreamPerson;
  misbehaviour: Misbehaviour;
  /** Number of received requests by path. */
  readonly requestCounts: Map<string, number>;
  /** Follows `authorizationUrl` as a browser does; returns the redirect back to the client, with code and state. */
  visit(authorizationUrl: string): Promise<URL>;
}

export async function startOpenIdProvider(redirectUri: string): Promise<OpenIdProvider> {
  const client = { clientId: 'orgctx', clientSecret: 'a secret of the stand-in provider' };
  let answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [own, foreign] = [
    await generateKeyPair('RS256', { extractable: true }),
    await generateKeyPair('RS256'),
  ];
  const standin: OpenIdProvider = {
    issuer,
    ...client,
    person: { subject: 'ada-upstream', email: 'ada@example.com', verified: true },
    misbehaviour: {},
    requestCounts: new Map(),
    visit: (url) => visit(url, redirectUri),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const jwk = { ...(await exportJWK(own.privateKey)), kid: 'own', alg: 'RS256', use: 'sig' };
  const provider = createProvider({ ...client, redirectUri, jwk, standin });
  const keys = { own: own.privateKey, foreign: foreign.privateKey };
  provider.use(async (context, next) => {
    await next();
    await misbehave(context, standin, keys);
  });
  const callback = provider.callback();
  answer = async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    standin.requestCounts.set(pathname, (standin.requestCounts.get(pathname) ?? 0) + 1);
    if (standin.misbehaviour.broken === true) {
      response.writeHead(500).end('down');
    } else if (pathname.startsWith('/interaction/')) {
      await approve(provider, standin, { request, response });
    } else {
      await callback(request, response);
    }
  };
  return standin;
}

interface ProviderOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly jwk: Awaited<ReturnType<typeof exportJWK>>;
  readonly standin: OpenIdProvider;
}

function createProvider({ clientId, clientSecret, redirectUri, jwk, standin }: ProviderOptions): Provider {
  return new Provider(standin.issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        // Allows http on loopback with any port.
        application_type: 'native',
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    jwks: { keys: [jwk] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['cookies of the stand-in'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      Grant: 600,
      IdToken: 600,
      Interaction: 600,
      Session: 600,
    },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, ...emailClaimsOf(standin.person) }),
    }),
  });
}

/** Signs the person in and grants consent, or refuses. */
async function approve(
  provider: Provider,
  { misbehaviour, person, clientId }: OpenIdProvider,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  if (misbehaviour.refuses !== undefined) {
    await provider.interactionFinished(request, response, { error: misbehaviour.refuses });
    return;
  }
  const grant = new provider.Grant({ accountId: person.subject, clientId });
  grant.addOIDCScope('openid email profile');
  const grantId = await grant.save();
  await provider.interactionFinished(request, response, {
    login: { accountId: person.subject },
    consent: { grantId },
  });
}

function emailClaimsOf({ email, verified }: UpstreamPerson): Record<string, string | boolean> {
  return {
    ...(email !== undefined && { email }),
    ...(verified !== undefined && { email_verified: verified }),
  };
}

interface Answer {
  readonly path: string;
  body: unknown;
}

async function misbehave(
  context: Answer,
  { misbehaviour, person, clientId, issuer }: OpenIdProvider,
  keys: { readonly own: CryptoKey; readonly foreign: CryptoKey },
): Promise<void> {
  const { path } = context;
  if (path === '/.well-known/openid-configuration' && misbehaviour.publishedIssuer !== undefined) {
    context.body = { ...(context.body as object), issuer: misbehaviour.publishedIssuer };
  }
  if (path !== '/token') return;
  await misbehaviour.slow;
  const tokens = context.body as { readonly id_token?: string };
  if (tokens.id_token === undefined) return;
  const claims = JSON.parse(
    Buffer.from(tokens.id_token.split('.')[1] ?? '', 'base64url').toString('utf8'),
  ) as JWTPayload;
  const emailClaims = misbehaviour.emailAtUserInfo === true ? {} : emailClaimsOf(person);
  const idToken = await new SignJWT({
    iss: issuer,
    aud: clientId,
    ...claims,
    ...emailClaims,
    ...misbehaviour.claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'own' })
    .sign(misbehaviour.foreignKey === true ? keys.foreign : keys.own);
  context.body = { ...tokens, id_token: idToken };
}

/** Follows redirects with cookies until the redirect URI is reached. */
async function visit(authorizationUrl: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = authorizationUrl;
  for (let hop = 0; hop < 10 && !url.startsWith(`${redirectUri}?`); hop += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null)
      throw new Error(`${url} was answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url).href;
  }
  return new URL(url);
}
