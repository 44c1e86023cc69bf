import { errors } from 'oidc-provider';
import { describe, expect, it } from 'vitest';
import { guardRegistration } from './guard-registration.ts';

const redirect_uris = ['http://127.0.0.1:33418/cb'];

describe('a registration', () => {
  it('with only redirect URIs is a native client with a secret and refresh tokens', () => {
    expect(guardRegistration({ redirect_uris })).toEqual({
      application_type: 'native',
      redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_basic',
    });
  });

  it('of VS Code is accepted with loopback and https URIs', () => {
    const uris = ['http://127.0.0.1:33418', 'http://127.0.0.1:33418/', 'https://vscode.dev/redirect'];
    const metadata = guardRegistration({
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: uris,
      scope: 'mcp',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    });
    expect(metadata).toMatchObject({
      redirect_uris: uris,
      application_type: 'web',
    });
  });

  it.each([
    ['loopback alone', ['http://localhost:1/cb', 'http://[::1]/cb'], 'native'],
    ['a scheme of its own', ['cursor://anysphere.cursor/cb'], 'native'],
    ['a scheme of its own beside https', ['cursor://anysphere.cursor/cb', 'https://cursor.com/cb'], 'native'],
    ['https', ['https://claude.ai/api/mcp/auth_callback'], 'web'],
  ])('with %s has its type derived from the URIs, not from the request', (_what, uris, type) => {
    for (const application_type of ['web', 'native', undefined]) {
      expect(guardRegistration({ redirect_uris: uris, application_type }).application_type).toBe(type);
    }
  });

  it('of a device client needs no redirect URI', () => {
    const grant_types = ['urn:ietf:params:oauth:grant-type:device_code'];
    expect(guardRegistration({ grant_types })).toMatchObject({ response_types: [], redirect_uris: [] });
  });

  it('treats null as absent and removes duplicate redirect URIs', () => {
    const body = {
      redirect_uris: [...redirect_uris, ...redirect_uris],
      client_name: null,
      client_uri: '',
      scope: null,
    };
    expect(guardRegistration(body)).toEqual(guardRegistration({ redirect_uris }));
  });

  it('drops every field that would be fetched, displayed or trusted', () => {
    const body = {
      redirect_uris,
      client_id: 'orgctx-cli',
      client_secret: 'chosen',
      client_secret_expires_at: 1,
      jwks_uri: 'http://169.254.169.254/jwks',
      jwks: { keys: [] },
      sector_identifier_uri: 'http://127.0.0.1/sector',
      logo_uri: 'http://127.0.0.1/logo',
      policy_uri: 'https://evil.example',
      tos_uri: 'https://evil.example',
      software_statement: 'eyJhbGciOiJub25lIn0.e30.',
      initiate_login_uri: 'https://evil.example',
      post_logout_redirect_uris: ['https://evil.example'],
      'client_name#de': 'Andere',
      id_token_signed_response_alg: 'none',
      require_auth_time: true,
      ['__proto__']: { client_name: 'polluted' },
      registration_access_token: 'x',
    };
    expect(guardRegistration(body)).toEqual(guardRegistration({ redirect_uris }));
  });

  it.each(['http://example.com', 'javascript:alert(1)', 'https://user@example.com', 7, 'x'])(
    'drops a client_uri that is not a plain https URL: %s',
    (client_uri) => {
      expect(guardRegistration({ redirect_uris, client_uri })).not.toHaveProperty('client_uri');
    },
  );

  it.each([
    ['hidden characters', 'Cl\u202Eau\u200Bde\u0000', 'Claude'],
    ['lines', 'Claude\nverified by orgctx', 'Claude verified by orgctx'],
    ['surrounding white space', '   Claude \t Code ', 'Claude Code'],
    ['more than 80 characters', 'x'.repeat(1_000), `${'x'.repeat(79)}…`],
  ])('has a client name without %s', (_what, client_name, shown) => {
    expect(guardRegistration({ redirect_uris, client_name }).client_name).toBe(shown);
  });

  it('has no client name if all characters are invisible', () => {
    expect(guardRegistration({ redirect_uris, client_name: '\u200B\u2060 ' })).not.toHaveProperty(
      'client_name',
    );
  });

  it('is not limited to the scope that it names', () => {
    expect(guardRegistration({ redirect_uris, scope: 'mcp' })).not.toHaveProperty('scope');
  });

  it.each([
    ['text instead of an object', 'text', 'invalid_client_metadata'],
    ['an array', [], 'invalid_client_metadata'],
    ['nothing', null, 'invalid_client_metadata'],
    ['no redirect URI', {}, 'invalid_redirect_uri'],
    ['a string for redirect URIs', { redirect_uris: 'https://a.example/' }, 'invalid_redirect_uri'],
    ['numbers for redirect URIs', { redirect_uris: [1] }, 'invalid_redirect_uri'],
    [
      '21 redirect URIs',
      { redirect_uris: Array.from({ length: 21 }, () => 'http://127.0.0.1/cb') },
      'invalid_redirect_uri',
    ],
    [
      'one bad redirect URI among good ones',
      { redirect_uris: [...redirect_uris, 'http://evil.example/'] },
      'invalid_redirect_uri',
    ],
    ['a name that is not a string', { redirect_uris, client_name: {} }, 'invalid_client_metadata'],
    ['client credentials', { redirect_uris, grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [
      'the implicit grant',
      { redirect_uris, grant_types: ['authorization_code', 'implicit'] },
      'invalid_client_metadata',
    ],
    ['the password grant', { redirect_uris, grant_types: ['password'] }, 'invalid_client_metadata'],
    ['only the refresh grant', { redirect_uris, grant_types: ['refresh_token'] }, 'invalid_client_metadata'],
    ['no grant', { redirect_uris, grant_types: [] }, 'invalid_client_metadata'],
    ['tokens in the URL', { redirect_uris, response_types: ['token'] }, 'invalid_client_metadata'],
    ['id tokens', { redirect_uris, response_types: ['code id_token'] }, 'invalid_client_metadata'],
    [
      'a private key',
      { redirect_uris, token_endpoint_auth_method: 'private_key_jwt' },
      'invalid_client_metadata',
    ],
    ['a list of methods', { redirect_uris, token_endpoint_auth_method: ['none'] }, 'invalid_client_metadata'],
  ])('with %s is refused with a description', (_what, body, code) => {
    const refusal = refusalOf(body);
    expect(refusal.error).toBe(code);
    expect(refusal.error_description?.length).toBeGreaterThan(20);
  });
});

function refusalOf(body: unknown): errors.OIDCProviderError {
  try {
    guardRegistration(body);
  } catch (error) {
    if (error instanceof errors.OIDCProviderError) return error;
    throw error;
  }
  throw new Error('the registration was accepted');
}
