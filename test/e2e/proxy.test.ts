import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CertificateAuthority, createCertificateAuthority } from '../standins/certificate-authority.ts';
import { hasNginx, startNginx } from '../standins/nginx.ts';
import { hasBrowser, signInAndAllow, useBrowser } from '../support/http/chromium.ts';
import { freePort } from '../support/http/free-port.ts';
import { formOf, ownForm } from '../support/http/page-visitor.ts';
import { oauth4webapiClient } from '../support/identity/oauth-clients/library-clients.ts';
import { password, steps } from '../support/identity/oauth-http.ts';
import { orgctx, start } from '../support/program/program.ts';
import { createPerson } from '../support/program/program-home.ts';
import { codeBlocks, readPage } from '../support/run/readme.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Headers with a false origin of the request. nginx forwards all of them, and the service trusts this proxy. */
const hostile: Readonly<Record<string, string>> = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example:8443',
  'x-forwarded-proto': 'http',
  'x-forwarded-port': '8443',
  'x-forwarded-prefix': '/evil.example',
  'x-forwarded-server': 'evil.example',
  'x-original-url': 'https://evil.example/',
  'x-rewrite-url': 'https://evil.example/',
  forwarded: 'for=192.0.2.1;host=evil.example;proto=http',
};

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface RequestOptions {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };
const registration = JSON.stringify({
  client_name: 'A client',
  redirect_uris: ['http://127.0.0.1:33418/callback'],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
});
const initialize: RequestOptions = {
  method: 'POST',
  headers: json,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize' }),
};

