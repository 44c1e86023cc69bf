import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { requiredText, text, toggle } from './frame/parameters.ts';
import { remoteFlags } from './remote-target.ts';
import { repositoryInWords, repositoryRecord } from './repository-record.ts';
import { waitForRepository } from './wait-for-repository.ts';

export const repoAddCommand = defineCommand({
  description:
    'Adds a repository of the organization; cloning and indexing start at once. A folder must lie on the host of the ' +
    'service, which takes it only with ALLOW_LOCAL_REPOSITORIES=true.',
  args: { source: requiredText('source', 'Git URL (https or ssh), or a folder') },
  flags: {
    branch: text('name', "branch to follow; default: the source's own"),
    branches: text('names', 'further branches, with commas between them; `*` stands for any characters'),
    name: text('name', 'what to call it; default: taken from the source'),
    wait: toggle('show progress until it is indexed'),
    ...remoteFlags,
  },
  examples: [
    'orgctx repo add https://git.example.com/team/service.git --org acme --wait',
    'orgctx repo add https://git.example.com/team/service.git --branches "develop,release/*"',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { branch, name, wait } = flags;
      const branches = flags.branches?.split(',').map((pattern) => pattern.trim());
      const body = { source: sourceFrom(args.source, context.cwd), branch, branches, name };
      const added = await api.call({ method: 'POST', path: '/repositories', body }, repositoryRecord);
      const repository = wait ? await waitForRepository(api, added, context) : added;
      return { json: repository, text: repositoryInWords(repository, context.terminal.out) };
    }),
});

/** A relative folder means this shell's; the service has another working directory. */
function sourceFrom(given: string, cwd: string): string {
  const path = resolve(cwd, given);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? path : given;
}
