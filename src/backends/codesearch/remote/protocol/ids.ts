import { z } from 'zod';
import type { OrganizationId, RepositoryId } from '../../../../foundation/kernel/ids.ts';
import type { DataScope } from '../../../../foundation/kernel/org-scope.ts';
import { isFolderId } from '../../folder-id.ts';
import type { BranchHead, NamedRepository } from '../../port.ts';

/** Ids become folder names at the service, so only letters, digits, `-` and `_` are valid. */
const folderId = z.string().refine(isFolderId, 'must be an id: letters, digits, - and _');

export const organizationId = folderId.transform((id) => id as OrganizationId);
export const repositoryId = folderId.transform((id) => id as RepositoryId);

export const scope: z.ZodType<DataScope> = z.object({
  organizationId,
  callerId: z.string().max(100).exactOptional(),
});

/** A repository named in a request. One that does not exist is ignored and is not an error. */
export const namedRepository: z.ZodType<NamedRepository> = z.object({
  id: z
    .string()
    .max(300)
    .transform((id) => id as RepositoryId),
  number: z.int(),
  name: z.string().max(1_000),
});

/** A repository that is written. */
export const ownRepository: z.ZodType<NamedRepository> = z.object({
  id: repositoryId,
  number: z.int(),
  name: z.string().max(1_000),
});

export const commitId = z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/, 'must be a full commit id');

export const branchHead: z.ZodType<BranchHead> = z.object({
  name: z.string().min(1).max(500),
  commit: commitId,
});
