import { describe, expect, it } from 'vitest';
import { isClientIdUrl } from './client-id-url.ts';

describe('a client id that is a URL', () => {
  it.each([
    'https://vscode.dev/oauth/client-metadata.json',
    'https://client.example.com:8443/client',
    'https://client.example.com/client?version=2',
    'https://client.example.com/a/',
  ])('is accepted: %s', (clientId) => {
    expect(isClientIdUrl(clientId)).toBe(true);
  });

  it.each([
    ['http', 'http://client.example.com/client'],
    ['no path', 'https://client.example.com'],
    ['an empty path', 'https://client.example.com/'],
    ['a fragment', 'https://client.example.com/client#x'],
    ['an empty fragment', 'https://client.example.com/client#'],
    ['a user name', 'https://user@client.example.com/client'],
    ['an empty user name', 'https://@client.example.com/client'],
    ['a password', 'https://:secret@client.example.com/client'],
    ['a dot segment', 'https://client.example.com/./client'],
    ['two dots', 'https://client.example.com/a/../client'],
    ['encoded dots', 'https://client.example.com/a/%2e%2E/client'],
    ['a host in capitals', 'https://CLIENT.example.com/client'],
    ['a scheme in capitals', 'HTTPS://client.example.com/client'],
    ['the default port', 'https://client.example.com:443/client'],
    ['a backslash', 'https://client.example.com\\client'],
    ['a line break', 'https://client.example.com/cli\nent'],
    ['a number for a host', 'https://2130706433/client'],
    ['no host', 'https:///client'],
    ['text that is not a URL', 'orgctx-cli'],
    ['an empty text', ''],
    ['more than the maximum length', `https://client.example.com/${'a'.repeat(2_048)}`],
  ])('is refused with %s', (_what, clientId) => {
    expect(isClientIdUrl(clientId)).toBe(false);
  });
});
