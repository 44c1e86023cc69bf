import { describe, expect, it } from 'vitest';
import { redactLine, redactText } from './redaction.ts';

describe('redactText of a URL', () => {
  it.each([
    ['/mcp?access_token=hush&orgSlug=acme', '/mcp?access_token=[redacted]&orgSlug=acme'],
    ['/mcp?a=1&TOKEN=hush#x', '/mcp?a=1&TOKEN=[redacted]#x'],
    [
      '/api/v1/integrations/tracker/callback?code=hush&state=hush',
      '/api/v1/integrations/tracker/callback?code=[redacted]&state=[redacted]',
    ],
    ['https://me:hush@git.example/x', 'https://[redacted]@git.example/x'],
    ['https://me:hu@sh@git.example/x', 'https://[redacted]@git.example/x'],
    [`${'x'.repeat(90)}://me:hush@git.example`, `${'x'.repeat(90)}://[redacted]@git.example`],
    ['postgres://user:hush@db/orgctx', 'postgres://[redacted]@db/orgctx'],
    ['/.auth/link/hush?next=/', '/.auth/link/[redacted]?next=/'],
    ['/.AUTH//Link%2Fhush', '/.AUTH//Link%2F[redacted]'],
    ['/.auth/invitation/hush/x', '/.auth/invitation/[redacted]'],
  ])('masks the credential in %s', (url, masked) => {
    expect(redactText(url)).toBe(masked);
  });

  it.each(['/acme/api/v1/search?q=token&limit=5', '/mcp?orgSlug=acme', 'https://git.example/a/b'])(
    'leaves %s as it is',
    (url) => {
      expect(redactText(url)).toBe(url);
    },
  );
});

describe('redactText', () => {
  it('redacts keys and bearer tokens in messages of other programs', () => {
    const text = redactText('refused: Authorization: Bearer abcdefghijkl and ock_0123456789abcdef');
    expect(text).toBe('refused: Authorization: Bearer [redacted] and ock_[redacted]');
  });

  it('needs linear time for text that is built to be slow', () => {
    const text = 'a.'.repeat(100_000);
    expect(redactText(text)).toBe(text);
  });

  it('keeps the word bearer if no token follows', () => {
    expect(redactText('answers a Bearer with a 401')).toBe('answers a Bearer with a 401');
  });
});

describe('redactLine', () => {
  it('returns a line without anything suspicious unchanged', () => {
    const line = '{"level":"info",  "msg":"listening","port":3000}\n';
    expect(redactLine(line)).toBe(line);
  });

  it('redacts secrets in a line that is not JSON', () => {
    expect(redactLine('Bearer abcdefghijkl {')).toBe('Bearer [redacted] {');
  });
});
