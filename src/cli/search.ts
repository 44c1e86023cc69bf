import { z } from 'zod';
import { visibleLine } from '../foundation/kernel/visible-text.ts';
import { withApi } from './api-client.ts';
import type { Channel } from './frame/channel.ts';
import { defineCommand } from './frame/command.ts';
import { integer, requiredText, text } from './frame/parameters.ts';
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
  path: z.string(),
  matches: z.array(lineMatch),
  moreMatches: z.number().optional(),
});

const searchPage = z.looseObject({
  items: z.array(fileMatch),
  incomplete: z.string().nullish(),
  nextCursor: z.string().nullish(),
});

type LineMatch = z.output<typeof lineMatch>;
type FileMatch = z.output<typeof fileMatch>;

export const searchCommand = defineCommand({
  description:
    'Searches the indexed code. Words are literal and all must occur in a file; also "phrase", /regex/, or, -word, ' +
    'repo: file: lang: content: case:',
  args: { query: requiredText('query', 'what to look for') },
  flags: {
    limit: integer('count', 'files in a page; 50 unless given', [1, 200]),
    cursor: text('cursor', 'the next page, as the last one named it'),
    context: integer('lines', 'lines before and after each match', [0, 10]),
    ...remoteFlags,
  },
  examples: [
    'orgctx search "retry lang:typescript" --org acme',
    'orgctx search "/open\\w+\\(/ repo:api" --context 2',
  ],
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const { limit, cursor, context: lines } = flags;
      const query = { q: args.query, limit, cursor, context: lines };
      const page = await api.call({ path: '/search', query }, searchPage);
      noteRest(page, context.terminal);
      return { json: page, text: page.items.map((file) => inWords(file, context.terminal.out)).join('\n\n') };
    }),
});

function noteRest({ items, incomplete, nextCursor }: z.output<typeof searchPage>, terminal: Terminal): void {
  if (items.length === 0) terminal.note('No matches.');
  if (incomplete) terminal.note(`Incomplete (${visibleLine(incomplete)}): ${remedy(incomplete)}`);
  if (nextCursor) terminal.note(`There are more files: --cursor ${visibleLine(nextCursor)}`);
}

function remedy(incomplete: string): string {
  return incomplete === 'damaged'
    ? 'the index of a repository is unreadable and is being built anew; search again in a few minutes.'
    : 'narrow it with repo:, file: or lang:.';
}

function inWords({ repository, path, matches, moreMatches = 0 }: FileMatch, channel: Channel): string {
  const heading = channel.style('magenta', visibleLine(`${repository}/${path}`));
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
