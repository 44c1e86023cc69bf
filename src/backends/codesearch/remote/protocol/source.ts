import { z } from 'zod';
import type { RepositoryId } from '../../../../foundation/kernel/ids.ts';
import {
  type CommitRequest,
  type DiffRequest,
  diffLimits,
  type HistoryRequest,
  historyLimits,
  type ReadFileRequest,
  type SourceCommit,
  type SourceDiff,
  type SourceFile,
  type SourceHistory,
  type SourceTree,
} from '../../port.ts';
import { scope } from './ids.ts';

/** A read request. An invalid id, commit or path names nothing, which is a regular response and not an error. */
const named = {
  repository: z.string().transform((id) => id as RepositoryId),
  commit: z.string().exactOptional(),
  path: z.string(),
};
const request: z.ZodType<ReadFileRequest> = z.object(named);
const lines = z.object({ startLine: z.int().min(1), endLine: z.int().min(1) }).exactOptional();

const commitRequest: z.ZodType<CommitRequest> = z.object({
  repository: named.repository,
  commit: z.string(),
});

const time = z.int().min(0).exactOptional();

const historyRequest: z.ZodType<HistoryRequest> = z.object({
  repository: named.repository,
  commit: named.commit,
  path: z.string().exactOptional(),
  lines,
  words: z.array(z.string().max(200)).max(40).exactOptional(),
  said: z.array(z.string().max(80)).max(40).exactOptional(),
  text: z.string().min(1).max(200).exactOptional(),
  author: z.string().max(200).exactOptional(),
  since: time,
  until: time,
  skip: z.int().min(0).max(historyLimits.skip),
  max: z.int().min(1).max(historyLimits.said),
  files: z.boolean(),
});

const diffRequest: z.ZodType<DiffRequest> = z.object({
  repository: named.repository,
  commit: z.string(),
  path: z.string().exactOptional(),
  lines,
  offset: z.int().min(0).max(diffLimits.offset),
  maxBytes: z.int().min(1).max(diffLimits.bytes),
});

export const sourceBody = z.object({ scope, request });
export const commitsBody = z.object({ scope, request: commitRequest });
export const historyBody = z.object({ scope, request: historyRequest });
export const diffBody = z.object({ scope, request: diffRequest });

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

const history: z.ZodType<SourceHistory> = z.object({
  commit: z.string(),
  commits: z.array(
    z.object({
      id: z.string(),
      time: z.number(),
      author: person,
      message: z.string(),
      paths: z.array(z.string()),
      changed: z.number(),
      followed: z.string().exactOptional(),
      renamedFrom: z.string().exactOptional(),
    }),
  ),
  more: z.boolean(),
  whole: z.boolean(),
  gone: z.object({ commit: z.string(), renamedTo: z.string().exactOptional() }).exactOptional(),
  lacksOlder: z.literal(true).exactOptional(),
});

const diff: z.ZodType<SourceDiff> = z.object({
  commit: z.string(),
  parents: z.array(z.string()),
  files: z.array(
    z.object({
      path: z.string(),
      renamedFrom: z.string().exactOptional(),
      status: z.enum(['added', 'changed', 'removed', 'renamed']),
      added: z.number().exactOptional(),
      removed: z.number().exactOptional(),
      binary: z.literal(true).exactOptional(),
    }),
  ),
  continues: z.array(z.string()),
  text: z.string(),
  next: z.number().exactOptional(),
  cut: z.boolean(),
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
export const commitsResponse = z.object({ commits: z.array(commit) });
export const historyResponse = z.object({ history: history.nullable() });
export const diffResponse = z.object({ diff: diff.nullable() });
