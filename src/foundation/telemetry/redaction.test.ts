import { describe, expect, it } from 'vitest';
import { measureProcessor } from '../../../test/support/run/processor-time.ts';
import { redactLine, redactText, withoutKeys, withoutSecret } from './redaction.ts';

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

describe('withoutSecret', () => {
  const secret = 'Tr0ub4dor/and+Three=words?';
  const base64 = (text: string, encoding: 'base64' | 'base64url' = 'base64') =>
    Buffer.from(text).toString(encoding);

  it.each([
    secret,
    secret.toUpperCase(),
    secret.slice(0, -2),
    secret.slice(3, 11),
    encodeURIComponent(secret),
    base64(secret),
    base64(`:${secret}`),
    base64(`x:${secret}`),
    base64(`oauth2:${secret}`, 'base64url'),
    Buffer.from(secret).toString('hex'),
  ])('redacts %s', (form) => {
    expect(withoutSecret(`Got "${form}".`, secret)).toMatch(/^Got "[^"]{0,2}\[redacted\][^"]{0,2}"\.$/u);
  });

  it('redacts a short secret as a whole, and nothing for an empty one', () => {
    expect(withoutSecret('Hush or hus.', 'hush')).toBe('[redacted] or hus.');
    expect(withoutSecret('Hush.', '')).toBe('Hush.');
  });

  it('keeps words that share less than 8 characters with the secret', () => {
    expect(withoutSecret('Three=wanted and ub4dor', secret)).toBe('Three=wanted and ub4dor');
  });

  it.each([400_000, 20])('takes little time for a long text (secret of %i characters)', (length) => {
    const processorMs = measureProcessor();
    withoutSecret('ab'.repeat(500_000), 'ab'.repeat(length / 2));
    withoutKeys('a1.'.repeat(300_000), 'a1'.repeat(length / 2));
    expect(processorMs()).toBeLessThan(10_000);
  });
});

describe('withoutKeys', () => {
  it.each([
    'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
    'github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz',
    'ghs_ab12',
    'r8_Hw1ZkQ0Yp3Vn8sTf2Lx5Bd7Gj9Rm4Cq6Xa',
    'xoxb-123456789012-1234567890123-AbCdEfGhIjKl',
    'ya29.a0AfH6SMBx-abc_def',
    '550e8400-e29b-41d4-a716-446655440000',
    'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    '0123456789abcdef-xyz',
    'ab12-cd34-ef56-gh78',
    'abcdefghijklmnop1234',
    'abcdefghijkl123ab',
    '88dc28d088dc28d088dc28d088dc28d088dc28d0',
  ])('redacts %s, which nobody named', (key) => {
    expect(withoutKeys(`The key ${key} is wrong, {"key":"${key}"}`, '')).toBe(
      'The key [redacted] is wrong, {"key":"[redacted]"}',
    );
  });

  it.each([
    'gpt-4o-mini-2024-07-18',
    'claude-3-5-sonnet-20241022',
    'us.anthropic.claude-3-5-sonnet-20241022-v2:0',
    'meta-llama/Meta-Llama-3.1-405B-Instruct-Turbo',
    'accounts/fireworks/models/llama-v3p1-405b-instruct',
    'mistralai/Mixtral-8x22B-Instruct-v0.1',
    'qwen2.5-coder-32b-instruct',
    'deepseek-r1-distill-llama-70b',
    'gemini-2.0-flash-thinking-exp-01-21',
    'https://platform.openai.com/account/api-keys',
    'https://help.openai.com/en/articles/6891753-what-are-the-best-practices',
    'https://docs.anthropic.com/en/api/errors#http-errors',
    'https://docs.github.com/rest/repos/webhooks?apiVersion=2022-11-28#create-a-repository-webhook',
    'https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct',
    'context_length_exceeded',
    '2026-11-27T10:00:00.000Z',
    '/v1/projects/demo/locations/us-central1/endpoints/chat',
  ])('keeps %s', (text) => {
    expect(withoutKeys(`See ${text}.`, 'secret-of-nobody')).toBe(`See ${text}.`);
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
