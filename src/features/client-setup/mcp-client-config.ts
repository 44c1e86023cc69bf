/** The MCP clients whose configuration the command line and the pages can show. */
export const mcpClients = [
  'claude-code',
  'claude-desktop',
  'cline',
  'codex',
  'copilot',
  'cursor',
  'gemini',
  'opencode',
  'vscode',
  'windsurf',
  'zed',
] as const;

export type McpClient = (typeof mcpClients)[number];

export interface McpAccess {
  /** The endpoint, with `?orgSlug=` if the organization is not chosen during authorization. */
  readonly url: string;
  /** The API key for clients that do not use OAuth, or the client's reference to `keyVariable`. */
  readonly apiKey: string | undefined;
  /** The environment variable from which the client reads the key; only `accessFromEnvironment` sets it. */
  readonly keyVariable?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** The configuration of a client: a JSON value for a file, or text for a file or a shell. */
export interface ClientConfig {
  /** For people: the file that it belongs to, or where to run it. */
  readonly place: string;
  readonly content: Json | string;
}

const name = 'orgctx';

/** Returns the configuration in the format of the specification (MCP endpoint rule 3), which most clients read. */
export function commonConfig(access: McpAccess): Json {
  return servers({ type: 'http', url: access.url, ...headersOf(access) });
}

function servers(server: Json): Json {
  return { mcpServers: { [name]: server } };
}

export function clientConfig(client: McpClient, access: McpAccess): ClientConfig {
  const { url } = access;
  const headers = headersOf(access);
  switch (client) {
    case 'claude-code':
      return access.keyVariable === undefined
        ? { place: 'run in a shell', content: claudeCommand(access) }
        : { place: '.mcp.json', content: commonConfig(access) };
    case 'claude-desktop':
      return { place: 'claude_desktop_config.json', content: servers(bridge(access)) };
    case 'cline':
      return {
        place: 'cline_mcp_settings.json',
        content: servers({ type: 'streamableHttp', url, ...headers }),
      };
    case 'codex':
      return { place: '~/.codex/config.toml', content: codexTable(access) };
    case 'copilot':
      return {
        place: '~/.copilot/mcp-config.json',
        content: servers({ type: 'http', url, ...headers, tools: ['*'] }),
      };
    case 'cursor':
      return { place: '.cursor/mcp.json', content: commonConfig(access) };
    case 'gemini':
      return { place: '~/.gemini/settings.json', content: servers({ httpUrl: url, ...headers }) };
    case 'opencode':
      return {
        place: 'opencode.json',
        content: { mcp: { [name]: { type: 'remote', url, enabled: true, ...headers } } },
      };
    case 'vscode':
      return {
        place: '.vscode/mcp.json',
        content: { servers: { [name]: { type: 'http', url, ...headers } } },
      };
    case 'windsurf':
      return {
        place: '~/.codeium/windsurf/mcp_config.json',
        content: servers({ serverUrl: url, ...headers }),
      };
    case 'zed':
      return {
        place: '~/.config/zed/settings.json',
        content: { context_servers: { [name]: { url, ...headers } } },
      };
  }
}

const shellReference = (variable: string): string => `\${${variable}}`;
const editorReference = (variable: string): string => `\${env:${variable}}`;

/**
 * The form in which a client refers to an environment variable in a header. Zed and Cline CLI 3.0.65 send headers as
 * they are written, and Claude Desktop gives the processes that it starts only the variables of its configuration.
 */
const references: Partial<Record<McpClient, (variable: string) => string>> = {
  'claude-code': shellReference,
  // Codex takes the name of the variable.
  codex: (variable) => variable,
  copilot: shellReference,
  cursor: editorReference,
  gemini: shellReference,
  opencode: (variable) => `{env:${variable}}`,
  vscode: editorReference,
  windsurf: editorReference,
};

/** The clients that can read the key from the environment. */
export const environmentClients = mcpClients.filter((client) => references[client] !== undefined);

/** Returns the access with the key in an environment variable, or `undefined` if the client cannot read it there. */
export function accessFromEnvironment(
  client: McpClient,
  url: string,
  keyVariable: string,
): McpAccess | undefined {
  const apiKey = references[client]?.(keyVariable);
  return apiKey === undefined ? undefined : { url, apiKey, keyVariable };
}

function headersOf({ apiKey }: McpAccess): { readonly headers?: Readonly<Record<string, string>> } {
  return apiKey === undefined ? {} : { headers: { Authorization: `Bearer ${apiKey}` } };
}

/**
 * Returns a shell command. Double quotes suffice: no address of a service (`isPlainHost`) and no key contains a double
 * quote, dollar or back-tick.
 */
export function claudeCommand({ url, apiKey }: McpAccess): string {
  const header = apiKey === undefined ? '' : ` --header "Authorization: Bearer ${apiKey}"`;
  return `claude mcp add --transport http ${name} "${url}"${header}`;
}

/** Codex reads literal headers from `http_headers` and ignores `headers`. */
function codexTable({ url, apiKey, keyVariable }: McpAccess): string {
  const literal = apiKey === undefined ? [] : [`http_headers = { "Authorization" = "Bearer ${apiKey}" }`];
  const header = keyVariable === undefined ? literal : [`bearer_token_env_var = "${keyVariable}"`];
  return [`[mcp_servers.${name}]`, `url = "${url}"`, ...header].join('\n');
}

/**
 * Returns the process that connects a client without HTTP. The header is in the environment, because Claude Desktop
 * on Windows splits arguments at spaces, and because other users of the computer can read arguments.
 */
function bridge({ url, apiKey }: McpAccess): Json {
  const plain = url.startsWith('http:') ? ['--allow-http'] : [];
  const header = apiKey === undefined ? [] : ['--header', `Authorization:${shellReference('AUTH_HEADER')}`];
  const env = apiKey === undefined ? {} : { env: { AUTH_HEADER: `Bearer ${apiKey}` } };
  return { command: 'npx', args: ['-y', 'mcp-remote', url, ...plain, ...header], ...env };
}
