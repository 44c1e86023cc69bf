import { z } from 'zod';
import { readSource } from '../../../search/read-source.ts';
import { lineSource } from './line-source.ts';
import { answerTool } from './tool.ts';

const args = z.strictObject({
  repository: z.string().min(1).max(300).describe('Name of the repository.'),
  path: z.string().min(1).max(4000).describe('Path from the root of the repository.'),
  from: z.int().min(1).max(10_000_000).default(1).describe('First line, counted from 1.'),
});

/** Number of lines of a call, and of one source: short sources make exact citations. */
const lines = { call: 160, source: 40 } as const;

export const readFileTool = answerTool({
  name: 'read_file',
  description: `Reads ${lines.call} lines of a file, in sources of ${lines.source} lines.`,
  args,
  async run({ repository, path, from }, context) {
    const { deps, inquiry, signal } = context;
    const range = { first: from, last: from + lines.call - 1 };
    const file = await readSource(deps, inquiry.scope, { repository, path, lines: range }, signal);
    const known = inquiry.ranked.repositories.find(({ name }) => name === file.repository);
    const text = file.content.replace(/\r?\n$/u, '').split(/\r?\n/u);
    const starts = Array.from({ length: Math.ceil(text.length / lines.source) }, (_, n) => n * lines.source);
    const sources = starts.flatMap((start) =>
      known === undefined
        ? []
        : lineSource(
            context,
            {
              repositoryId: known.id,
              path: file.path,
              commit: file.commit,
              startLine: file.startLine + start,
              lines: text.slice(start, start + lines.source),
            },
            'read by the language model',
          ),
    );
    return { sources, notes: [`Lines ${file.startLine}-${file.endLine} of ${file.totalLines}.`] };
  },
});
