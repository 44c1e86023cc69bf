import { counted } from '../../foundation/kernel/text/counted.ts';
import { shortCommit } from '../../foundation/kernel/text/short-commit.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText, toggle } from '../frame/parameters.ts';
import { withTypedProgram } from '../frame/typed-program.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import {
  findRepository,
  type RemoteRepository,
  remoteRepository,
  repositoryPath,
} from './remote-repository.ts';
import { waitForRepository } from './wait-for-repository.ts';

export const repoSyncCommand = defineCommand({
  description:
    'Fetches and indexes new commits. Searches use the previous index until the new one is complete.',
  args: { repository: requiredText('repository', 'name, id or start of the id') },
  flags: { wait: toggle('show progress until it is indexed, then what changed'), ...remoteFlags },
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const before = await findRepository(api, args.repository);
      const path = `${repositoryPath(before.id)}/sync`;
      const started = await api.call({ method: 'POST', path }, remoteRepository);
      if (!flags.wait) return { json: started, text: withTypedProgram(startedInWords(started), context) };
      const after = await waitForRepository(api, started, context);
      return { json: after, text: changesInWords(before, after) };
    }),
});

function startedInWords({ name, indexedCommit }: RemoteRepository): string {
  const searchable = indexedCommit ? ` Searches use commit ${shortCommit(indexedCommit)} meanwhile.` : '';
  return visibleLine(
    `The sync of ${name} has started.${searchable} Run "orgctx repo status ${name} --wait" to follow it.`,
  );
}

/** Describes what a sync changed: the indexed commit and the number of files. */
function changesInWords(before: RemoteRepository, after: RemoteRepository): string {
  const { name, indexedCommit, files = 0 } = after;
  const commit = shortCommit(indexedCommit ?? '');
  if (!before.indexedCommit)
    return visibleLine(`${name} is indexed at ${commit}, ${counted(files, 'file')}.`);
  if (before.indexedCommit === indexedCommit && !otherBranches(before, after)) {
    return visibleLine(`${name} is up to date at ${commit}, ${counted(files, 'file')}, checked now.`);
  }
  const range =
    before.indexedCommit === indexedCommit
      ? `${commit}, other branches changed`
      : `${shortCommit(before.indexedCommit)}..${commit}`;
  const { files: filesBefore = 0 } = before;
  const count =
    filesBefore === files ? counted(files, 'file') : `${filesBefore} -> ${counted(files, 'file')}`;
  return visibleLine(`${name} is synced: ${range}, ${count}.`);
}

function otherBranches(before: RemoteRepository, after: RemoteRepository): boolean {
  return tipsOf(before) !== tipsOf(after);
}

function tipsOf({ branches = [] }: RemoteRepository): string {
  return JSON.stringify(branches.map(({ name, commit }) => [name, commit]));
}
