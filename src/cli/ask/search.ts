import { z } from 'zod';
import {
  fileMatchRecord,
  lineMatchRecord,
  searchSummaryRecord,
} from '../../features/search/search-record.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import type { Channel } from '../frame/channel.ts';
import { defineCommand } from '../frame/command.ts';
import { integer, requiredWords, text, toggle } from '../frame/parameters.ts';
import { type ApiClient, withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { tolerant } from '../remote/tolerant.ts';

const lineMatch = lineMatchRecord
  .pick({
    line: true,
    column: true,
    length: true,
    text: true,
    textOffset: true,
    before: true,
    after: true,
  })
  .partial({ textOffset: true });

const fileMatch = fileMatchRecord
  .pick({ repository: true, branch: true, path: true, matches: true, moreMatches: true })
  .extend({ matches: z.array(lineMatch) })
  .partial({ branch: true, moreMatches: true });

const summary = searchSummaryRecord.shape;

const searchPage = tolerant(
  z.object({
    items: z.array(fileMatch),
    incomplete: summary.incomplete,
    stats: summary.stats.pick({ matched: true }).optional(),
    nextCursor: summary.nextCursor,
  }),
);

type SearchPage = z.output<typeof searchPage>;
type FileMatch = SearchPage['items'][number];
type LineMatch = FileMatch['matches'][number];

export const searchCommand = defineCommand({
  description:
    'Searches the indexed code. Words are literal and all must occur in a file; also "phrase", /regex/, or, -word, ' +
    'repo: file: lang: sym: branch: content: case: type:',
  args: { query: requiredWords('what to look for; several words are one query') },
  flags: {
    limit: integer('count', 'maximum number of files; default: 50', [1, 200]),
    cursor: text('cursor', 'cursor of the next page, as printed with the previous one'),
    all: toggle('fetch all pages'),
    matches: integer('count', 'maximum number of matching lines per file; default: 5', [1, 1000]),
    context: integer('lines', 'lines before and after each match', [0, 10]),
    ...remoteFlags,
  },
  examples: [
    'orgctx search retry lang:typescript',
    'orgctx search "/open\\w+\\(/ repo:api" --context 2',
    'orgctx search "sym:openIndex branch:release/*" --all --json',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { all, cursor, matches, context: lines } = flags;
      const limit = flags.limit ?? (all ? maxPageLength : undefined);
      const query = { q: args.query, limit, cursor, matches, context: lines };
      const first = await api.call({ path: '/search', query }, searchPage);
      const page = all ? await withRest(api, query, first) : first;
      const notes = all && cursor === undefined && isTruncated(page) ? [truncation(page)] : restOf(page);
      const { out } = context.terminal;
      const show = namesBranch.test(args.query) ? 'branch' : 'path';
      return { json: page, text: page.items.map((file) => toText(file, show, out)).join('\n\n'), notes };
    }),
});

const maxPageLength = 200;

/** Matches a query with a branch filter; the output then shows the branch of each file. */
const namesBranch = /(?:^|[\s(-])(?:branch|b|rev|revision):/iu;

/** Fetches the pages after `first` and merges them into one. */
async function withRest(
  api: ApiClient,
  query: Readonly<Record<string, string | number | undefined>>,
  first: SearchPage,
): Promise<SearchPage> {
  let page = first;
  let missing = missingOf(first);
  while (page.nextCursor) {
    const request = { path: '/search', query: { ...query, cursor: page.nextCursor } };
    const next = await api.call(request, searchPage);
    missing = worse(missing, missingOf(next));
    page = { ...next, items: joined(page.items, next.items) };
  }
  const { incomplete: _, ...whole } = page;
  return missing === undefined ? whole : { ...whole, incomplete: missing };
}

/** Appends a page, whose first file may continue the last one. */
function joined(items: readonly FileMatch[], next: readonly FileMatch[]): FileMatch[] {
  const [last, first] = [items.at(-1), next[0]];
  const isSame =
    last?.repository === first?.repository && last?.path === first?.path && last?.branch === first?.branch;
  if (last === undefined || first === undefined || !isSame) return [...items, ...next];
  const whole = { ...first, matches: [...last.matches, ...first.matches] };
  return [...items.slice(0, -1), whole, ...next.slice(1)];
}

/** Returns why a page is incomplete. A limit is ignored if another page continues from there. */
function missingOf({ incomplete, nextCursor }: SearchPage): string | undefined {
  return incomplete === 'limit' && nextCursor ? undefined : (incomplete ?? undefined);
}

/** Reasons by severity: a narrower query helps against the first, not against the last. */
const severities: readonly string[] = ['limit', 'deadline', 'definitions', 'damaged'];

function worse(known: string | undefined, found: string | undefined): string | undefined {
  if (known === undefined || found === undefined) return known ?? found;
  return severities.indexOf(found) > severities.indexOf(known) ? found : known;
}

/** Returns whether more files matched than all pages contain. */
function isTruncated({ items, stats, incomplete }: SearchPage): boolean {
  return (incomplete ?? 'limit') === 'limit' && (stats?.matched ?? 0) > items.length;
}

function truncation({ items, stats }: SearchPage): string {
  const matched = stats?.matched ?? 0;
  return `Showing ${items.length} of ${matched} files. Narrow the query with repo:, file: or lang:.`;
}

function restOf({ items, incomplete, nextCursor }: SearchPage): readonly string[] {
  return [
    ...(items.length === 0 ? ['No matches.'] : []),
    ...(incomplete ? [`Incomplete (${visibleLine(incomplete)}): ${remedy(incomplete)}`] : []),
    ...(nextCursor ? [`More matches are available: --cursor ${visibleLine(nextCursor)} (or --all)`] : []),
  ];
}

function remedy(incomplete: string): string {
  if (incomplete === 'definitions')
    return 'definitions are still being read, and sym: misses some. Search again in a few minutes, or without sym:.';
  return incomplete === 'damaged'
    ? 'the index of a repository is damaged and is being rebuilt. Search again in a few minutes.'
    : 'narrow the query with repo:, file: or lang:.';
}

function toText(file: FileMatch, show: 'branch' | 'path', channel: Channel): string {
  const { repository, path, branch, matches, moreMatches = 0 } = file;
  const at = show === 'branch' && branch ? channel.style('dim', visibleLine(` (${branch})`)) : '';
  const heading = channel.style('magenta', visibleLine(`${repository}/${path}`)) + at;
  const lines = matches.filter(({ length }) => length > 0).flatMap((match) => matchInLines(match, channel));
  const rest = moreMatches > 0 ? [channel.style('dim', `  and ${moreMatches} more lines`)] : [];
  return [heading, ...lines, ...rest].join('\n');
}

function matchInLines(match: LineMatch, channel: Channel): readonly string[] {
  const { line, length, textOffset = 0, before, after } = match;
  const start = match.column - 1 - textOffset;
  const end = start + length;
  const hit = channel.style(['bold', 'red'], visibleLine(match.text.slice(start, end)));
  const marked = visibleLine(match.text.slice(0, start)) + hit + visibleLine(match.text.slice(end));
  const around = (other: string, number: number): string =>
    numbered(number, '-', visibleLine(other), channel);
  return [
    ...before.map((other, index) => around(other, line - before.length + index)),
    numbered(line, ':', marked, channel),
    ...after.map((other, index) => around(other, line + 1 + index)),
  ];
}

function numbered(line: number, separator: string, content: string, channel: Channel): string {
  return `${channel.style('green', String(line))}${channel.style('dim', separator)}${content}`;
}
