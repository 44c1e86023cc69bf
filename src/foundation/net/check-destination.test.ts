import { describe, expect, it } from 'vitest';
import { InvalidInput } from '../kernel/errors.ts';
import { checkDestination } from './check-destination.ts';
import { RefusedDestination } from './outbound-error.ts';

const refused = [
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'https://user@example.com/',
  'https://user:secret@example.com/',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://db.localhost/',
  'https://ⓛocalhost/',
  'https://printer.local/',
  'https://metadata.google.internal/',
  'https://intranet/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://127.1/',
  'https://127.0.0.1./',
  'https://%31%32%37.0.0.1/',
  'https://127。0。0。1/',
  'https://１２７.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fe80::1%25eth0]/',
  'https://169.254.169.254/latest/meta-data/',
  'https://example.com:99999/',
  'no url',
  `https://example.com/${'a'.repeat(9_000)}`,
];

describe('checkDestination of a tenant URL', () => {
  it.each(refused)('refuses %s', (url) => {
    expect(() => checkDestination(url, 'tenant', [])).toThrow(RefusedDestination);
  });

  it('accepts an https URL of a public name, on any port, and requires a check of its addresses', () => {
    expect(checkDestination('https://git.example.com:8443/x', 'tenant', [])).toMatchObject({ checked: true });
  });

  it('accepts a public IP literal', () => {
    expect(checkDestination('https://8.8.8.8/', 'tenant', []).checked).toBe(true);
  });

  it('never repeats a password in its message', () => {
    expect(() => checkDestination('https://user:hunter2@example.com/', 'tenant', [])).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }),
    );
  });
});

describe('OUTBOUND_ALLOW_HOSTS', () => {
  it('permits http, any port and private addresses for a named host', () => {
    const allow = ['127.0.0.1', 'git.corp.internal:8080', '[::1]:9000'];
    expect(checkDestination('http://127.0.0.1:81/', 'tenant', allow).checked).toBe(false);
    expect(checkDestination('http://git.corp.internal:8080/', 'tenant', allow).checked).toBe(false);
    expect(checkDestination('http://[::1]:9000/', 'tenant', allow).checked).toBe(false);
    expect(checkDestination('http://2130706433/', 'tenant', allow).checked).toBe(false);
  });

  it('permits only the named port if there is one', () => {
    expect(() =>
      checkDestination('http://git.corp.internal:8081/', 'tenant', ['git.corp.internal:8080']),
    ).toThrow(RefusedDestination);
  });

  it('is not a pattern: a longer name is another host', () => {
    expect(() => checkDestination('http://127.0.0.1.evil.local/', 'tenant', ['127.0.0.1'])).toThrow();
  });

  it('does not allow credentials in the URL', () => {
    expect(() => checkDestination('http://a:b@127.0.0.1/', 'tenant', ['127.0.0.1'])).toThrow(
      RefusedDestination,
    );
  });
});

describe("checkDestination of an operator's URL", () => {
  it('accepts it as written', () => {
    expect(checkDestination('http://127.0.0.1:8080/', 'operator', []).checked).toBe(false);
  });

  it('refuses a URL that is not http', () => {
    expect(() => checkDestination('ftp://127.0.0.1/', 'operator', [])).toThrow(InvalidInput);
  });
});
