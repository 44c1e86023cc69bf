/** The MCP clients whose configuration the command line and the pages can show. */
export const mcpClients = ['claude-code', 'cursor', 'vscode', 'codex', 'opencode', 'windsurf'] as const;

export type McpClient = (typeof mcpClients)[number];

export interface McpAccess {
  /** The endpoint, with `?orgSlug=` if the organization is not chosen during authorization. */
  readonly url: string;
  /** The API key for clients that do not use OAuth. */
  readonly apiKey: string | undefined;
}

/** The configuration of a client: a JSON value for a file, or text for a file or a shell. */
export interface ClientConfig {
  /** For people: the file that it belongs to, or where to run it. */
  readonly place: string;
  readonly content: Readonly<Record<string, unknown>> | string;
}

const name = 'orgctx';

/** Returns the configuration in the format of the specification (MCP endpoint rule 3), which most clients read. */
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

/**
 * Returns a shell command. Double quotes suffice: an endpoint or key cannot contain a double quote, dollar or
 * back-tick.
 */
export function claudeCommand({ url, apiKey }: McpAccess): string {
  const header = apiKey === undefined ? '' : ` --header "Authorization: Bearer ${apiKey}"`;
  return `claude mcp add --transport http ${name} "${url}"${header}`;
}

/** Codex reads literal headers from `http_headers` and ignores `headers`. */
function codexTable({ url, apiKey }: McpAccess): string {
  const header = apiKey === undefined ? [] : [`http_headers = { "Authorization" = "Bearer ${apiKey}" }`];
  return [`[mcp_servers.${name}]`, `url = "${url}"`, ...header].join('\n');
}
