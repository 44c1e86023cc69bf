import { z } from 'zod';
import { listSource } from '../../../features/search/read-source.ts';
import { treeRecord } from '../../../features/search/source-record.ts';
import { shortCommit } from '../../../foundation/kernel/text/short-commit.ts';
import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import { defineTool, fitting } from './tool.ts';

/** Maximum number of entries in the answer. Search larger folders with `file:`. */
const maxEntries = 300;

const input = z.strictObject({
  repository: z.string().describe('Repository name.'),
  path: z.string().default('').describe('Folder, from the root of the repository; default: the root.'),
  commit: z
    .string()
    .optional()
    .describe('Commit id, as search_code gives it; default: the indexed commit of the default branch.'),
});

const output = z.object({
  repository: z.string(),
  commit: treeRecord.shape.commit,
  path: z.string(),
  entries: treeRecord.shape.entries,
  /** Number of entries that were left out. */
  truncated: z.int(),
});

export const listTree = defineTool({
  name: 'list_tree',
  title: 'List a folder',
  description: 'Lists the files and folders directly under a folder of an indexed repository at a commit.',
  input,
  output,
  async run({ repository, path, commit }, { deps, access, signal }) {
    const request = { repository, path, ...(commit === undefined ? {} : { commit }) };
    const tree = await listSource(deps.answers, access.scope, request, signal);
    const structured = await fitting(maxEntries, (limit) => ({
      repository: tree.repository,
      commit: tree.commit,
      path,
      entries: tree.entries.slice(0, limit).map((entry) => ({ ...entry })),
      truncated: Math.max(0, tree.entries.length - limit),
    }));
    return { structured, text: asText(structured) };
  },
});

function asText(tree: z.infer<typeof output>): string {
  const lines = tree.entries.map(
    (entry) => `${visibleLine(entry.path)} (${entry.kind === 'file' ? `${entry.bytes} bytes` : entry.kind})`,
  );
  const left =
    tree.truncated === 0
      ? []
      : [`(${tree.truncated} more; narrow down with search_code "file:${visibleLine(tree.path)}")`];
  const place = visibleLine(`${tree.repository}/${tree.path}`);
  return [`${place} @ ${shortCommit(tree.commit)}`, ...lines, ...left].join('\n');
}
