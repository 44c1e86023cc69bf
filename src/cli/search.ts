import { z } from 'zod';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { type ApiClient, withApi } from './api-client.ts';
import type { Channel } from './frame/channel.ts';
import { defineCommand } from './frame/command.ts';
import { integer, requiredText, text, toggle } from './frame/parameters.ts';
import type { Terminal } from './frame/terminal.ts';
import { remoteFlags } from './remote-target.ts';

const lineMatch = z.looseObject({
  line: z.number(),
  column: z.number(),
  length: z.number(),
  text: z.string(),
  textOffset: z.number().optional(),
  before: z.array(z.string()),
  after: z.array(z.string()),
});

const fileMatch = z.looseObject({
  repository: z.string(),
  branch: z.string().optional(),
  path: z.string(),
  matches: z.array(lineMatch),
  moreMatches: z.number().optional(),
});

const searchPage = z.looseObject({
  items: z.array(fileMatch),
  incomplete: z.string().nullish(),
  stats: z.looseObject({ matched: z.number() }).optional(),
  nextCursor: z.string().nullish(),
});

type SearchPage = z.output<typeof searchPage>;

type LineMatch = z.output<typeof lineMatch>;
type FileMatch = z.output<typeof fileMatch>;

export const searchCommand = defineCommand({
  description:
    'Searches the indexed code. Words are literal and all must occur in a file; also "phrase", /regex/, or, -word, ' +
    'repo: file: lang: sym: branch: content: case: type:',
  args: { query: requiredText('query', 'what to look for') },
  flags: {
    limit: integer('count', 'files in a page; 50 unless given', [1, 200]),
    cursor: text('cursor', 'the next page, as the last one named it'),
    all: toggle('every page, as one'),
    context: integer('lines', 'lines before and after each match', [0, 10]),
    ...remoteFlags,
  },
  examples: [
    'orgctx search "retry lang:typescript" --org acme',
    'orgctx search "/open\\w+\\(/ repo:api" --context 2',
    'orgctx search "sym:openIndex branch:release/*" --all --json',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { all, cursor, context: lines } = flags;
      const limit = flags.limit ?? (all ? longestPage : undefined);
      const query = { q: args.query, limit, cursor, context: lines };
      const first = await api.call({ path: '/search', query }, searchPage);
      const page = all ? await withRest(api, query, first) : first;
      if (all && cursor === undefined && isCut(page)) noteCut(page, context.terminal);
      else noteRest(page, context.terminal);
      const { out } = context.terminal;
      const show = namesBranch.test(args.query) ? 'branch' : 'path';
      return { json: page, text: page.items.map((file) => inWords(file, show, out)).join('\n\n') };
    }),
});

const longestPage = 200;

/** A query about branches: then the answer tells them, too. */
const namesBranch = /(?:^|[\s(-])(?:branch|b|rev|revision):/iu;

/** The pages from `first` on as one. */
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
    page = { ...next, items: [...page.items, ...next.items] };
  }
  const { incomplete: _, ...whole } = page;
  return missing === undefined ? whole : { ...whole, incomplete: missing };
}

/** What a page could not look at; its limit is none where another page goes on from there. */
function missingOf({ incomplete, nextCursor }: SearchPage): string | undefined {
  return incomplete === 'limit' && nextCursor ? undefined : (incomplete ?? undefined);
}

/** From what narrowing helps against to what it does not. */
const severities: readonly string[] = ['limit', 'deadline', 'damaged'];

function worse(known: string | undefined, found: string | undefined): string | undefined {
  if (known === undefined || found === undefined) return known ?? found;
  return severities.indexOf(found) > severities.indexOf(known) ? found : known;
}

/** Pages end where nobody reads on; more matched. */
function isCut({ items, stats, incomplete }: SearchPage): boolean {
  return (incomplete ?? 'limit') === 'limit' && (stats?.matched ?? 0) > items.length;
}

function noteCut({ items, stats }: SearchPage, terminal: Terminal): void {
  const matched = stats?.matched ?? 0;
  terminal.note(
    `These are ${items.length} of ${matched} files: narrow the query with repo:, file: or lang:.`,
  );
}

function noteRest({ items, incomplete, nextCursor }: SearchPage, terminal: Terminal): void {
  if (items.length === 0) terminal.note('No matches.');
  if (incomplete) terminal.note(`Incomplete (${visibleLine(incomplete)}): ${remedy(incomplete)}`);
  if (nextCursor) terminal.note(`There are more files: --cursor ${visibleLine(nextCursor)} (or --all)`);
}

function remedy(incomplete: string): string {
  return incomplete === 'damaged'
    ? 'the index of a repository is unreadable and is being built anew; search again in a few minutes.'
    : 'narrow it with repo:, file: or lang:.';
}

function inWords(file: FileMatch, show: 'branch' | 'path', channel: Channel): string {
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
