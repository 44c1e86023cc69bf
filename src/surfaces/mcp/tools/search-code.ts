import { z } from 'zod';
import { type CodeSearchPage, searchCode as search } from '../../../features/search/search-code.ts';
import { fileMatchRecord, searchSummaryRecord } from '../../../features/search/search-record.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { defineTool, fitting, type ToolContext } from './tool.ts';

const input = z.strictObject({
  query: z
    .string()
    .describe(
      'Words are literal and all must match; "a phrase"; /regex/ (RE2 syntax); or; -not; ( ). Filters: repo: file: (text, /regex/ or ' +
        'glob: file:*.py, file:src/**/*.ts) lang: sym: (defines that name) branch: (* is a wildcard; default: the default branch) content: case:yes|no ' +
        'type:path|content|symbol. Case matters only where the query has an upper-case letter.',
    ),
  repositories: z.array(z.string()).max(50).optional().describe('Only these repositories, by name.'),
  limit: z.int().min(1).max(50).default(15).describe('Files in the answer.'),
  context: z.int().min(0).max(3).default(1).describe('Lines before and after each match.'),
  cursor: z.string().optional().describe('`nextCursor` of the previous answer, for the next page.'),
});

const fileMatch = fileMatchRecord.pick({
  repository: true,
  branch: true,
  commit: true,
  path: true,
  language: true,
  reasons: true,
  matches: true,
  moreMatches: true,
});

const output = z.object({ items: z.array(fileMatch), ...searchSummaryRecord.shape });

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
    const structured = await fitting(args.limit, async (limit) =>
      shape(await onePage({ ...args, limit }, context)),
    );
    return { structured, text: asText(structured) };
  },
});

/** Maximum length of a line in the answer; `read_file` returns whole lines. */
const maxLineCharacters = 300;
const leadCharacters = 80;

type LineMatch = CodeSearchPage['items'][number]['matches'][number];

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
    ...truncateAroundMatch({ ...found, column }),
    before: before.map(truncateContext),
    after: after.map(truncateContext),
    ...(symbol === undefined ? {} : { symbol }),
  };
}

function truncateContext(line: string): string {
  return shorten(line, maxLineCharacters);
}

/** Returns the part of a long line that contains the match, with some text before it. */
function truncateAroundMatch({
  text,
  textOffset,
  column,
}: Pick<LineMatch, 'text' | 'textOffset' | 'column'>) {
  const spare = Math.max(0, text.length - maxLineCharacters);
  const start = Math.min(spare, Math.max(0, column - 1 - textOffset - leadCharacters));
  return { text: shorten(text.slice(start), maxLineCharacters), textOffset: textOffset + start };
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
  'Incomplete: the index of a repository is damaged and is being rebuilt; ask again in a few minutes.';

const definitionsNote =
  'Incomplete: definitions of a repository are still being read, so sym: may miss some; ask again in a few minutes, or without sym:.';

function summary(page: Output): string {
  if (page.incomplete === 'damaged') return `${foundLine(page)} ${damagedNote}`;
  return page.incomplete === 'definitions' ? `${foundLine(page)} ${definitionsNote}` : foundLine(page);
}

function foundLine(page: Output): string {
  if (page.items.length === 0) {
    return 'No file matches. Fewer or shorter words, case:no, or list_repositories may help.';
  }
  const found = `${page.items.length} of ${page.stats.matched}${page.incomplete === undefined ? '' : ' or more'} files.`;
  return page.nextCursor === null ? found : `${found} Call again with cursor=${page.nextCursor} for more.`;
}
