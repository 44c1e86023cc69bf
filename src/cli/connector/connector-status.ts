import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { connectionInWords } from './connection-in-words.ts';
import { findConnection, nextStepOf } from './remote-connection.ts';

export const connectorStatusCommand = defineCommand({
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: remoteFlags,
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const connection = await findConnection(api, args.connection);
      const words = [connectionInWords(connection, context.terminal.out), nextStepOf(connection)];
      return { json: connection, text: words.filter(Boolean).join('\n') };
    }),
});
