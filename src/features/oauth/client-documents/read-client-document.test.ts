import { describe, expect, it } from 'vitest';
import { readClientDocument } from './read-client-document.ts';

const clientId = 'https://client.example.com/oauth/client.json';
const document = {
  client_id: clientId,
  client_name: 'Example',
  redirect_uris: ['http://127.0.0.1/cb', 'https://client.example.com/cb'],
};
const read = (changes: object) => readClientDocument(clientId, JSON.stringify({ ...document, ...changes }));

describe('a client metadata document', () => {
  it('describes a client without a secret', () => {
    expect(read({})).toEqual({
      client_id: clientId,
      client_name: 'Example',
      application_type: 'web',
      redirect_uris: document.redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('may contain unsupported values, which are ignored', () => {
    const changes = {
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:token-exchange'],
      response_types: ['code', 'code id_token'],
      logo_uri: 'http://169.254.169.254/logo',
      jwks_uri: 'http://127.0.0.1/jwks',
    };
    expect(read(changes)).toEqual({ ...read({}), grant_types: ['authorization_code'] });
  });

  it.each([
    ['another URL', { client_id: 'https://client.example.com/oauth/other.json' }, 'must be the URL'],
    [
      'its URL in another form',
      { client_id: 'https://CLIENT.example.com/oauth/client.json' },
      'must be the URL',
    ],
    ['a list of URLs', { client_id: [clientId] }, 'with a client_id'],
    ['no URL', { client_id: undefined }, 'with a client_id'],
    ['a secret', { client_secret: 'x' }, 'client_secret'],
    ['the expiry of a secret', { client_secret_expires_at: 0 }, 'client_secret'],
    ['Basic', { token_endpoint_auth_method: 'client_secret_basic' }, 'must be none'],
    ['a secret in the body', { token_endpoint_auth_method: 'client_secret_post' }, 'must be none'],
    ['a secret for signatures', { token_endpoint_auth_method: 'client_secret_jwt' }, 'must be none'],
    ['the implicit grant', { grant_types: ['authorization_code', 'implicit'] }, 'implicit'],
    ['client credentials', { grant_types: ['client_credentials'] }, 'client_credentials'],
    ['a dangerous redirect', { redirect_uris: ['javascript:alert(1)'] }, 'javascript'],
    ['no redirect', { redirect_uris: undefined }, 'redirect_uris'],
    ['only unsupported grant types', { grant_types: ['urn:example:grant'] }, 'grant_types'],
  ])('is refused with %s', (_what, changes, message) => {
    expect(() => read(changes)).toThrow(
      expect.objectContaining({ error_description: expect.stringContaining(message) }),
    );
  });

  it.each(['', '[]', 'null', '"text"', '{', '{}'])('is refused if it is not an object: %s', (text) => {
    expect(() => readClientDocument(clientId, text)).toThrow(
      expect.objectContaining({ error: 'invalid_client_metadata' }),
    );
  });
});