describe.skipIf(!hasNginx())('behind a reverse proxy that terminates TLS, as in the README', () => {
  const ada = { email: 'ann@example.com', password, organizations: ['acme'] };
  const authorities = getCACertificates('default');
  const closing = new AsyncDisposableStack();
  let authority: CertificateAuthority;
  let backendPort: number;
  let baseUrl: string;
  let clientId: string;

  beforeAll(async () => {
    authority = createCertificateAuthority();
    const proxyPort = await freePort();
    baseUrl = `https://127.0.0.1:${proxyPort}`;
    backendPort = await freePort();
    closing.use(await startNginx(serverBlock(authority, proxyPort, backendPort)));
    const dataDir = temporaryFolder();
    const env = { AUTH_BASE_URL: baseUrl, AUTH_SECRET: 's'.repeat(40), TRUST_PROXY: 'loopback' };
    await createPerson({ env, dataDir, [Symbol.asyncDispose]: async () => undefined }, ada);
    const serve = start(['serve', '--no-worker', '--port', String(backendPort), '--data-dir', dataDir], {
      env,
    });
    closing.defer(async () => void (await serve.stop()));
    await serve.line((text) => text.includes('"listening"'));
    // For `fetch` in this process, which the clients below use.
    setDefaultCACertificates([...authorities, authority.cert]);
    const registered = await ask('/.auth/register', { method: 'POST', headers: json, body: registration });
    clientId = (JSON.parse(registered.body) as { client_id: string }).client_id;
  });

  afterAll(async () => {
    setDefaultCACertificates(authorities);
    await closing.disposeAsync();
  });

  /** Sends a request over TLS with any Host header, which `fetch` does not allow; follows no redirects. */
  async function ask(
    path: string,
    { method = 'GET', headers = {}, body }: RequestOptions = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(baseUrl);
      // An empty server name, because otherwise the certificate would be checked against the Host header.
      const tls = { ca: authority.cert, servername: '' };
      const options = { hostname, port, path, method, headers: { ...headers }, ...tls };
      const outgoing = request(options, (answer) => {
        answer.toArray().then((chunks: Buffer[]) => {
          const { statusCode: status = 0, headers: answered } = answer;
          resolve({ status, headers: answered, body: Buffer.concat(chunks).toString() });
        }, reject);
      });
      outgoing.on('error', reject).end(body);
    });
  }

  const authorize = (): string =>
    `/.auth/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'http://127.0.0.1:33418/callback',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    })}`;
  const device = (): RequestOptions => ({
    method: 'POST',
    headers: form,
    body: new URLSearchParams({ client_id: clientId, scope: 'mcp' }).toString(),
  });

  const published: readonly [string, number, () => string, () => RequestOptions][] = [
    ['metadata of the resource', 200, () => '/.well-known/oauth-protected-resource/mcp', () => ({})],
    ['metadata of REST', 200, () => '/.well-known/oauth-protected-resource', () => ({})],
    ['metadata of the server', 200, () => '/.well-known/oauth-authorization-server', () => ({})],
    ['the same below /mcp', 200, () => '/.well-known/oauth-authorization-server/mcp', () => ({})],
    ['OpenID discovery', 200, () => '/.well-known/openid-configuration', () => ({})],
    ['the challenge of MCP', 401, () => '/mcp', () => initialize],
    ['the challenge of REST', 401, () => '/acme/api/v1/repositories', () => ({})],
    ['OpenAPI', 200, () => '/openapi.json', () => ({})],
    [
      'a registration',
      201,
      () => '/.auth/register',
      () => ({ method: 'POST', headers: json, body: registration }),
    ],
    ['a device authorization', 200, () => '/.auth/device-authorization', device],
    ['the redirect to the consent page', 303, authorize, () => ({})],
    ['an authorization error page', 400, () => '/.auth/authorize?client_id=x', () => ({})],
    ['the device page', 200, () => '/.auth/device', () => ({})],
    ['the sign-in page', 200, () => '/.auth/sign-in', () => ({})],
    ['the account page without a session', 303, () => '/.auth/account', () => ({})],
    ['an invalid link', 404, () => '/.auth/link/nothing', () => ({})],
    ['the key set', 200, () => '/.auth/jwks', () => ({})],
    ['a refused token request', 400, () => '/.auth/token', () => ({ ...device(), body: 'grant_type=x' })],
  ];

  it.each(published)(
    '%s names only AUTH_BASE_URL, whatever the headers of the request say',
    async (_what, status, path, options) => {
      const { headers = {}, ...rest } = options();
      const plain = await ask(path(), options());
      const answer = await ask(path(), { ...rest, headers: { ...headers, ...hostile } });
      expect([plain.status, answer.status]).toEqual([status, status]);
      const text = `${JSON.stringify(answer.headers)}\n${answer.body}`;
      expect(text).not.toMatch(/evil\.example|8443/);
      expect(text).not.toContain(String(backendPort));
      expect(foreignUrls(text, baseUrl)).toEqual([]);
      expect(foreignUrls(JSON.stringify(plain.headers) + plain.body, baseUrl)).toEqual([]);
    },
  );

  it('every redirect stays at AUTH_BASE_URL', async () => {
    for (const path of [authorize(), '/.auth/account']) {
      const { headers } = await ask(path, { headers: hostile });
      expect(new URL(headers.location ?? '', baseUrl).origin).toBe(baseUrl);
    }
  });

  it('every cookie is Secure, HttpOnly and SameSite, and has the __Host- prefix if its path is /', async () => {
    const visitor = steps(baseUrl).browser();
    const lines: string[] = [];
    const page = await visitor.open(authorize());
    for (const path of [authorize(), page.url, '/.auth/sign-in', '/.auth/device']) {
      lines.push(...(await visitor.send(path)).headers.getSetCookie());
    }
    const { action, fields } = formOf((await visitor.open('/.auth/sign-in')).html);
    const body = new URLSearchParams({ ...fields, email: ada.email, password });
    const answer = await visitor.send(action, { method: 'POST', headers: ownForm, body });
    lines.push(...answer.headers.getSetCookie());
    expect(lines.map((line) => line.split('=')[0])).toContain('__Host-orgctx_session');
    for (const line of lines) {
      expect(line).toMatch(/;\s*secure/i);
      expect(line).toMatch(/;\s*httponly/i);
      expect(line).toMatch(/;\s*samesite=(?:lax|strict)/i);
      if (/;\s*path=\/(?:;|$)/i.test(line)) expect(line).toMatch(/^__Host-/);
      expect(line).not.toMatch(/;\s*domain=/i);
    }
  });

  it('the account page, which explains how to connect a client, names only AUTH_BASE_URL', async () => {
    const visitor = steps(baseUrl).browser();
    await visitor.submit(await visitor.open('/.auth/sign-in'), { email: ada.email, password });
    const { host: _host, ...claimed } = hostile;
    const page = await (await visitor.send('/.auth/account', { headers: claimed })).text();
    expect(page).toContain(`${baseUrl}/mcp`);
    expect(page).toContain(ada.email);
    expect(page).not.toMatch(/evil\.example|8443/);
    expect(foreignUrls(page, baseUrl)).toEqual([]);
  });

  it('doctor mcp says ready-for-oauth where NODE_EXTRA_CA_CERTS names the authority', async () => {
    const env = { NODE_EXTRA_CA_CERTS: authority.file };
    const { code, stdout } = await orgctx(['doctor', 'mcp', '--url', `${baseUrl}/mcp`, '--json'], { env });
    const report = JSON.parse(stdout) as { status: string; checks: readonly { status: string }[] };
    expect(report.checks.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect([code, report.status]).toEqual([0, 'ready-for-oauth']);
  });

  it('doctor mcp without it fails and names the setting', async () => {
    const { code, stdout } = await orgctx(['doctor', 'mcp', '--url', `${baseUrl}/mcp`]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL\s+Backend status/);
    expect(stdout).toContain('NODE_EXTRA_CA_CERTS');
    expect(stdout).not.toMatch(/REJECT_UNAUTHORIZED/);
  });

  it('a client can register and use MCP, and its refresh token works', async () => {
    const { register, connect, refresh, use } = steps(baseUrl);
    const client = await register();
    const { status, body } = await connect(client, { parameters: { scope: 'mcp api' } });
    expect([status, await use(body.access_token)]).toEqual([200, { rest: 200, mcp: 200 }]);
    const refreshed = await refresh(client, body.refresh_token);
    expect(await use(refreshed.body.access_token)).toEqual({ rest: 200, mcp: 200 });
  });

  it('the authorization response names the issuer of the metadata', async () => {
    const { register, codeFor } = steps(baseUrl);
    const { answer } = await codeFor(await register());
    expect(answer.searchParams.get('iss')).toBe(baseUrl);
  });

  describe.skipIf(!hasBrowser())('in a browser', () => {
    const people = useBrowser(() => baseUrl);

    it('a strict client is authorized and lists the tools', async () => {
      const person = await people.newPerson({ ignoreHTTPSErrors: true });
      const session = await oauth4webapiClient.connect(`${baseUrl}/mcp`, async (url) => {
        const page = await person.newPage();
        await page.goto(String(url));
        await signInAndAllow(page, { ...ada, organization: 'acme' });
      });
      expect(await session.listTools()).toContain('svc_advisor');
      await session.close();
    });
  });
});

