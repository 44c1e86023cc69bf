import { shortCommit } from '../foundation/kernel/short-commit.ts';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import type { Channel } from './frame/channel.ts';
import { defineCommand } from './frame/command.ts';
import { integer, text } from './frame/parameters.ts';
import { remoteFlags } from './remote-target.ts';
import { type RepositoryRecord, repositoryPage, stateInWords } from './repository-record.ts';

export const repoListCommand = defineCommand({
  flags: {
    limit: integer('count', 'repositories in a page', [1, 200]),
    cursor: text('cursor', 'the next page, as the last one named it'),
    ...remoteFlags,
  },
  run: ({ flags }, context) =>
    withApi(context, flags, async (api) => {
      const { limit, cursor } = flags;
      const page = await api.call({ path: '/repositories', query: { limit, cursor } }, repositoryPage);
      if (page.nextCursor) context.terminal.note(`There are more: --cursor ${visibleLine(page.nextCursor)}`);
      if (page.items.length === 0)
        context.terminal.note('No repositories yet. Add one: orgctx repo add <source>');
      const json = { items: page.items, nextCursor: page.nextCursor ?? null };
      return { json, text: inRows(page.items, context.terminal.out) };
    }),
});

function inRows(repositories: readonly RepositoryRecord[], channel: Channel): string {
  const width = Math.max(0, ...repositories.map(({ name }) => name.length));
  return repositories
    .map((repository) => {
      const commit = shortCommit(repository.indexedCommit ?? '').padEnd(12);
      return `${visibleLine(repository.name).padEnd(width)}  ${commit}  ${stateInWords(repository, channel)}`;
    })
    .join('\n');
}
