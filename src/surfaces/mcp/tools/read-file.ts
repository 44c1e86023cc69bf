import { z } from 'zod';
import { readSource } from '../../../features/search/read-source.ts';
import { fileRecord } from '../../../features/search/source-record.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { defineTool } from './tool.ts';

const input = z.strictObject({
  repository: z.string().describe('Repository name, as list_repositories and citations give it.'),
  path: z.string().describe('Path from the root of the repository.'),
  lines: z
    .string()
    .optional()
    .describe('1-based inclusive range: `10-80`, `10-` or `10`. Default: from the first line.'),
  commit: z
    .string()
    .optional()
    .describe('Commit id, as search_code gives it; default: the indexed commit of the default branch.'),
});

const record = fileRecord.shape;

const output = z.object({
  repository: z.string(),
  commit: record.commit,
  path: record.path,
  language: record.language,
  startLine: record.startLine,
  endLine: z.int(),
  totalLines: record.totalLines,
  content: record.content,
  /** Names what was left out and what to request next; absent if nothing was. */
  notice: z.string().optional(),
});

export const readFile = defineTool({
  name: 'read_file',
  title: 'Read a file',
  description:
    'Reads a file of an indexed repository at a commit: up to 500 lines or 24 KB a call, with the range to ask for next.',
  input,
  output,
  async run({ repository, path, lines, commit }, { deps, access, signal }) {
    const structured = await readSource(
      deps.answers,
      access.scope,
      {
        repository,
        path,
        ...(lines === undefined ? {} : { lines }),
        ...(commit === undefined ? {} : { commit }),
      },
      signal,
    );
    return { structured, text: asText(structured) };
  },
});

function asText(file: z.infer<typeof output>): string {
  const width = String(file.endLine).length;
  const lines = file.content === '' ? [] : file.content.replace(/\n$/, '').split('\n');
  const numbered = lines.map((line, index) => `${String(file.startLine + index).padStart(width)}  ${line}`);
  const range = `lines ${file.startLine}-${file.endLine} of ${file.totalLines}`;
  const notice = file.notice === undefined ? [] : [`(${file.notice})`];
  return [
    `${visibleLine(`${file.repository}/${file.path}`)} @ ${shortCommit(file.commit)}, ${range}`,
    ...numbered,
    ...notice,
  ].join('\n');
}