/** Returns the README's `server` block with the addresses and the certificate of the test. */
function serverBlock(authority: CertificateAuthority, port: number, backendPort: number): string {
  const folder = temporaryFolder();
  const { cert, key } = authority.issue(['127.0.0.1']);
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key);
  const [block = ''] = codeBlocks(readPage('README.md'), 'nginx');
  const changes: readonly (readonly [string, string])[] = [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/ssl/context.example.com.pem', join(folder, 'cert.pem')],
    ['/etc/ssl/context.example.com.key', join(folder, 'key.pem')],
    ['http://127.0.0.1:3000', `http://127.0.0.1:${backendPort}`],
  ];
  return changes.reduce((text, [from, to]) => {
    expect(text, 'the nginx block of the README').toContain(from);
    return text.replaceAll(from, to);
  }, block);
}

/** Returns the absolute URLs of other origins, except those of the client and of format definitions. */
function foreignUrls(text: string, baseUrl: string): readonly string[] {
  const own = new Set([baseUrl, 'http://127.0.0.1:33418']);
  const definitions =
    /^https?:\/\/(?:json-schema\.org|spec\.openapis\.org|www\.w3\.org|www\.rfc-editor\.org|[a-z.-]*example\.(?:com|org))/;
  const urls = text.match(/https?:\/\/[^\s"'<>\\)]+/g) ?? [];
  return urls.filter((url) => !definitions.test(url) && !own.has(new URL(url).origin));
}
