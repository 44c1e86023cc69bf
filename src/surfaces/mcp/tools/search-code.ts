import { z } from 'zod';
import { printAddress } from '../../../features/search/address.ts';
import { type CodeSearchPage, searchCode as search } from '../../../features/search/search-code.ts';
import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { pageNotes, quotedNote } from './page-notes.ts';
import { defineTool, fitting, type ToolContext } from './tool.ts';

/** Number of files of a page, and of lines of a file, without a wish. */
const usual = { files: 30, lines: 10 };

const input = z.object({
  query: z
    .string()
    .optional()
    .describe(
      'Words are literal and all must match; "a phrase"; /regex/ (RE2); or; -not; ( ). Filters: repo: file: (text, ' +
        '/regex/ or glob: file:*.py, file:src/**/*.ts) lang: sym: (defines that name) branch: content: case:yes|no ' +
        'type:path|content|symbol. Case matters only where the query has an upper-case letter.',
    ),
  queries: z
    .array(z.string())
    .min(1)
    .max(5)
    .optional()
    .describe('Several queries at once, instead of `query`.'),
  repositories: z.array(z.string()).max(50).optional().describe('By name.'),
  limit: z.int().min(1).max(200).default(usual.files).describe('Files.'),
  matches: z
    .int()
    .min(1)
    .max(1000)
    .default(usual.lines)
    .describe('Lines of one file. If only one is asked for or matches, the cursor goes on in it.'),
  context: z.int().min(0).max(10).default(0).describe('Lines before and after each match.'),
  cursor: z.string().optional(),
});

type Input = z.infer<typeof input>;

export const searchCode = defineTool({
  name: 'search_code',
  description:
    'Finds exact text, patterns (regex) and paths (glob) in all indexed repositories, best files first, as repository/path:line: text. ' +
    'Use find_references for all uses of a name, svc_advisor for questions in plain words.',
  input,
  isAlwaysLoaded: true,
  async run({ query, queries, ...rest }, context) {
    const asked = queries ?? (query === undefined ? [] : [query]);
    if (asked.length === 0) throw new InvalidInput('Pass `query`, or several as `queries`.');
    if (asked.length > 1 && rest.cursor !== undefined)
      throw new InvalidInput('A cursor continues one query: pass that one as `query`.');
    const texts: string[] = [];
    for (const each of asked) {
      const head = asked.length === 1 ? [] : [`== ${visibleLine(shorten(each))}`];
      texts.push(await pageOf({ ...rest, query: each }, asked.length, head, context));
    }
    return [...texts, quotedNote].join('\n');
  },
});

/** Returns as many files as fit; of a single file that does not, as many lines as fit. */
async function pageOf(
  request: Omit<Input, 'queries'>,
  pages: number,
  head: readonly string[],
  context: ToolContext,
): Promise<string> {
  const build = async (limit: number, matches: number): Promise<string> =>
    [...head, ...(await onePage({ ...request, limit, matches }, context))].join('\n');
  const { limit, matches } = request;
  // More lines of a file than usual are a wish for a longer text, as more files are.
  const isLarge = limit > usual.files || matches > usual.lines;
  const size = (count: number) => ({ limit: count, isLarge, pages });
  return fitting(size(limit), (files) =>
    files > 1 ? build(files, matches) : fitting(size(matches), (lines) => build(1, lines)),
  );
}

async function onePage(
  { query = '', ...request }: Omit<Input, 'queries'>,
  { deps, access, signal }: ToolContext,
): Promise<readonly string[]> {
  const page = await search(deps.answers, access.scope, { ...given(request), q: query }, signal);
  // Lines of another branch are not those of the indexed commit, which is what an address means.
  const pins = /\bbranch:/.test(query);
  const lines = page.items.flatMap((file) => linesOf(file, pins));
  return [firstLine(page, request.cursor !== undefined), ...lines, ...pageNotes(page)];
}

/** Maximum length of a line in the answer; `read_file` returns whole lines. */
const maxLineCharacters = 300;
const leadCharacters = 80;

type FileMatches = CodeSearchPage['items'][number];
type LineMatch = FileMatches['matches'][number];

function linesOf(file: FileMatches, pins: boolean): readonly string[] {
  const { repository, path, matches, moreMatches } = file;
  const place = { repository, path, ...(pins ? { commit: file.commit } : {}) };
  if (matches.every(({ length }) => length === 0)) return [printAddress(place)];
  // Lines around two matches are printed once, as `grep` does.
  let printed = 0;
  const lines = matches.flatMap((match) => {
    const { line, before, after } = match;
    const around = (first: number, texts: readonly string[]): readonly string[] =>
      texts.flatMap((text, index) => (first + index > printed ? [`  ${first + index}- ${short(text)}`] : []));
    const own = [
      ...around(line - before.length, before),
      `${printAddress({ ...place, lines: { first: line, last: line } })}: ${aroundMatch(match)}`,
    ];
    printed = line;
    const following = matches.find((other) => other.line > line)?.line ?? Number.POSITIVE_INFINITY;
    const rest = around(line + 1, after.slice(0, Math.max(0, following - line - 1)));
    printed += rest.length;
    return [...own, ...rest];
  });
  return moreMatches > 0 ? [...lines, `  (${moreMatches} more lines of this file match)`] : lines;
}

function short(line: string): string {
  return visibleLine(shorten(line, maxLineCharacters));
}

/** Returns the part of a long line that contains the match, with some text before it. */
function aroundMatch({ text, textOffset, column }: LineMatch): string {
  const spare = Math.max(0, text.length - maxLineCharacters);
  const start = Math.min(spare, Math.max(0, column - 1 - textOffset - leadCharacters));
  return short(text.slice(start));
}

function firstLine({ items, stats, incomplete }: CodeSearchPage, isContinued: boolean): string {
  if (items.length === 0)
    return incomplete === undefined
      ? 'No file matches. Fewer or shorter words, case:no, or list_repositories may help.'
      : 'No file found.';
  const lines = items.reduce((sum, { matches, moreMatches }) => sum + matches.length + moreMatches, 0);
  const all = `${counted(stats.matched, 'file')}${incomplete === undefined ? '' : ' or more'}`;
  const part = items.length < stats.matched ? `${items.length} of ${all}` : all;
  // A path that matches has a place, but no line.
  if (items.every(({ matches }) => matches.every(({ length }) => length === 0))) return `${part}.`;
  return `${part}, ${counted(lines, 'matching line')}${isContinued ? ' from here on' : ''}.`;
}
