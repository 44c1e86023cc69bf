import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { requiredText, text, toggle } from '../frame/parameters.ts';
import { findGithost } from '../githost/remote-githost.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { type RemoteRepository, remoteRepository, repositoryInWords } from './remote-repository.ts';
import { sourceFrom } from './source-from.ts';
import { waitForRepository } from './wait-for-repository.ts';

export const repoAddCommand = defineCommand({
  description:
    'Adds a repository to the organization; cloning and indexing start at once. A folder must be on the host of the ' +
    'service, which accepts it only with ALLOW_LOCAL_REPOSITORIES=true.',
  args: { source: requiredText('source', 'Git URL (https or ssh), a folder, or a full name with --githost') },
  flags: {
    branch: text('name', 'branch to follow; default: that of the source'),
    branches: text('names', 'further branches, separated by commas; `*` matches any characters'),
    name: text('name', 'name of the repository; default: derived from the source'),
    githost: text('connection', 'Git-host connection to read it with: its name, id or start of the id'),
    wait: toggle('show progress until it is indexed'),
    ...remoteFlags,
  },
  examples: [
    'orgctx repo add https://git.example.com/team/service.git --wait',
    'orgctx repo add team/service --githost work --wait',
    'orgctx repo add https://git.example.com/team/service.git --branches "develop,release/*"',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { branch, name, wait, githost } = flags;
      const branches = flags.branches?.split(',').map((pattern) => pattern.trim());
      const githostConnectionId = githost === undefined ? undefined : (await findGithost(api, githost)).id;
      const source = githost === undefined ? sourceFrom(args.source, context.cwd) : args.source;
      const body = { source, branch, branches, name, githostConnectionId };
      const added = await api.call({ method: 'POST', path: '/repositories', body }, remoteRepository);
      const repository = wait
        ? await waitForRepository(api, added, context).catch((error: unknown) => {
            if (context.signal.aborted) sayAdded(added, context);
            throw error;
          })
        : added;
      const words = `${repositoryInWords(repository, context.terminal.out)}\n${nextStep(repository)}`;
      return { json: repository, text: words };
    }),
});

/** Says, when the wait is interrupted, that the work goes on. */
function sayAdded({ name }: RemoteRepository, { terminal }: CommandContext): void {
  if (terminal.json) return;
  terminal.note(
    visibleLine(
      `${name} was added, and the service goes on to index it: "orgctx repo status ${name} --wait" follows it, ` +
        `"orgctx repo remove ${name}" removes it.`,
    ),
  );
}

/** Says how to follow the work, or how to use the repository once it is indexed. */
function nextStep({ name, state }: RemoteRepository): string {
  return visibleLine(
    state === 'indexed'
      ? `It is searchable now: orgctx search "repo:${name} <words>"`
      : `Cloning and indexing have started. Run "orgctx repo status ${name} --wait" to follow them.`,
  );
}
