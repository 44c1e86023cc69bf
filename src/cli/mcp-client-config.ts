/** MCP clients whose configuration `mcp config` can print. */
export const mcpClients = ['claude-code', 'cursor', 'vscode', 'codex', 'opencode', 'windsurf'] as const;

export type McpClient = (typeof mcpClients)[number];

export interface McpAccess {
  /** The endpoint, with `?orgSlug=` where the organization is not bound during authorization. */
  readonly url: string;
  /** For clients that do not sign in by OAuth. */
  readonly apiKey: string | undefined;
}

/** What a client wants: a value of JSON for a file, or text for a file or a shell. */
export interface ClientConfig {
  /** Where it goes, in words. */
  readonly place: string;
  readonly content: Readonly<Record<string, unknown>> | string;
}

const name = 'orgctx';

/** The shape of the specification (MCP endpoint rule 3), which most clients read. */
export function commonConfig(access: McpAccess): Readonly<Record<string, unknown>> {
  return { mcpServers: { [name]: { type: 'http', url: access.url, ...headersOf(access) } } };
}

export function clientConfig(client: McpClient, access: McpAccess): ClientConfig {
  const { url } = access;
  const headers = headersOf(access);
  switch (client) {
    case 'claude-code':
      return { place: 'run in a shell', content: claudeCommand(access) };
    case 'cursor':
      return { place: '.cursor/mcp.json', content: commonConfig(access) };
    case 'vscode':
      return {
        place: '.vscode/mcp.json',
        content: { servers: { [name]: { type: 'http', url, ...headers } } },
      };
    case 'codex':
      return { place: '~/.codex/config.toml', content: codexTable(access) };
    case 'opencode':
      return {
        place: 'opencode.json',
        content: { mcp: { [name]: { type: 'remote', url, enabled: true, ...headers } } },
      };
    case 'windsurf':
      return {
        place: '~/.codeium/windsurf/mcp_config.json',
        content: { mcpServers: { [name]: { serverUrl: url, ...headers } } },
      };
  }
}

function headersOf({ apiKey }: McpAccess): { readonly headers?: Readonly<Record<string, string>> } {
  return apiKey === undefined ? {} : { headers: { Authorization: `Bearer ${apiKey}` } };
}

/** Quoted for a shell: neither an endpoint nor a key can hold a double quote, a dollar or a back-tick. */
export function claudeCommand({ url, apiKey }: McpAccess): string {
  const header = apiKey === undefined ? '' : ` --header "Authorization: Bearer ${apiKey}"`;
  return `claude mcp add --transport http ${name} "${url}"${header}`;
}

/** Codex reads literal headers from `http_headers` and ignores `headers`. */
function codexTable({ url, apiKey }: McpAccess): string {
  const header = apiKey === undefined ? [] : [`http_headers = { "Authorization" = "Bearer ${apiKey}" }`];
  return [`[mcp_servers.${name}]`, `url = "${url}"`, ...header].join('\n');
}
