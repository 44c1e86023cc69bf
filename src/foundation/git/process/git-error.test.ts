import { describe, expect, it } from 'vitest';
import { parseSource } from '../source/parse-source.ts';
import { classifyGitFailure } from './classify-git-failure.ts';
import { redactedOutput } from './git-error.ts';

const source = parseSource('https://git.example.com/owner/name', { allowLocal: false, allowHosts: [] });

describe('redactedOutput', () => {
  it('removes the userinfo of every URL and keeps the end of a long text', () => {
    const text =
      "fatal: unable to access 'https://user:hunter2@example.com/a/': x ssh://hunter2@example.com/b";
    expect(redactedOutput(text)).toBe(
      "fatal: unable to access 'https://[redacted]@example.com/a/': x ssh://[redacted]@example.com/b",
    );
    expect(redactedOutput(`${'a\n'.repeat(5_000)}end`)).toMatch(/^(?:a\n){998}end$/);
  });

  it('removes terminal control and bidirectional characters', () => {
    expect(redactedOutput('remote: \u009b31mred\u001b[0m \u202etxt.exe\rfatal: no')).toBe(
      'remote: 31mred[0m txt.exe\nfatal: no',
    );
  });

  it('leaves no part of a secret at the end of a truncated line', () => {
    const text = `${'x '.repeat(490)}https://user:${'s3cret'.repeat(10)}@example.com/`;
    expect(redactedOutput(text)).toMatch(/^(?:x )+…$/);
  });
});

describe('classifyGitFailure', () => {
  it.each([
    ["fatal: could not read Username for 'https://h': terminal prompts disabled", 'not_found', false],
    ["fatal: repository 'https://h/a/' not found", 'not_found', false],
    ['git@h: Permission denied (publickey).', 'not_found', false],
    ["fatal: unable to access 'https://h/': Could not resolve host: h", 'unreachable', true],
    ['error: RPC failed; curl 56 Recv failure: Connection reset by peer', 'unreachable', true],
    ["fatal: unable to access 'https://h/': The requested URL returned error: 503", 'unreachable', true],
    ['Host key verification failed.\nfatal: Could not read from remote repository.', 'untrusted', false],
    ['error: inflate: data stream error (incorrect header check)', 'damaged', false],
    ['fatal: write error: No space left on device', 'disk_full', true],
    ['remote: fatal: write error: No space left on device\nfatal: early EOF', 'unreachable', true],
    ['fatal: remote error: Disk quota exceeded', 'failed', true],
    ['remote: REMOTE HOST IDENTIFICATION HAS CHANGED\nfatal: early EOF', 'unreachable', true],
    ['fatal: something new', 'failed', true],
  ])('%j', (stderr, reason, retryable) => {
    const failure = classifyGitFailure(source, stderr);
    expect(failure).toMatchObject({ reason, retryable, code: `git_${reason}`, service: 'git' });
    expect(failure.message).not.toContain('fatal:');
    expect(failure.detail).toEqual({ stderr });
  });
});
