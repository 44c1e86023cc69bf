import { z } from 'zod';
import { type FoundSymbols, findSymbol as find } from '../../../features/search/find-symbol.ts';
import { searchSummaryRecord, symbolKindName } from '../../../features/search/search-record.ts';
import { symbolRecord } from '../../../features/search/symbol-record.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { shorten, visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  name: z
    .string()
    .describe(
      'The name, or a part of it: exact names come first, then longer ones. Case matters only where it has an upper-case letter.',
    ),
  kind: symbolKindName.optional().describe('Only definitions of this kind.'),
  repositories: z.array(z.string()).max(50).optional().describe('Only these repositories, by name.'),
  limit: z
    .int()
    .min(1)
    .max(50)
    .default(20)
    .describe('Definitions in the answer; those of one file stay together.'),
  cursor: z.string().optional().describe('`nextCursor` of the previous answer, for the next page.'),
});

const output = z.object({
  items: z.array(symbolRecord),
  incomplete: searchSummaryRecord.shape.incomplete,
  nextCursor: searchSummaryRecord.shape.nextCursor,
});

type Output = z.infer<typeof output>;

export const findSymbol = defineTool({
  name: 'find_symbol',
  title: 'Find a definition',
  description:
    'Finds where a function, class, method, type, constant and the like is defined, by its name, in the indexed ' +
    'repositories. Use search_code for where it is used.',
  input,
  output,
  async run({ name, kind, repositories, limit, cursor }, { deps, access, signal }) {
    const request = {
      name,
      limit,
      ...(kind === undefined ? {} : { kind }),
      ...(repositories === undefined ? {} : { repositories }),
      ...(cursor === undefined ? {} : { cursor }),
    };
    const structured = shape(await find(deps.answers, access.scope, request, signal));
    return { structured, text: asText(structured) };
  },
});

/** Maximum length of the line that defines a name; `read_file` returns the whole line. */
const maxLineCharacters = 240;

function shape({ items, incomplete, nextCursor }: FoundSymbols): Output {
  return {
    items: items.map(({ repositoryId: _id, text, ...item }) => ({
      ...item,
      text: shorten(text.trim(), maxLineCharacters),
    })),
    ...(incomplete === undefined ? {} : { incomplete }),
    nextCursor,
  };
}

function asText(page: Output): string {
  const found = page.items.map(
    ({ name, kind, repository, path, line, text, language, commit }) =>
      `${name} (${kind}, ${language}): ${visibleLine(`${repository}/${path}`)}:${line} @ ${shortCommit(commit)}\n  ${text}`,
  );
  return [...found, ...notes(page)].join('\n');
}

function notes({ items, incomplete, nextCursor }: Output): string[] {
  const found: string[] = [];
  if (items.length === 0 && nextCursor === null && incomplete === undefined) {
    found.push(
      'No definition has this name. search_code finds it as text; list_repositories shows what is indexed.',
    );
  }
  if (incomplete === 'damaged')
    found.push('Incomplete: the index of a repository is being rebuilt; ask again in a few minutes.');
  else if (incomplete === 'deadline')
    found.push('Incomplete: the search reached its time limit. Name repositories to look in fewer.');
  else if (incomplete === 'definitions')
    found.push(
      'Incomplete: definitions of a repository are still being read; ask again in a few minutes, or find the name as text with search_code.',
    );
  else if (incomplete === 'limit')
    found.push(
      'Incomplete: more definitions match than are returned. Name repositories, a kind or a longer name.',
    );
  if (nextCursor !== null) found.push(`(more: call again with cursor=${nextCursor})`);
  return found;
}
