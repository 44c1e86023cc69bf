import { defineCommand } from '../frame/command.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { connectionPath, findConnection, remoteConnection, startedInWords } from './remote-connection.ts';

export const connectorSyncCommand = defineCommand({
  description:
    'Compares the provider with the mirrored files and these with the branch now, and commits what waits, also after an ' +
    'error of the Git host. It runs by itself once per SYNC_INTERVAL. The command ends at once; "connector status" shows ' +
    'the progress, and what the provider or the Git host refuses. Before the configuration is merged, only that is read.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: {
    ...remoteFlags,
    full: toggle('read everything, which also finds what was deleted and files that the branch lost'),
  },
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id } = await findConnection(api, args.connection);
      const body = { full: flags.full };
      const call = { method: 'POST', path: `${connectionPath(id)}/sync`, body } as const;
      const connection = await api.call(call, remoteConnection);
      return { json: connection, ...startedInWords('sync', connection) };
    }),
});
