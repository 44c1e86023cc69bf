import { z } from 'zod';

const id = z.int().positive();

export const userShape = z.object({ id, login: z.string() });

export const repositoryShape = z.object({
  id,
  full_name: z.string(),
  default_branch: z.string(),
  private: z.boolean(),
  archived: z.boolean(),
  empty: z.boolean(),
  permissions: z.object({ push: z.boolean() }).nullish(),
});
export type RepositoryAnswer = z.output<typeof repositoryShape>;

export const searchShape = z.object({ data: z.array(repositoryShape) });

export const branchShape = z.object({ commit: z.object({ id: z.string() }) });

/** A folder is answered as a list, which is no file. */
export const contentShape = z.union([
  z.object({
    type: z.string(),
    size: z.number(),
    encoding: z.string().nullish(),
    content: z.string().nullish(),
  }),
  z.array(z.unknown()).transform(() => undefined),
]);

export const hooksShape = z.array(z.object({ id, config: z.object({ url: z.string().optional() }) }));

const side = z.object({ ref: z.string(), sha: z.string(), repo_id: z.int() });

export const pullRequestShape = z.object({
  number: id,
  state: z.enum(['open', 'closed']),
  merged: z.boolean(),
  merge_commit_sha: z.string().nullish(),
  head: side,
  base: side,
});

export const commentsShape = z.array(z.object({ id, body: z.string(), user: userShape.nullable() }));
