import { defineCommand } from '../frame/command.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findRepository, repositoryInWords } from './remote-repository.ts';
import { waitForRepository } from './wait-for-repository.ts';

export const repoStatusCommand = defineCommand({
  args: { repository: requiredText('repository', 'name, id or start of the id') },
  flags: { wait: toggle('show progress until it is indexed'), ...remoteFlags },
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const found = await findRepository(api, args.repository);
      const repository = flags.wait ? await waitForRepository(api, found, context) : found;
      return { json: repository, text: repositoryInWords(repository, context.terminal.out) };
    }),
});
