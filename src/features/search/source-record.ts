import { z } from 'zod';

const treeEntryRecord = z.object({
  path: z.string(),
  kind: z.enum(['file', 'directory', 'symlink', 'submodule']),
  bytes: z.int(),
});

/** The entries directly under a folder at a commit. */
export const treeRecord = z
  .object({
    commit: z.string(),
    entries: z.array(treeEntryRecord).readonly(),
  })
  .meta({ id: 'SourceTree' });

/** Lines of one file at a commit. */
export const fileRecord = z
  .object({
    commit: z.string(),
    path: z.string(),
    language: z.string(),
    startLine: z.int().describe('1-based.'),
    totalLines: z
      .int()
      .describe('Greater than the lines in `content` if it is truncated: request the next `lines`.'),
    content: z.string(),
  })
  .meta({ id: 'SourceFile' });
