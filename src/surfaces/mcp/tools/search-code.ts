import { z } from 'zod';
import { type CodeSearchPage, searchCode as search } from '../../../features/search/search-code.ts';
import { shortCommit } from '../../../foundation/kernel/short-commit.ts';
import { visibleLine } from '../../../foundation/kernel/visible-text.ts';
import { defineTool, maxAnswerCharacters, type ToolContext } from './tool.ts';

const input = z.strictObject({
  query: z
    .string()
    .describe(
      'Words are literal and all must match; "a phrase"; /regex/ (RE2 syntax); or; -not; ( ). Filters: repo: file: lang: ' +
        'sym: (defines that name) branch: (* is a wildcard; default: the default branch) content: case:yes|no ' +
        'type:path|content|symbol. Case matters only where the query has an upper-case letter.',
    ),
  repositories: z.array(z.string()).max(50).optional().describe('Only these repositories, by name.'),
  limit: z.int().min(1).max(50).default(15).describe('Files in the answer.'),
  context: z.int().min(0).max(3).default(1).describe('Lines before and after each match.'),
  cursor: z.string().optional().describe('`nextCursor` of the former answer, for the next page.'),
});

const match = z.object({
  line: z.number(),
  column: z.number(),
  length: z.number(),
  text: z.string(),
  textOffset: z.number(),
  before: z.array(z.string()),
  after: z.array(z.string()),
  /** What the line defines. */
  symbol: z.object({ name: z.string(), kind: z.string() }).optional(),
});

const output = z.object({
  items: z.array(
    z.object({
      repository: z.string(),
      branch: z.string(),
      commit: z.string(),
      path: z.string(),
      language: z.string(),
      reasons: z.array(z.string()),
      matches: z.array(match),
      moreMatches: z.number(),
    }),
  ),
  stats: z.object({
    candidates: z.number(),
    scanned: z.number(),
    matched: z.number(),
    milliseconds: z.number(),
  }),
  incomplete: z.string().optional(),
  nextCursor: z.string().nullable(),
});

type Input = z.infer<typeof input>;
type Output = z.infer<typeof output>;

export const searchCode = defineTool({
  name: 'search_code',
  title: 'Search code',
  description:
    "Finds exact text, patterns and paths in the organization's indexed repositories, best files first, with matching " +
    'lines. Use it when you know a name, a message or a pattern; use svc_advisor for questions in plain words.',
  input,
  output,
  async run(args, context) {
    const structured = await fittingPage(args, context);
    return { structured, text: asText(structured) };
  },
});

/** Lines are cut here for agents; `read_file` has the whole of them. */
const maxLineCharacters = 300;
const leadCharacters = 80;

type LineMatch = CodeSearchPage['items'][number]['matches'][number];

/** A page under the cap: where one is too long, a shorter page is asked for, so that its cursor stays true. */
async function fittingPage(args: Input, context: ToolContext): Promise<Output> {
  for (let limit = args.limit; ; limit = Math.floor(limit / 2)) {
    const structured = shape(await onePage({ ...args, limit }, context));
    if (limit === 1 || JSON.stringify(structured).length <= maxAnswerCharacters) return structured;
  }
}

function onePage(args: Input, { deps, access, signal }: ToolContext): Promise<CodeSearchPage> {
  const { query, repositories, limit, context, cursor } = args;
  return search(
    deps.answers,
    access.scope,
    {
      q: query,
      limit,
      context,
      matchesPerFile: 5,
      ...(cursor === undefined ? {} : { cursor }),
      ...(repositories === undefined ? {} : { repositories }),
    },
    signal,
  );
}

function shape(page: CodeSearchPage): Output {
  return {
    items: page.items.map(({ repository, branch, commit, path, language, ...file }) => ({
      repository,
      branch,
      commit,
      path,
      language,
      reasons: [...file.reasons],
      matches: file.matches.map(shapeMatch),
      moreMatches: file.moreMatches,
    })),
    stats: page.stats,
    ...(page.incomplete === undefined ? {} : { incomplete: page.incomplete }),
    nextCursor: page.nextCursor,
  };
}

function shapeMatch({ line, column, length, before, after, symbol, ...found }: LineMatch) {
  return {
    line,
    column,
    length,
    ...cutRoundMatch({ ...found, column }),
    before: before.map(cut),
    after: after.map(cut),
    ...(symbol === undefined ? {} : { symbol }),
  };
}

/** The part of a long line that holds the match, with a little of what comes before it. */
function cutRoundMatch({ text, textOffset, column }: Pick<LineMatch, 'text' | 'textOffset' | 'column'>) {
  const spare = Math.max(0, text.length - maxLineCharacters);
  const start = Math.min(spare, Math.max(0, column - 1 - textOffset - leadCharacters));
  return { text: cut(text.slice(start)), textOffset: textOffset + start };
}

function cut(line: string): string {
  return line.length <= maxLineCharacters ? line : `${line.slice(0, maxLineCharacters)}…`;
}

function asText(page: Output): string {
  const files = page.items.map((file) => {
    const lines = file.matches.flatMap(({ line, text, before, after }) => [
      ...before.map((context, index) => `${line - before.length + index}- ${context}`),
      `${line}: ${text}`,
      ...after.map((context, index) => `${line + 1 + index}- ${context}`),
    ]);
    const more = file.moreMatches > 0 ? [`(${file.moreMatches} more matches in this file)`] : [];
    const place = visibleLine(`${file.repository}/${file.path}`);
    const at = `@ ${shortCommit(file.commit)} (${visibleLine(file.branch)})`;
    const why = file.reasons.length === 0 ? '' : `: ${visibleLine(file.reasons.join(', '))}`;
    return [`${place} ${at}${why}`, ...lines, ...more].join('\n');
  });
  return [...files, summary(page)].join('\n\n');
}

const damagedNote =
  'Incomplete: the index of a repository is damaged and is being built anew; ask again in a few minutes.';

function summary(page: Output): string {
  return page.incomplete === 'damaged' ? `${foundLine(page)} ${damagedNote}` : foundLine(page);
}

function foundLine(page: Output): string {
  if (page.items.length === 0) {
    return 'No file matches. Fewer or shorter words, case:no, or list_repositories to see what is indexed may help.';
  }
  const found = `${page.items.length} of ${page.stats.matched}${page.incomplete === undefined ? '' : ' or more'} files.`;
  return page.nextCursor === null ? found : `${found} Call again with cursor=${page.nextCursor} for more.`;
}
