import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { noContent } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findGithost, githostPath } from './remote-githost.ts';

export const githostRemoveCommand = defineCommand({
  description:
    'Removes a connection and its secrets. Repositories that use it must be removed, or given other credentials, first.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: remoteFlags,
  examples: ['orgctx githost remove work'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, name } = await findGithost(api, args.connection);
      await api.call({ method: 'DELETE', path: githostPath(id) }, noContent);
      return {
        json: { id, name, removed: true },
        text: visibleLine(`The connection ${name} (${id}) and its secrets are removed.`),
      };
    }),
});
