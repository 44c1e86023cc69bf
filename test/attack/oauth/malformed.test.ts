import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deviceGrant } from '../../../src/features/oauth/supported.ts';
import { openTestDatabase, type TestDatabase } from '../../support/database/databases.ts';
import type { HttpBrowser } from '../../support/http/http-browser.ts';
import { formOf, ownForm } from '../../support/http/page-visitor.ts';
import {
  openTestOauth,
  password,
  type TestClient,
  type TestOauth,
} from '../../support/identity/oauth-http.ts';

type Fields = Readonly<Record<string, string>>;

/** A working request, except for secrets that cannot be obtained without sign-in, and its optional parameters. */
interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly fields: Fields;
  readonly more?: readonly string[];
  /** Pages answer in HTML. */
  readonly page?: true;
}

const large = 'x'.repeat(100_000);

/** Every way in which a parameter of a query or form can be wrong. `good` is encoded. */
const errors: Readonly<Record<string, (name: string, good: string) => string>> = {
  'is missing': () => '',
  'is empty': (name) => `${name}=`,
  'has no value': (name) => name,
  'is given twice': (name, good) => `${name}=${good}&${name}=${good}`,
  'is given a thousand times': (name, good) =>
    Array(1_000)
      .fill(`${name}=${good.slice(0, 8)}`)
      .join('&'),
  'is a list': (name, good) => `${name}[]=${good}&${name}[]=x`,
  'is an object': (name, good) => `${name}[b]=${good}&${name}[__proto__][x]=1`,
  'is a dotted name': (name, good) => `${name}.b=${good}`,
  'is in another case': (name, good) => `${name.toUpperCase()}=${good}`,
  'is 100 KB long': (name) => `${name}=${large}`,
  'contains NUL': (name, good) => `${name}=${good}%00`,
  'contains half a surrogate pair': (name) => `${name}=%ED%A0%80`,
  'is not UTF-8': (name) => `${name}=%FF%FE%C0%AF`,
  'is not valid percent encoding': (name) => `${name}=%zz%`,
  'contains line breaks': (name) => `${name}=a%0d%0aSet-Cookie:%20evil=1`,
  'is JSON': (name) => `${name}=%7B%22%24ne%22%3Anull%7D`,
  'is an infinite number': (name) => `${name}=1e999`,
  'is a property of the prototype': (name) => `${name}=__proto__&__proto__=x&constructor=x&toString=x`,
  'is markup': (name) => `${name}=%22%27%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E`,
  'is SQL': (name) => `${name}=%27%20or%201%3D1%20--`,
};

