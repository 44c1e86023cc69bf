import { z } from 'zod';
import {
  type HistoryCommit,
  historyCommitRecord,
  historyPageRecord,
} from '../../features/history/history-record.ts';
import { namedBeside } from '../../features/history/named-in-message.ts';
import { shortCommit } from '../../foundation/kernel/text/short-commit.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { type Column, formatTable } from '../frame/lists/table.ts';
import { text } from '../frame/parameters.ts';
import { parseSince } from '../frame/since.ts';
import { withApi } from '../remote/api-client.ts';
import { pageFlags } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { type Tolerant, tolerant } from '../remote/tolerant.ts';

const remoteHistory = tolerant(z.object({ ...historyPageRecord.shape, items: z.array(historyCommitRecord) }));

type RemoteCommit = Tolerant<HistoryCommit>;

const columns: readonly Column<RemoteCommit>[] = [
  { title: 'COMMIT', cell: ({ commit }) => shortCommit(commit) },
  { title: 'DATE', cell: ({ date }) => date.slice(0, 10) },
  { title: 'REPOSITORY', cell: ({ repository }) => repository },
  { title: 'AUTHOR', cell: ({ author }) => author, shrinks: 1 },
  { title: 'SUBJECT', cell: subjectOf, shrinks: 2 },
  { title: 'FILES', cell: ({ files }) => String(files.total) },
];

export const historyCommand = defineCommand({
  description:
    'Lists commits, newest first: of lines, a file (followed through renames), a folder, a repository, or of all ' +
    'repositories. Show one of them: "orgctx show <repository>@<commit>".',
  args: {
    place: text('place', 'repository, repository/path or repository/path:10-20; default: all repositories'),
  },
  flags: {
    query: text('words', 'only commits whose message has all of these words'),
    text: text('text', 'only commits that added or removed this text in a file; needs a place'),
    author: text('name', 'only commits whose author has this in the name or email'),
    since: text('time', 'only commits since then: 2026-11-21, a time, or a duration such as 2w'),
    until: text('time', 'only commits until then, likewise'),
    ...pageFlags,
    ...remoteFlags,
  },
  examples: [
    'orgctx history service/src/lease.ts:10-20',
    'orgctx history --query "retry" --since 2w',
    'orgctx history service --text renewLease',
    'orgctx history service --author ada --json',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { query, text: changed, author, limit, cursor } = flags;
      const since = timeOf(flags.since, '--since');
      const until = timeOf(flags.until, '--until');
      const request = { address: args.place, query, text: changed, author, since, until, limit, cursor };
      const page = await api.call({ path: '/history', query: request }, remoteHistory);
      const { items, nextCursor, notices } = page;
      const notes = [
        ...(items.length === 0 ? ['No commit fits. Try fewer words, or a longer time.'] : []),
        ...notices.map((notice) => visibleLine(notice)),
        ...(nextCursor ? [`More commits are available: --cursor ${visibleLine(nextCursor)}`] : []),
      ];
      return { json: page, text: formatTable(items, columns, context.terminal.out), notes };
    }),
});

function subjectOf(commit: RemoteCommit): string {
  const { subject, renamedFrom } = commit;
  const named = namedBeside(commit);
  const former = renamedFrom === undefined ? '' : ` [renamed from ${renamedFrom}]`;
  return `${subject}${named.length === 0 ? '' : ` (${named.join(', ')})`}${former}`;
}

/** Turns a duration into a time; the service reads dates and times. */
function timeOf(given: string | undefined, flag: string): string | undefined {
  const isDuration = given !== undefined && /^\d+[a-z]$/.test(given);
  return isDuration ? new Date(parseSince(given, flag)).toISOString() : given;
}
