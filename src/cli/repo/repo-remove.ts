import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { confirmed } from '../frame/confirm.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findRepository, remoteRepository, repositoryInWords, repositoryPath } from './remote-repository.ts';

export const repoRemoveCommand = defineCommand({
  description:
    'Removes a repository with its clone and index. It is no longer searchable; the source is not changed. ' +
    'On a terminal it asks for confirmation.',
  args: { repository: requiredText('repository', 'name, id or start of the id') },
  flags: { yes: toggle('do not ask for confirmation'), ...remoteFlags },
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id, name, source } = await findRepository(api, args.repository);
      const { terminal } = context;
      const question = visibleLine(`Remove the repository ${name} (${source}) with its clone and index?`);
      if (terminal.interactive && !flags.yes && !(await confirmed(terminal, question))) {
        throw new UsageError(
          visibleLine(`The removal of ${name} was not confirmed; nothing was changed.`),
          'Add --yes to remove it without a question.',
        );
      }
      const removing = await api.call({ method: 'DELETE', path: repositoryPath(id) }, remoteRepository);
      return { json: removing, text: repositoryInWords(removing, terminal.out) };
    }),
});
