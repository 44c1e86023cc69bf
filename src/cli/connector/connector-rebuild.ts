import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { connectionPath, findConnection, remoteConnection } from './remote-connection.ts';

export const connectorRebuildCommand = defineCommand({
  description:
    'Reads everything from the provider and writes all mirrored files again, in one commit. Other files are not touched, ' +
    'and edits are committed meanwhile. "connector status" shows the progress.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: remoteFlags,
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, name } = await findConnection(api, args.connection);
      const path = `${connectionPath(id)}/rebuild`;
      const connection = await api.call({ method: 'POST', path }, remoteConnection);
      return {
        json: connection,
        text: `The rebuild of ${name} has started: "orgctx connector status ${name}".`,
      };
    }),
});
