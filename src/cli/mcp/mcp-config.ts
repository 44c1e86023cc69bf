import {
  accessFromEnvironment,
  clientConfig,
  commonConfig,
  environmentClients,
  type McpAccess,
  type McpClient,
  mcpClients,
} from '../../features/client-setup/mcp-client-config.ts';
import type { Channel } from '../frame/channel.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { choice, text, toggle, type Values } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { readApiKeyFor, readBaseUrl, readOrganization, remoteFlags } from '../remote/remote-target.ts';

/** Placeholder for the key, so that the printed configuration can be shared and committed. */
const keyPlaceholder = '<API_KEY>';

const flags = {
  client: choice(mcpClients, 'print the format of this client'),
  auth: choice(['oauth', 'key'], 'how the client authenticates; default: oauth'),
  keyFromEnv: text('name', 'let the client read the key from this environment variable; implies --auth key'),
  showKey: toggle('print the value of ORGCTX_API_KEY instead of a placeholder'),
  ...remoteFlags,
};

export const mcpConfigCommand = defineCommand({
  description:
    'Prints the configuration that an MCP client needs to connect. With OAuth you choose the organization while signing ' +
    'in; with a key it is part of the URL.',
  flags,
  examples: [
    'orgctx mcp config',
    'orgctx mcp config --client claude-code --auth key --org acme',
    'orgctx mcp config --client codex --key-from-env ORGCTX_API_KEY --org acme',
  ],
  run: async ({ flags: given }, context) => {
    const { client } = given;
    const access = readAccess(given, context);
    const { out } = context.terminal;
    if (client === undefined) return { json: commonConfig(access), text: asJson(commonConfig(access), out) };
    const { place, content } = clientConfig(client, access);
    context.terminal.note(`${client}: ${place}`);
    const inText = typeof content === 'string';
    return { json: inText ? { place, content } : content, text: inText ? content : asJson(content, out) };
  },
});

/** @throws UsageError if the organization or the key is missing, or flags exclude each other */
function readAccess(given: Values<typeof flags>, context: CommandContext): McpAccess {
  const { client, keyFromEnv, showKey, url, org } = given;
  const { auth = keyFromEnv === undefined ? 'oauth' : 'key' } = given;
  // With OAuth the organization is chosen while signing in, so only the flag adds one to the URL.
  const organization = auth === 'key' || org ? readOrganization(context, org) : undefined;
  if (auth === 'key' && organization === undefined) {
    throw new UsageError(
      'A configuration with a key needs the organization.',
      'Give --org <slug> or set ORGCTX_ORG.',
    );
  }
  const query = organization === undefined ? '' : `?orgSlug=${organization}`;
  const baseUrl = readBaseUrl(context, url);
  const endpoint = `${baseUrl}/mcp${query}`;
  if (keyFromEnv !== undefined) {
    if (auth === 'oauth' || showKey) {
      const excluded = showKey ? '--show-key' : '--auth oauth';
      throw new UsageError(`--key-from-env excludes ${excluded}.`, 'Give one of them.');
    }
    return withVariable(client, endpoint, keyFromEnv);
  }
  if (auth === 'oauth') return { url: endpoint, apiKey: undefined };
  const apiKey = showKey ? keyToPrint(readApiKeyFor(baseUrl, context, url)) : keyPlaceholder;
  return { url: endpoint, apiKey };
}

/** @throws UsageError if the name is no name of a variable, or the client cannot read one */
function withVariable(client: McpClient | undefined, url: string, variable: string): McpAccess {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable)) {
    throw new UsageError('--key-from-env must be the name of a variable.', 'For example ORGCTX_API_KEY.');
  }
  const clients = environmentClients.join(', ');
  if (client === undefined) {
    throw new UsageError(
      '--key-from-env needs --client, as each client refers to variables in its own way.',
      `Give --client with one of ${clients}.`,
    );
  }
  const access = accessFromEnvironment(client, url, variable);
  if (access === undefined) {
    throw new UsageError(
      `${client} cannot read the key from the environment.`,
      `Give --auth key instead and put the key into its file. These clients can: ${clients}.`,
    );
  }
  return access;
}

function keyToPrint(key: string | undefined): string {
  if (key === undefined)
    throw new UsageError('--show-key requires an API key.', 'Set ORGCTX_API_KEY or ORGCTX_API_KEY_FILE.');
  return key;
}

function asJson(value: unknown, channel: Channel): string {
  return JSON.stringify(value, undefined, channel.isTerminal ? 2 : 0);
}
