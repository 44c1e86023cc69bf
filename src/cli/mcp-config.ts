import type { Channel } from './frame/channel.ts';
import { defineCommand } from './frame/command.ts';
import type { CommandContext } from './frame/context.ts';
import { choice, toggle } from './frame/parameters.ts';
import { UsageError } from './frame/usage-error.ts';
import { clientConfig, commonConfig, mcpClients } from './mcp-client-config.ts';
import { readApiKey, readBaseUrl, readOrganization, remoteFlags } from './remote-target.ts';

/** Stands for the key, so that a printed configuration may be shown and committed. */
const keyPlaceholder = '<API_KEY>';

export const mcpConfigCommand = defineCommand({
  description:
    'Prints what an MCP client needs to connect. By OAuth the organization is chosen while signing in; with a key it ' +
    'stands in the URL.',
  flags: {
    client: choice(mcpClients, 'the shape that this client reads'),
    auth: choice(['oauth', 'key'], 'how the client authenticates; default oauth'),
    showKey: toggle('print ORGCTX_API_KEY itself instead of a placeholder'),
    ...remoteFlags,
  },
  examples: ['orgctx mcp config', 'orgctx mcp config --client claude-code --auth key --org acme'],
  run: async ({ flags }, context) => {
    const { client, auth = 'oauth', showKey, url, org } = flags;
    // By OAuth the organization is bound while signing in: only a flag puts one into the URL.
    const organization = auth === 'key' || org ? readOrganization(context, org) : undefined;
    if (auth === 'key' && organization === undefined) {
      throw new UsageError(
        'With a key the organization must be named.',
        'Give --org <slug> or set ORGCTX_ORG.',
      );
    }
    const query = organization === undefined ? '' : `?orgSlug=${organization}`;
    const access = {
      url: `${readBaseUrl(context, url)}/mcp${query}`,
      apiKey: auth === 'key' ? keyToPrint(showKey, context) : undefined,
    };
    const { out } = context.terminal;
    if (client === undefined) return { json: commonConfig(access), text: asJson(commonConfig(access), out) };
    const { place, content } = clientConfig(client, access);
    context.terminal.note(`${client}: ${place}`);
    const inText = typeof content === 'string';
    return { json: inText ? { place, content } : content, text: inText ? content : asJson(content, out) };
  },
});

function keyToPrint(showKey: boolean, context: CommandContext): string {
  if (!showKey) return keyPlaceholder;
  const key = readApiKey(context);
  if (key === undefined)
    throw new UsageError('--show-key needs a key.', 'Set ORGCTX_API_KEY or ORGCTX_API_KEY_FILE.');
  return key;
}

function asJson(value: unknown, channel: Channel): string {
  return JSON.stringify(value, undefined, channel.isTerminal ? 2 : 0);
}
