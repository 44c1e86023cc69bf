import { z } from 'zod';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type {
  CommitRequest,
  PastRequest,
  ReadFileRequest,
  SourceCommit,
  SourceFile,
  SourcePast,
  SourceTree,
} from '../../port.ts';
import { scope } from './ids.ts';

/** A read request. An invalid id, commit or path names nothing, which is a regular response and not an error. */
const named = {
  repository: z.string().transform((id) => id as RepositoryId),
  commit: z.string().exactOptional(),
  path: z.string(),
};
const request: z.ZodType<ReadFileRequest> = z.object(named);
const pastRequest: z.ZodType<PastRequest> = z.object({
  ...named,
  lines: z.object({ startLine: z.int().min(1), endLine: z.int().min(1) }).exactOptional(),
  words: z.array(z.string().max(80)).max(40).exactOptional(),
});

const commitRequest: z.ZodType<CommitRequest> = z.object({
  repository: named.repository,
  commit: z.string(),
});

export const sourceBody = z.object({ scope, request });
export const pastBody = z.object({ scope, request: pastRequest });
export const commitsBody = z.object({ scope, request: commitRequest });

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

const person = z.object({ name: z.string(), email: z.string() });

const past: z.ZodType<SourcePast> = z.object({
  changes: z.array(
    z.object({
      id: z.string(),
      time: z.number(),
      author: person,
      message: z.string(),
      paths: z.array(z.string()).exactOptional(),
    }),
  ),
  whole: z.boolean(),
});

const commit: z.ZodType<SourceCommit> = z.object({
  id: z.string(),
  time: z.number(),
  author: person,
  committer: person,
  message: z.string(),
  paths: z.array(z.string()),
  changed: z.number(),
});

export const fileResponse = z.object({ file: file.nullable() });
export const treeResponse = z.object({ tree: tree.nullable() });
export const pastResponse = z.object({ past: past.nullable() });
export const commitsResponse = z.object({ commits: z.array(commit) });
