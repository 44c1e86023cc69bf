import { z } from 'zod';

const id = z.int().positive();

export const repositoryShape = z.object({
  id,
  full_name: z.string(),
  default_branch: z.string(),
  private: z.boolean(),
  archived: z.boolean(),
  size: z.number(),
  owner: z.object({ login: z.string() }),
});
export type RepositoryAnswer = z.output<typeof repositoryShape>;

export const repositoryPageShape = z.object({ repositories: z.array(repositoryShape) });

export const installationShape = z.object({
  id,
  account: z.object({ id, login: z.string().optional(), slug: z.string().optional() }).nullable(),
  suspended_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  permissions: z.record(z.string(), z.string()).catch({}),
});
export type InstallationAnswer = z.output<typeof installationShape>;

export const tokenShape = z.object({
  token: z.string().min(1),
  expires_at: z.string().transform((text) => Date.parse(text)),
});

export const appShape = z.object({ id, slug: z.string() });

export const refShape = z.object({ object: z.object({ sha: z.string() }) });

/** A folder is answered as a list, which is no file. */
export const contentShape = z.union([
  z.object({
    type: z.string(),
    size: z.number(),
    encoding: z.string().optional(),
    content: z.string().optional(),
  }),
  z.array(z.unknown()).transform(() => undefined),
]);

export const pullRequestShape = z.object({
  number: z.int().positive(),
  state: z.enum(['open', 'closed']),
  merged_at: z.string().nullable(),
  merge_commit_sha: z.string().nullable(),
  head: z.object({ sha: z.string() }),
});

export const commentsShape = z.array(
  z.object({
    id,
    body: z.string().nullish(),
    performed_via_github_app: z.object({ id, client_id: z.string().optional() }).nullish(),
  }),
);

export const hooksShape = z.array(z.object({ id, config: z.object({ url: z.string().optional() }) }));
