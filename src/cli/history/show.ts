import { type CommitPage, commitRecord } from '../../features/history/history-record.ts';
import { parseRepository } from '../../features/search/address.ts';
import { counted } from '../../foundation/kernel/text/counted.ts';
import { visibleLine, visibleSource, visibleText } from '../../foundation/kernel/text/visible-text.ts';
import type { Channel } from '../frame/channel.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredText, text, toggle } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { type ApiClient, withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { type Tolerant, tolerant } from '../remote/tolerant.ts';
import { findRepository, repositoryPath } from '../repo/remote-repository.ts';

const remoteCommit = tolerant(commitRecord);

type RemoteCommit = Tolerant<CommitPage>;

/** Size of a page if all are fetched, in bytes. */
const pageBytes = 65_536;

export const showCommand = defineCommand({
  description:
    'Shows a commit: its message, the files that it changed and the difference to its first parent, a page at a time.',
  args: {
    repository: requiredText(
      'repository',
      'name, id or start of the id; or repository@commit, as answers print it',
    ),
    commit: text('commit', 'id of the commit, or 7 digits or more of it; not after repository@commit'),
  },
  flags: {
    path: text('path', 'only this file, by its new or former path, or this folder'),
    lines: text('lines', 'only changes that touch these lines of the new version: 10-20, 10 or 10-'),
    all: toggle('fetch all pages'),
    cursor: text('cursor', 'cursor of the next page, as printed with the previous one'),
    ...remoteFlags,
  },
  examples: ['orgctx show service@3f2a91c', 'orgctx show service 3f2a91c --path src/lease.ts --all'],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const named = commitOf(args);
      const { id } = await findRepository(api, named.repository);
      const { path, lines, all, cursor } = flags;
      const request = {
        path: `${repositoryPath(id)}/commits/${encodeURIComponent(named.commit)}`,
        query: { path, lines, cursor, bytes: all ? pageBytes : undefined },
      };
      const first = await api.call(request, remoteCommit);
      const commit = all ? await withRest(api, request, first) : first;
      const notes = [
        ...commit.notices.map((notice) => visibleLine(notice)),
        ...(commit.nextCursor
          ? [`The difference continues: --cursor ${visibleLine(commit.nextCursor)} (or --all)`]
          : []),
      ];
      const isFirst = cursor === undefined;
      return { json: commit, text: inText(commit, isFirst, context.terminal.out), notes };
    }),
});

/** Returns the repository and the commit that the arguments name. @throws UsageError */
function commitOf({
  repository,
  commit,
}: {
  readonly repository: string;
  readonly commit: string | undefined;
}) {
  const address = parseRepository(repository);
  const hint = 'Run: orgctx show repository@commit, or: orgctx show repository commit';
  if (address.commit !== undefined && commit !== undefined)
    throw new UsageError('The commit is named twice.', hint);
  const id = address.commit ?? commit;
  if (id === undefined) throw new UsageError('No commit was given.', hint);
  return { repository: address.repository, commit: id };
}

/** Fetches the pages after `first` and joins their differences. */
async function withRest(
  api: ApiClient,
  {
    path,
    query,
  }: { readonly path: string; readonly query: Readonly<Record<string, string | number | undefined>> },
  first: RemoteCommit,
): Promise<RemoteCommit> {
  const parts = [first.diff];
  let last = first;
  while (last.nextCursor) {
    last = await api.call({ path, query: { ...query, cursor: last.nextCursor } }, remoteCommit);
    parts.push(last.diff);
  }
  return { ...first, diff: parts.join('\n'), nextCursor: last.nextCursor, notices: last.notices };
}

function inText(commit: RemoteCommit, isFirst: boolean, channel: Channel): string {
  const diff = visibleSource([...commit.continues, commit.diff].join('\n'))
    .split('\n')
    .map((line) => styled(line, channel))
    .join('\n');
  if (!isFirst) return diff;
  const { issues, pullRequest, parents, files } = commit;
  const named = [...(pullRequest === undefined ? [] : [`#${pullRequest}`]), ...issues];
  const lines = [
    channel.style('yellow', `commit ${visibleLine(commit.commit)} of ${visibleLine(commit.repository)}`),
    `author: ${visibleLine(commit.author)}`,
    `date: ${visibleLine(commit.date)}`,
    `parents: ${parents.length === 0 ? 'none' : visibleLine(parents.join(' '))}`,
    ...(named.length === 0 ? [] : [`names: ${visibleLine(named.join(', '))}`]),
    '',
    ...visibleText(commit.message)
      .split('\n')
      .map((line) => `    ${line}`),
    '',
    `${counted(files.total, 'path')} changed`,
    ...files.items.map((file) => `  ${fileLine(file)}`),
  ];
  return [...lines, ...(diff === '' ? [] : ['', diff])].join('\n');
}

function fileLine({
  path,
  renamedFrom,
  status,
  added,
  removed,
  binary,
}: RemoteCommit['files']['items'][number]): string {
  const counts = added === undefined || removed === undefined ? '' : ` +${added} -${removed}`;
  const former = renamedFrom === undefined ? '' : ` from ${renamedFrom}`;
  return visibleLine(`${status} ${path}${former}${binary ? ' (binary)' : counts}`);
}

function styled(line: string, channel: Channel): string {
  if (line.startsWith('+')) return channel.style('green', line);
  if (line.startsWith('-')) return channel.style('red', line);
  return line.startsWith('@@') ? channel.style('cyan', line) : line;
}
