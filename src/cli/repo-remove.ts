import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText } from './frame/parameters.ts';
import { remoteFlags } from './remote-target.ts';
import { findRepository, repositoryInWords, repositoryPath, repositoryRecord } from './repository-record.ts';

export const repoRemoveCommand = defineCommand({
  description:
    'Removes a repository with its clone and index. Nothing answers from it from then on; the source stays.',
  args: { repository: requiredText('repository', 'its name or id') },
  flags: remoteFlags,
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id } = await findRepository(api, args.repository);
      const removing = await api.call({ method: 'DELETE', path: repositoryPath(id) }, repositoryRecord);
      return { json: removing, text: repositoryInWords(removing, context.terminal.out) };
    }),
});
