import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText, toggle } from './frame/parameters.ts';
import { remoteFlags } from './remote-target.ts';
import { findRepository, repositoryInWords, repositoryPath, repositoryRecord } from './repository-record.ts';
import { waitForRepository } from './wait-for-repository.ts';

export const repoSyncCommand = defineCommand({
  description: 'Fetches what is new and indexes it. The last good index keeps answering meanwhile.',
  args: { repository: requiredText('repository', 'its name or id') },
  flags: { wait: toggle('show progress until it is indexed'), ...remoteFlags },
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { id } = await findRepository(api, args.repository);
      const started = await api.call(
        { method: 'POST', path: `${repositoryPath(id)}/sync` },
        repositoryRecord,
      );
      const repository = flags.wait ? await waitForRepository(api, started, context) : started;
      return { json: repository, text: repositoryInWords(repository, context.terminal.out) };
    }),
});
