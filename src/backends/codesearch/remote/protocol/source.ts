import { z } from 'zod';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { ReadFileRequest, SourceFile, SourceTree } from '../../port.ts';
import { scope } from './ids.ts';

/** A read request. An invalid id, commit or path names nothing, which is a regular response and not an error. */
const request: z.ZodType<ReadFileRequest> = z.object({
  repository: z.string().transform((id) => id as RepositoryId),
  commit: z.string().exactOptional(),
  path: z.string(),
});

export const sourceBody = z.object({ scope, request });

const file: z.ZodType<SourceFile> = z
  .object({
    commit: z.string(),
    path: z.string(),
    language: z.string(),
    bytes: z.number(),
    content: z.string().optional(),
  })
  .transform(({ content, ...known }) => ({ ...known, content }));

const tree: z.ZodType<SourceTree> = z.object({
  commit: z.string(),
  entries: z.array(
    z.object({
      path: z.string(),
      kind: z.enum(['file', 'directory', 'symlink', 'submodule']),
      bytes: z.number(),
    }),
  ),
});

export const fileResponse = z.object({ file: file.nullable() });
export const treeResponse = z.object({ tree: tree.nullable() });
