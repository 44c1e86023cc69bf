import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { connectionPath, findConnection, remoteConnection, startedInWords } from './remote-connection.ts';

export const connectorRebuildCommand = defineCommand({
  description:
    'Reads everything from the provider and writes all mirrored files again; what differs becomes one commit. Use it if ' +
    'files are wrong and "connector sync --full" does not mend them. It takes as long as the first sync. Other files are ' +
    'not touched, and edits are committed meanwhile. The command ends at once; "connector status" shows the progress, ' +
    'and what the provider or the Git host refuses.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: remoteFlags,
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id } = await findConnection(api, args.connection);
      const path = `${connectionPath(id)}/rebuild`;
      const connection = await api.call({ method: 'POST', path }, remoteConnection);
      return { json: connection, ...startedInWords('rebuild', connection) };
    }),
});
