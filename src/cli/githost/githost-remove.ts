import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { confirmed } from '../frame/confirm.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { withApi } from '../remote/api-client.ts';
import { noContent } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findGithost, githostPath } from './remote-githost.ts';

export const githostRemoveCommand = defineCommand({
  description:
    'Removes a connection and its secrets. Repositories that use it must be removed, or given other credentials, first. ' +
    'On a terminal it asks for confirmation.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: { yes: toggle('do not ask for confirmation'), ...remoteFlags },
  examples: ['orgctx githost remove work'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, name, url } = await findGithost(api, args.connection);
      const { terminal } = context;
      const question = visibleLine(`Remove the Git-host connection ${name} (${url}) and its secrets?`);
      if (terminal.interactive && !flags.yes && !(await confirmed(terminal, question))) {
        throw new UsageError(
          visibleLine(`The removal of ${name} was not confirmed; nothing was changed.`),
          'Add --yes to remove it without a question.',
        );
      }
      await api.call({ method: 'DELETE', path: githostPath(id) }, noContent);
      return {
        json: { id, name, removed: true },
        text: visibleLine(`The connection ${name} (${id}) and its secrets are removed.`),
      };
    }),
});
