import { describe, expect, it } from 'vitest';
import { runCli } from '../../../test/support/program/command-line.ts';
import { mcpClients } from '../../features/client-setup/mcp-client-config.ts';

const key = 'ock_0123456789';
const url = ['--url', 'https://c.example'];

function config(...words: readonly string[]) {
  return runCli(['mcp', 'config', ...words], { env: { ORGCTX_API_KEY: key, ORGCTX_ORG: 'acme' } });
}

describe('mcp config', () => {
  it('prints exactly the format of the contract', async () => {
    const expected = '{"mcpServers":{"orgctx":{"type":"http","url":"https://c.example/mcp"}}}\n';
    expect(await config(...url)).toEqual({ code: 0, stdout: expected, stderr: '' });
    expect((await config(...url, '--json')).stdout).toBe(expected);
  });

  it('adds the organization to the URL on request, and always with a key', async () => {
    expect((await config(...url, '--org', 'other')).stdout).toContain('https://c.example/mcp?orgSlug=other"');
    expect((await config(...url, '--auth', 'key')).stdout).toContain('https://c.example/mcp?orgSlug=acme"');
    expect((await runCli(['mcp', 'config', '--auth', 'key'])).code).toBe(2);
  });

  it.each(mcpClients)('prints the key for %s only on request', async (client) => {
    const words = [...url, '--auth', 'key', '--client', client];
    for (const form of [[], ['--json']]) {
      const hidden = await config(...words, ...form);
      expect(hidden.stdout).toContain('Bearer <API_KEY>');
      expect(hidden.stdout + hidden.stderr).not.toContain(key);
      expect((await config(...words, '--show-key', ...form)).stdout).toContain(`Bearer ${key}`);
    }
    expect((await config(...url, '--client', client)).stdout).not.toContain('Bearer');
  });

  it.each([
    ['cursor', { mcpServers: { orgctx: { type: 'http', url: 'https://c.example/mcp' } } }],
    ['vscode', { servers: { orgctx: { type: 'http', url: 'https://c.example/mcp' } } }],
    ['opencode', { mcp: { orgctx: { type: 'remote', url: 'https://c.example/mcp', enabled: true } } }],
    ['windsurf', { mcpServers: { orgctx: { serverUrl: 'https://c.example/mcp' } } }],
  ])('prints the JSON format of %s', async (client, expected) => {
    expect(JSON.parse((await config(...url, '--client', client)).stdout)).toEqual(expected);
  });

  it('prints a command for claude-code and a TOML table for codex', async () => {
    expect((await config(...url, '--client', 'claude-code')).stdout).toBe(
      'claude mcp add --transport http orgctx "https://c.example/mcp"\n',
    );
    expect((await config(...url, '--client', 'codex')).stdout).toBe(
      '[mcp_servers.orgctx]\nurl = "https://c.example/mcp"\n',
    );
  });

  it.each([
    [['--client', 'emacs'], '--client must be one of'],
    [['--auth', 'basic'], '--auth must be one of'],
  ])('refuses %j', async (words, message) => {
    const { code, stderr } = await config(...words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('refuses --show-key without a key', async () => {
    const words = ['mcp', 'config', '--auth', 'key', '--org', 'acme', '--show-key'];
    expect((await runCli(words)).code).toBe(2);
  });
});
