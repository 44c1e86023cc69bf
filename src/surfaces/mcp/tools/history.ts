import { z } from 'zod';
import { readHistory } from '../../../features/history/read-history.ts';
import { given } from '../../../foundation/kernel/wire/given.ts';
import { historyText } from './commit-text.ts';
import { defineTool } from './tool.ts';

const input = z.object({
  address: z
    .string()
    .max(4_096)
    .optional()
    .describe('repository/path, repository/path:10-20 for lines, or a repository. Default: all.'),
  repository: z.string().max(400).optional().describe('With `path`, instead of `address`.'),
  path: z.string().max(4_096).optional(),
  lines: z.string().max(40).optional(),
  query: z.string().max(1_000).optional().describe('Words of the message.'),
  text: z.string().max(200).optional().describe('Of one repository.'),
  since: z.string().max(40).optional().describe('Such as 2026-11-21.'),
  until: z.string().max(40).optional(),
  author: z.string().max(200).optional().describe('A part of the name or email.'),
  limit: z.int().min(1).max(50).default(20),
  cursor: z.string().max(500).optional(),
});

export const history = defineTool({
  name: 'history',
  description:
    'Lists commits, newest first: who last changed some lines or a file, and why; or those by words, author or ' +
    'date, or that added or removed a text. Renames are followed.',
  input,
  async run(asked, { deps, access, signal }) {
    const page = await readHistory(deps.answers, access.scope, given(asked), signal);
    return historyText(page, page.address ?? 'all repositories');
  },
});
