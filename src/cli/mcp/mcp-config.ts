import { clientConfig, commonConfig, mcpClients } from '../../features/client-setup/mcp-client-config.ts';
import type { Channel } from '../frame/channel.ts';
import { defineCommand } from '../frame/command.ts';
import { choice, toggle } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { readApiKeyFor, readBaseUrl, readOrganization, remoteFlags } from '../remote/remote-target.ts';

/** Placeholder for the key, so that the printed configuration can be shared and committed. */
const keyPlaceholder = '<API_KEY>';

export const mcpConfigCommand = defineCommand({
  description:
    'Prints the configuration that an MCP client needs to connect. With OAuth you choose the organization while signing ' +
    'in; with a key it is part of the URL.',
  flags: {
    client: choice(mcpClients, 'print the format of this client'),
    auth: choice(['oauth', 'key'], 'how the client authenticates; default: oauth'),
    showKey: toggle('print the value of ORGCTX_API_KEY instead of a placeholder'),
    ...remoteFlags,
  },
  examples: ['orgctx mcp config', 'orgctx mcp config --client claude-code --auth key --org acme'],
  run: async ({ flags }, context) => {
    const { client, auth = 'oauth', showKey, url, org } = flags;
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
    const readKey = () => (showKey ? keyToPrint(readApiKeyFor(baseUrl, context, url)) : keyPlaceholder);
    const access = { url: `${baseUrl}/mcp${query}`, apiKey: auth === 'key' ? readKey() : undefined };
    const { out } = context.terminal;
    if (client === undefined) return { json: commonConfig(access), text: asJson(commonConfig(access), out) };
    const { place, content } = clientConfig(client, access);
    context.terminal.note(`${client}: ${place}`);
    const inText = typeof content === 'string';
    return { json: inText ? { place, content } : content, text: inText ? content : asJson(content, out) };
  },
});

function keyToPrint(key: string | undefined): string {
  if (key === undefined)
    throw new UsageError('--show-key requires an API key.', 'Set ORGCTX_API_KEY or ORGCTX_API_KEY_FILE.');
  return key;
}

function asJson(value: unknown, channel: Channel): string {
  return JSON.stringify(value, undefined, channel.isTerminal ? 2 : 0);
}