describe('malformed, duplicated and oversized parameters', () => {
  let database: TestDatabase;
  let service: TestOauth;
  let client: TestClient;
  /** Signed in, with an authorization that waits for an answer. */
  let browser: HttpBrowser;
  let endpoints: Readonly<Record<string, Endpoint>>;

  beforeAll(async () => {
    database = await openTestDatabase('sqlite');
    service = await openTestOauth(database);
    client = await service.register();
    browser = service.browser();
    endpoints = await describeEndpoints();
  });
  afterAll(async () => {
    await service.close();
    await database.close();
  });
  beforeEach(() => database.queries.deleteFrom('attempts').execute());

  async function describeEndpoints(): Promise<typeof endpoints> {
    const { url } = service.authorizationUrl(client, { resource: `${service.baseUrl}/mcp`, scope: 'mcp' });
    const signIn = await browser.open('/.auth/sign-in');
    await browser.submit(signIn, { email: service.people.ann.email, password });
    const device = formOf((await browser.open('/.auth/device')).html);
    const waiting = formOf((await browser.open(url)).html);
    const own = { client_id: client.client_id };
    const token = { method: 'POST', path: '/.auth/token' } as const;
    return {
      authorize: {
        method: 'GET',
        path: '/.auth/authorize',
        fields: Object.fromEntries(new URL(url).searchParams),
        more: [
          'prompt',
          'response_mode',
          'nonce',
          'max_age',
          'claims',
          'display',
          'id_token_hint',
          'login_hint',
          'request',
          'request_uri',
          'dpop_jkt',
        ],
        page: true,
      },
      'authorize, resumed': { method: 'GET', path: '/.auth/authorize/x', fields: { uid: 'x' }, page: true },
      'token for a code': {
        ...token,
        fields: {
          ...own,
          grant_type: 'authorization_code',
          code: 'c'.repeat(43),
          code_verifier: 'v'.repeat(43),
          redirect_uri: client.redirectUri,
        },
        more: ['client_secret', 'resource', 'client_assertion', 'client_assertion_type', 'scope'],
      },
      'token for a refresh token': {
        ...token,
        fields: { ...own, grant_type: 'refresh_token', refresh_token: 'r'.repeat(43), scope: 'mcp' },
        more: ['resource', 'client_secret'],
      },
      'token for a device': {
        ...token,
        fields: { ...own, grant_type: deviceGrant, device_code: 'd'.repeat(43) },
        more: ['resource'],
      },
      revoke: {
        method: 'POST',
        path: '/.auth/revoke',
        fields: { ...own, token: 'r'.repeat(43), token_type_hint: 'refresh_token' },
        more: ['client_secret'],
      },
      'device authorization': {
        method: 'POST',
        path: '/.auth/device-authorization',
        fields: { ...own, scope: 'mcp', resource: `${service.baseUrl}/mcp` },
        more: ['client_secret', 'max_age', 'claims', 'prompt', 'acr_values'],
      },
      'device page': {
        method: 'GET',
        path: '/.auth/device',
        fields: { user_code: 'BCDF-GHJK', denied: '1' },
        page: true,
      },
      'device form': {
        method: 'POST',
        path: '/.auth/device',
        fields: { ...device.fields, user_code: 'BCDF-GHJK' },
        page: true,
      },
      'end of the device flow': {
        method: 'GET',
        path: '/.auth/device/done',
        fields: { client: 'orgctx-cli' },
        page: true,
      },
      'sign-in page': {
        method: 'GET',
        path: '/.auth/sign-in',
        fields: { returnTo: '/.auth/account' },
        page: true,
      },
      'consent page': { method: 'GET', path: waiting.action, fields: { organization: 'acme' }, page: true },
      'consent form': {
        method: 'POST',
        path: waiting.action,
        fields: { ...waiting.fields, organization: 'acme', decision: 'maybe' },
        page: true,
      },
      'callback of an identity provider': {
        method: 'GET',
        path: '/.auth/upstream/callback',
        fields: { state: 'x', code: 'x', iss: 'https://evil.example' },
        more: ['error', 'error_description'],
        page: true,
      },
    };
  }

  const names = [
    'authorize',
    'authorize, resumed',
    'token for a code',
    'token for a refresh token',
    'token for a device',
    'revoke',
    'device authorization',
    'device page',
    'device form',
    'end of the device flow',
    'sign-in page',
    'consent page',
    'consent form',
    'callback of an identity provider',
  ];

  const encoded = (fields: Fields): string[] =>
    Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);

  function send({ method, path }: Endpoint, text: string | Uint8Array<ArrayBuffer>): Promise<Response> {
    const signal = AbortSignal.timeout(10_000);
    if (method === 'GET') return browser.send(`${path}?${String(text)}`, { signal });
    const headers = { ...ownForm, 'content-type': 'application/x-www-form-urlencoded' };
    return browser.send(path, { method, headers, body: text, signal });
  }

  /** Expects an answer in time: no server error, and nothing of the request as markup or as a header. */
  async function expectAnswer(endpoint: Endpoint, text: string | Uint8Array<ArrayBuffer>): Promise<void> {
    const answer = await send(endpoint, text);
    const body = await answer.text();
    const what = `${endpoint.path} ${String(text).slice(0, 300)}`;
    expect([what, answer.status]).toEqual([what, expect.toSatisfy((status: number) => status < 500)]);
    expect([what, body.includes('<script'), answer.headers.getSetCookie().join().includes('evil')]).toEqual([
      what,
      false,
      false,
    ]);
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    if (endpoint.page !== true && body !== '') expect([what, isJson]).toEqual([what, true]);
  }

  const noErrors = (): void =>
    expect(service.logged.filter((line) => /"level":(50|60)/.test(line))).toEqual([]);

  it('cover all endpoints', () => {
    expect(Object.keys(endpoints)).toEqual(names);
  });

  describe.each(names)('RFC 6749 3.1, 3.2: cause no server error at %s', (name) => {
    it.each(Object.keys(errors))('when one %s', async (error) => {
      const endpoint = endpoints[name] as Endpoint;
      const { fields, more = [] } = endpoint;
      for (const parameter of [...Object.keys(fields), ...more]) {
        const { [parameter]: good = 'x', ...others } = fields;
        const written = errors[error]?.(parameter, encodeURIComponent(good)) ?? '';
        await expectAnswer(endpoint, [...encoded(others), written].filter((each) => each !== '').join('&'));
      }
      noErrors();
    });

    it('with any values (fast-check)', async () => {
      const endpoint = endpoints[name] as Endpoint;
      const known = [...Object.keys(endpoint.fields), ...(endpoint.more ?? [])];
      const parameter = fc.tuple(
        fc.oneof(
          { weight: 5, arbitrary: fc.constantFrom(...known) },
          fc.string({ unit: 'binary', maxLength: 20 }),
        ),
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.json(),
          fc.webUrl(),
          fc.constantFrom(...Object.values(endpoint.fields)),
        ),
      );
      const kept = fc.subarray(Object.keys(endpoint.fields));
      await fc.assert(
        fc.asyncProperty(kept, fc.array(parameter, { maxLength: 8 }), async (others, made) => {
          const good = Object.fromEntries(others.map((each) => [each, endpoint.fields[each] ?? '']));
          const form = new URLSearchParams(good);
          for (const [key, value] of made) form.append(key, value);
          await expectAnswer(endpoint, form.toString());
        }),
        { numRuns: 40 },
      );
      noErrors();
    });
  });

  it.each(['token for a code', 'revoke', 'device authorization', 'device form', 'consent form'])(
    'RFC 6749 3.2: cause no server error at %s when the body is not a form',
    async (name) => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), (bytes) =>
          expectAnswer({ ...(endpoints[name] as Endpoint), page: true }, new Uint8Array(bytes)),
        ),
        { numRuns: 40 },
      );
      for (const type of [
        'application/json',
        'multipart/form-data; boundary=x',
        'text/xml',
        'x',
        'a/b; c=é',
      ]) {
        const { path } = endpoints[name] as Endpoint;
        const headers = { ...ownForm, 'content-type': Buffer.from(type).toString('latin1') };
        const answer = await browser.send(path, { method: 'POST', headers, body: '{"grant_type":{"a":1}}' });
        expect([type, answer.status]).toEqual([type, expect.toSatisfy((s: number) => s >= 400 && s < 500)]);
      }
      noErrors();
    },
  );

  const members = [
    'redirect_uris',
    'client_name',
    'client_uri',
    'logo_uri',
    'contacts',
    'scope',
    'grant_types',
    'response_types',
    'application_type',
    'token_endpoint_auth_method',
    'jwks',
    'jwks_uri',
    'software_id',
    'software_statement',
    'client_id',
    'default_max_age',
    'post_logout_redirect_uris',
    '__proto__',
  ];

  it.each(members)(
    'RFC 7591 3.2.2: cause no server error in a registration with another %s',
    async (name) => {
      const values = [
        null,
        true,
        -1,
        1e308,
        '',
        '\u0000',
        '\u{D800}',
        large.slice(0, 60_000),
        [],
        [null],
        [[]],
        ['\u0000'],
        [{}],
        {},
        { a: { b: [] } },
        Array(5_000).fill('x'),
      ];
      for (const value of values) {
        await database.queries.deleteFrom('attempts').execute();
        // A property name of the prototype is only sent when the text is built by hand.
        const validFields = '"redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none"';
        const answer = await fetch(`${service.baseUrl}/.auth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: `{${validFields},${JSON.stringify(name)}:${JSON.stringify(value)}}`,
          signal: AbortSignal.timeout(10_000),
        });
        const what = JSON.stringify(value).slice(0, 100);
        expect([what, answer.status]).toEqual([what, expect.toBeOneOf([201, 400])]);
        await answer.json();
      }
      noErrors();
    },
  );

  it('RFC 7591 3.2.2: cause no server error for any registered JSON (fast-check)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 4 }), async (body) => {
        await database.queries.deleteFrom('attempts').execute();
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(`${service.baseUrl}/.auth/register`, { method: 'POST', headers, body });
        expect(answer.status).toBeLessThan(500);
        await answer.json();
      }),
      { numRuns: 60 },
    );
    noErrors();
  });
});
