import { z } from 'zod';
import { defineTask } from '../../foundation/jobs/task.ts';
import type { OrganizationId, RepositoryId } from '../../foundation/kernel/ids.ts';

export interface RepositoryPayload {
  readonly organizationId: OrganizationId;
  readonly repositoryId: RepositoryId;
}

const payload: z.ZodType<RepositoryPayload> = z.object({
  organizationId: z.custom<OrganizationId>((value) => typeof value === 'string'),
  repositoryId: z.custom<RepositoryId>((value) => typeof value === 'string'),
});

const key = ({ repositoryId }: RepositoryPayload): string => repositoryId;
/** Clone, index and removal of one repository never overlap; different repositories do. */
const lane = ({ repositoryId }: RepositoryPayload): string => `repository:${repositoryId}`;
const maxAttempts = 6;

/** Brings the mirror up to its source, then hands on to `repositoryIndex`. */
export const repositoryClone = defineTask({ name: 'repository-clone', payload, key, lane, maxAttempts });

/** Brings the index up to the mirror. */
export const repositoryIndex = defineTask({ name: 'repository-index', payload, key, lane, maxAttempts });

/** Brings along what pushes left for later in the index. Whatever else there is to do goes first. */
export const repositoryTidy = defineTask({
  name: 'repository-tidy',
  payload,
  key,
  lane,
  maxAttempts,
  priority: -10,
});

/** Removes index, mirror and row. It goes before work that would be for nothing. */
export const repositoryRemove = defineTask({ name: 'repository-remove', payload, key, lane, priority: 10 });
