import { defineCommand } from '../frame/command.ts';
import { requiredText } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findRepository, remoteRepository, repositoryInWords, repositoryPath } from './remote-repository.ts';

export const repoRemoveCommand = defineCommand({
  description:
    'Removes a repository with its clone and index. It is no longer searchable; the source is not changed.',
  args: { repository: requiredText('repository', 'name, id or start of the id') },
  flags: remoteFlags,
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id } = await findRepository(api, args.repository);
      const removing = await api.call({ method: 'DELETE', path: repositoryPath(id) }, remoteRepository);
      return { json: removing, text: repositoryInWords(removing, context.terminal.out) };
    }),
});
