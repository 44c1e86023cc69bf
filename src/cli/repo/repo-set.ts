import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText, text, toggle } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { findGithost } from '../githost/remote-githost.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { findRepository, remoteRepository, repositoryInWords, repositoryPath } from './remote-repository.ts';
import { sourceFrom } from './source-from.ts';
import { waitForRepository } from './wait-for-repository.ts';

export const repoSetCommand = defineCommand({
  description:
    'Changes the source, credentials, branches or name of a repository and syncs it, for example to fix one that ' +
    'failed. Searches use the previous index until the new one is complete.',
  args: { repository: requiredText('repository', 'name, id or start of the id') },
  flags: {
    source: text('source', 'Git URL (https or ssh), or a folder'),
    name: text('name', 'new name of the repository'),
    githost: text('connection', 'Git-host connection to read it with: its name, id or start of the id'),
    withoutGithost: toggle('read it without a Git-host connection'),
    branch: text('name', 'branch to follow'),
    defaultBranch: toggle('follow the default branch of the source'),
    branches: text('names', 'further branches, separated by commas, instead of the present ones'),
    wait: toggle('show progress until it is indexed'),
    ...remoteFlags,
  },
  examples: [
    'orgctx repo set service --source https://git.example.com/team/service.git --wait',
    'orgctx repo set service --branch main',
  ],
  run: ({ args, flags }, context) => {
    const changes = changesFrom(flags, context.cwd);
    return withApi(context, flags, async (api) => {
      const { id } = await findRepository(api, args.repository);
      const githost = flags.githost === undefined ? undefined : await findGithost(api, flags.githost);
      const request = {
        method: 'PATCH',
        path: repositoryPath(id),
        body: { ...changes, ...(githost && { githostConnectionId: githost.id }) },
      } as const;
      const changed = await api.call(request, remoteRepository);
      const repository = flags.wait ? await waitForRepository(api, changed, context) : changed;
      const { name } = repository;
      const next = flags.wait
        ? ''
        : `\nRun "orgctx repo status ${visibleLine(name)} --wait" to follow the sync.`;
      return { json: repository, text: repositoryInWords(repository, context.terminal.out) + next };
    });
  },
});

interface Given {
  readonly source: string | undefined;
  readonly name: string | undefined;
  readonly githost: string | undefined;
  readonly withoutGithost: boolean;
  readonly branch: string | undefined;
  readonly defaultBranch: boolean;
  readonly branches: string | undefined;
}

/** Returns the body of the request. @throws UsageError without a change, or with two of one kind */
function changesFrom(given: Given, cwd: string): object {
  const { source, name, githost, withoutGithost, branch, defaultBranch, branches } = given;
  if (branch !== undefined && defaultBranch) {
    throw new UsageError('--branch and --default-branch cannot be combined.');
  }
  if (githost !== undefined && withoutGithost) {
    throw new UsageError('--githost and --without-githost cannot be combined.');
  }
  const changes = {
    // With a connection, the source may be a full name, which is no folder.
    ...(source !== undefined && { source: githost === undefined ? sourceFrom(source, cwd) : source }),
    ...(name !== undefined && { name }),
    ...(withoutGithost && { githostConnectionId: null }),
    ...(branch !== undefined && { branch }),
    ...(defaultBranch && { branch: null }),
    ...(branches !== undefined && { branches: branches.split(',').map((pattern) => pattern.trim()) }),
  };
  if (githost === undefined && Object.keys(changes).length === 0) {
    throw new UsageError(
      'Nothing to change was given.',
      'Give --source, --githost, --without-githost, --branch, --default-branch, --branches or --name.',
    );
  }
  return changes;
}
