import { z } from 'zod';
import { readCommitPage } from '../../../features/history/read-commit.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { commitText } from './commit-text.ts';
import { defineTool } from './tool.ts';

/** Size of the difference of a page, in bytes. The first page has the message and the files too. */
const diffBytes = { first: 2_800, next: 6_400 } as const;

const input = z.object({
  repository: z.string().max(400).describe('Repository name.'),
  commit: z.string().max(64).describe('Commit id, 7 digits or more.'),
  path: z.string().max(4_096).optional().describe('Only this file or folder.'),
  lines: z
    .string()
    .max(40)
    .optional()
    .describe('Only changes that touch these lines of the new version of `path`: `10-20`.'),
  cursor: z.string().max(500).optional(),
});

export const showCommit = defineTool({
  name: 'show_commit',
  description:
    'Shows what a commit did: message, author, parents, files with counts of lines, and the unified difference to its ' +
    'first parent, in pages.',
  input,
  async run({ repository, commit, path, lines, cursor }, { deps, access, signal }) {
    const bytes = cursor === undefined ? diffBytes.first : diffBytes.next;
    const asked = given({ repository, commit, path, lines, cursor, bytes });
    return commitText(await readCommitPage(deps.answers, access.scope, asked, signal), cursor === undefined);
  },
});
