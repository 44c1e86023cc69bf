import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { connectionInWords } from './connection-in-words.ts';
import { findConnection, nextStepOf } from './remote-connection.ts';

export const connectorStatusCommand = defineCommand({
  description:
    'Shows the state of a connection, the error to fix, and the next step; the numbers of records on the branch, of ' +
    'pending and of failed ones; the last sync, the last webhooks, and the newest failures with the time at which each ' +
    'is tried again. The exit code is 0 also for a connection with errors.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: remoteFlags,
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const connection = await findConnection(api, args.connection);
      const words = [connectionInWords(connection, context.terminal.out), nextStepOf(connection)];
      return { json: connection, text: words.filter(Boolean).join('\n') };
    }),
});
