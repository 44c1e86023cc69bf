import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { connectionPath, findConnection, pullInWords, remotePullRequest } from './remote-connection.ts';

export const connectorRetryCommand = defineCommand({
  description:
    'Opens the configuration pull request of a connection again, or for the first time. What is on its branch already is ' +
    'never changed.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: remoteFlags,
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, name } = await findConnection(api, args.connection);
      const path = `${connectionPath(id)}/pull-request`;
      const pull = await api.call({ method: 'POST', path }, remotePullRequest);
      return { json: pull, text: pullInWords(name, pull) };
    }),
});
