import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** Who signs in at the provider; nobody is asked for a password there. */
export interface UpstreamPerson {
  readonly subject: string;
  readonly email?: string;
  readonly verified?: boolean | string;
}

/** How the provider breaks the standard; the rest of its answer stays as it is. */
export interface Misbehaviour {
  /** Claims of the ID token, signed with the provider's own key. */
  readonly claims?: JWTPayload;
  /** Signs with a key that it does not publish. */
  readonly foreignKey?: boolean;
  /** The token endpoint answers nothing while this is pending. */
  readonly slow?: Promise<void>;
  /** In its metadata. */
  readonly publishedIssuer?: string;
  /** Answers everything with 500. */
  readonly broken?: boolean;
  /** Sends the browser back with this error. */
  readonly refuses?: string;
  /** Leaves the address out of the ID token, so that it has to be asked for. */
  readonly mailAtUserInfo?: boolean;
}

/** An OpenID provider on loopback that signs everybody in at once, as the current person. */
export interface OpenIdProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  person: UpstreamPerson;
  misbehaviour: Misbehaviour;
  /** Requests that it got, by path. */
  readonly asked: Map<string, number>;
  /** What a browser does at `authorizationUrl`: where it is sent back to, with code and state. */
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
    asked: new Map(),
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
    standin.asked.set(pathname, (standin.asked.get(pathname) ?? 0) + 1);
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
        // On http loopback, whatever the port.
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
      claims: () => ({ sub: subject, ...mailOf(standin.person) }),
    }),
  });
}

/** Everybody is signed in and agrees, or the provider refuses. */
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

function mailOf({ email, verified }: UpstreamPerson): Record<string, string | boolean> {
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
  const mail = misbehaviour.mailAtUserInfo === true ? {} : mailOf(person);
  const idToken = await new SignJWT({
    iss: issuer,
    aud: clientId,
    ...claims,
    ...mail,
    ...misbehaviour.claims,
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'own' })
    .sign(misbehaviour.foreignKey === true ? keys.foreign : keys.own);
  context.body = { ...tokens, id_token: idToken };
}

/** A browser with nothing but cookies: goes where it is sent until it is sent back. */
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
