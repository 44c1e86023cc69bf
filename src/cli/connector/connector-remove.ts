import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { confirmed } from '../frame/confirm.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import type { Terminal } from '../frame/terminal.ts';
import { UsageError } from '../frame/usage-error.ts';
import { withApi } from '../remote/api-client.ts';
import { noContent } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { connectionPath, findConnection, type RemoteConnection } from './remote-connection.ts';

export const connectorRemoveCommand = defineCommand({
  description:
    'Disconnects an account after confirmation: a job of the worker revokes its authorization at the provider and removes ' +
    'the webhook of the repository; then the secrets are deleted. Mirrored files are kept. Without a terminal it needs --yes.',
  args: { connection: requiredText('connection', 'name, id or start of the id') },
  flags: { yes: toggle('do not ask for confirmation'), ...remoteFlags },
  examples: ['orgctx connector remove product --yes'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const connection = await findConnection(api, args.connection);
      if (!flags.yes) await requireConsent(context.terminal, connection);
      const { id, name } = connection;
      await api.call({ method: 'DELETE', path: connectionPath(id) }, noContent);
      return {
        json: { id, name, removed: true },
        text: visibleLine(
          `The connection ${name} (${id}) is removed. Its authorization is being revoked. Mirrored files are kept.`,
        ),
      };
    }),
});

async function requireConsent(terminal: Terminal, { name, account }: RemoteConnection): Promise<void> {
  const whose = account ? ` (${account.name})` : '';
  const question = visibleLine(`Remove the connection ${name}${whose}? Mirrored files are kept.`);
  if (terminal.interactive && (await confirmed(terminal, question))) return;
  throw new UsageError(
    visibleLine(`The removal of ${name} was not confirmed; nothing was changed.`),
    'Add --yes to remove it without a question.',
  );
}
