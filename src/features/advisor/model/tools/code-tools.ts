import { z } from 'zod';
import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { readSource } from '../../../search/read-source.ts';
import { searchCode } from '../../../search/search-code.ts';
import type { Source } from '../../answer.ts';
import { placeSource } from '../../evidence/place-source.ts';
import { answerTool, type ToolContext } from './tool.ts';

/**
 * Numbers of files of a search, of matches of one, and of lines around a match; of lines that a call reads, and of lines
 * of one source, which is short so that citations are exact.
 */
const max = { files: 8, matches: 2, around: 3, read: 160, source: 40 } as const;

export const searchCodeTool = answerTool({
  name: 'search_code',
  description:
    'Finds exact text, patterns, paths and definitions in the indexed repositories, with the lines around them.',
  args: z.strictObject({
    query: z
      .string()
      .min(1)
      .max(500)
      .describe(
        'Words are literal and all must match; "a phrase"; /regex/; or; -not. Filters: repo: file: lang: content: case:yes, and sym: for definitions.',
      ),
  }),
  async run({ query }, context) {
    const { deps, inquiry, signal } = context;
    const request = { q: query, limit: max.files, context: max.around, matches: max.matches };
    const found = await searchCode(deps, inquiry.scope, request, signal);
    const sources = found.items.flatMap(({ matches, ...file }) =>
      matches.flatMap(({ line, before, text, after }) => {
        const lines = [...before, text, ...after];
        return linesSource(context, { ...file, startLine: line - before.length, lines }, 'found by a search');
      }),
    );
    const notes = [
      ...(found.items.length === 0 ? ['No file matches. Try fewer or shorter words.'] : []),
      ...(found.incomplete === undefined && found.nextCursor === null ? [] : ['There are more matches.']),
    ];
    return { sources, notes };
  },
});

export const readFileTool = answerTool({
  name: 'read_file',
  description: `Reads ${max.read} lines of a file, in sources of ${max.source} lines.`,
  args: z.strictObject({
    repository: z.string().min(1).max(300).describe('Name of the repository.'),
    path: z.string().min(1).max(4000).describe('Path from the root of the repository.'),
    from: z.int().min(1).max(10_000_000).default(1).describe('First line, counted from 1.'),
  }),
  async run({ repository, path, from }, context) {
    const { deps, inquiry, signal } = context;
    const range = { first: from, last: from + max.read - 1 };
    const file = await readSource(deps, inquiry.scope, { repository, path, lines: range }, signal);
    const text = withoutEnd(file.content, '\r\n').split('\n');
    const starts = Array.from({ length: Math.ceil(text.length / max.source) }, (_, n) => n * max.source);
    const sources = starts.flatMap((start) => {
      const lines = text.slice(start, start + max.source);
      const part = { ...file, startLine: file.startLine + start, lines };
      return linesSource(context, part, 'read by the language model');
    });
    return { sources, notes: [`Lines ${file.startLine}-${file.endLine} of ${file.totalLines}.`] };
  },
});

interface Lines {
  /** Name of the repository. */
  readonly repository: string;
  readonly path: string;
  readonly commit: string;
  readonly startLine: number;
  readonly lines: readonly string[];
}

/** Returns lines of a file as a source; none for a repository that was removed meanwhile. */
function linesSource({ inquiry }: ToolContext, file: Lines, reason: string): readonly Source[] {
  const { repository: name, path, commit, startLine, lines } = file;
  const repository = inquiry.ranked.repositories.find((one) => one.name === name);
  if (repository === undefined || lines.length === 0) return [];
  const place = { path, commit, startLine, endLine: startLine + lines.length - 1 };
  return [placeSource(inquiry, repository, { ...place, text: lines.join('\n'), reason })];
}
