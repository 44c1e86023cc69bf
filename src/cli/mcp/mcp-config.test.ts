import { describe, expect, it } from 'vitest';
import { runCli } from '../../../test/support/program/command-line.ts';
import { environmentClients, mcpClients } from '../../features/client-setup/mcp-client-config.ts';

const key = 'ock_0123456789';
const url = ['--url', 'https://c.example'];

/** Returns a variable as a shell would write it. */
function reference(variable: string): string {
  return `\${${variable}}`;
}

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
    ['gemini', { mcpServers: { orgctx: { httpUrl: 'https://c.example/mcp' } } }],
    ['copilot', { mcpServers: { orgctx: { type: 'http', url: 'https://c.example/mcp', tools: ['*'] } } }],
    ['zed', { context_servers: { orgctx: { url: 'https://c.example/mcp' } } }],
    ['cline', { mcpServers: { orgctx: { type: 'streamableHttp', url: 'https://c.example/mcp' } } }],
    [
      'claude-desktop',
      { mcpServers: { orgctx: { command: 'npx', args: ['-y', 'mcp-remote', 'https://c.example/mcp'] } } },
    ],
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

  it('keeps the key of claude-desktop out of the arguments, and allows plain HTTP where the URL has it', async () => {
    const words = ['--url', 'http://c.example', '--auth', 'key', '--client', 'claude-desktop'];
    const header = ['--header', `Authorization:${reference('AUTH_HEADER')}`];
    expect(JSON.parse((await config(...words, '--show-key')).stdout).mcpServers.orgctx).toEqual({
      command: 'npx',
      args: ['-y', 'mcp-remote', 'http://c.example/mcp?orgSlug=acme', '--allow-http', ...header],
      env: { AUTH_HEADER: `Bearer ${key}` },
    });
  });

  it.each(environmentClients)(
    'prints for %s a reference to the variable instead of the key',
    async (client) => {
      const { code, stdout } = await config(...url, '--client', client, '--key-from-env', 'TEAM_KEY');
      expect(code).toBe(0);
      expect(stdout).toContain('https://c.example/mcp?orgSlug=acme"');
      expect(stdout).toMatch(
        /"Bearer (\$\{(env:)?TEAM_KEY\}|\{env:TEAM_KEY\})"|bearer_token_env_var = "TEAM_KEY"/,
      );
      expect(stdout).not.toContain('API_KEY');
    },
  );

  it('prints a file for claude-code with a variable, because its command would store the value', async () => {
    const { stdout } = await config(...url, '--client', 'claude-code', '--key-from-env', 'TEAM_KEY');
    const headers = { Authorization: `Bearer ${reference('TEAM_KEY')}` };
    expect(JSON.parse(stdout).mcpServers.orgctx.headers).toEqual(headers);
  });

  // Claude Desktop and Zed by their documentation, Cline CLI 3.0.65 by what it sent.
  it.each(['claude-desktop', 'cline', 'zed'])(
    'refuses a variable for %s, and names the clients that read one',
    async (client) => {
      const { code, stderr } = await config(...url, '--client', client, '--key-from-env', 'TEAM_KEY');
      expect(code).toBe(2);
      expect(stderr).toContain(`${client} cannot read the key from the environment.`);
      expect(stderr).toContain(environmentClients.join(', '));
    },
  );

  it.each([
    [[], '--key-from-env needs --client'],
    [['--client', 'codex', '--auth', 'oauth'], '--key-from-env excludes --auth oauth'],
    [['--client', 'codex', '--show-key'], '--key-from-env excludes --show-key'],
  ])('refuses a variable with %j', async (words, message) => {
    const { code, stderr } = await config(...url, '--key-from-env', 'TEAM_KEY', ...words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it.each(['1ST', 'A-B', 'A"B', '$A', 'A B'])('refuses the name %j for a variable', async (name) => {
    const { code, stderr } = await config(...url, '--client', 'codex', '--key-from-env', name);
    expect(code).toBe(2);
    expect(stderr).toContain('--key-from-env must be the name of a variable');
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
