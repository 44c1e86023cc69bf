import { z } from 'zod';

const notices = z
  .array(z.string())
  .readonly()
  .describe('What is left out and how to ask for it, and where a path went.');

const named = {
  pullRequest: z.int().optional().describe('Number of the pull request that the message names.'),
  issues: z.array(z.string()).readonly().describe('Identifiers of issues that the message names.'),
};

const about = {
  commit: z.string(),
  repository: z.string().describe('Name of the repository.'),
  date: z.string().describe('Time according to the committer, RFC 3339.'),
  author: z.string().describe('Name of the author.'),
  subject: z.string(),
};

/** A commit of a history. */
export const historyCommitRecord = z
  .object({
    ...about,
    ...named,
    files: z
      .object({
        total: z.int().describe('Number of files that it changed; a merge, in its first parent.'),
        first: z.array(z.string()).readonly().describe('The first of their paths.'),
      })
      .meta({ id: 'HistoryFiles' }),
    renamedFrom: z.string().optional().describe('The former path of the file, if this commit renamed it.'),
  })
  .meta({ id: 'HistoryCommit' });

/** A page of commits, newest first. */
export const historyPageRecord = z.object({
  items: z.array(historyCommitRecord).readonly(),
  nextCursor: z.string().nullable(),
  incomplete: z.boolean().describe('True if the time was up before all commits were read.'),
  notices,
});

/** A commit with a page of what it changed in its first parent. */
export const commitRecord = z
  .object({
    ...about,
    committer: z.string().describe('Name of the committer.'),
    message: z.string(),
    parents: z.array(z.string()).readonly(),
    ...named,
    files: z
      .object({
        total: z.int().describe('Number of paths that it changed; a rename changes two.'),
        items: z
          .array(
            z
              .object({
                path: z.string(),
                renamedFrom: z.string().optional(),
                status: z.enum(['added', 'changed', 'removed', 'renamed']),
                added: z.int().optional().describe('Added lines; absent for a binary file.'),
                removed: z.int().optional().describe('Removed lines; absent for a binary file.'),
                binary: z.literal(true).optional(),
              })
              .meta({ id: 'CommitFile' }),
          )
          .readonly()
          .describe('On the first page, and if a path is given.'),
      })
      .meta({ id: 'CommitFiles' }),
    continues: z
      .array(z.string())
      .readonly()
      .describe('The lines `diff --git` and `@@` of the page before that this page is a part of.'),
    diff: z
      .string()
      .describe('Unified difference to the first parent, whole lines; long lines are shortened.'),
    nextCursor: z.string().nullable(),
    notices,
  })
  .meta({ id: 'Commit' });

export type HistoryCommit = z.output<typeof historyCommitRecord>;
export type HistoryPage = z.output<typeof historyPageRecord>;
export type CommitPage = z.output<typeof commitRecord>;
