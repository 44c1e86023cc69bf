import { defineCommand } from '../frame/command.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { connectionPath, findConnection, remoteConnection } from './remote-connection.ts';

export const connectorSyncCommand = defineCommand({
  description:
    'Compares the provider with the mirrored files and these with the branch now, and commits what waits, also after an ' +
    'error of the Git host. It runs by itself once per SYNC_INTERVAL.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: { ...remoteFlags, full: toggle('read everything, which also finds what was deleted') },
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, name } = await findConnection(api, args.connection);
      const body = { full: flags.full };
      const call = { method: 'POST', path: `${connectionPath(id)}/sync`, body } as const;
      const connection = await api.call(call, remoteConnection);
      return {
        json: connection,
        text: `The sync of ${name} has started: "orgctx connector status ${name}".`,
      };
    }),
});
