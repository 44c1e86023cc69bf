import { z } from 'zod';
import { payloadId } from '../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../foundation/jobs/task.ts';
import type { OrganizationId, RepositoryId } from '../../foundation/kernel/ids.ts';

export interface RepositoryPayload {
  readonly organizationId: OrganizationId;
  readonly repositoryId: RepositoryId;
}

const payload: z.ZodType<RepositoryPayload> = z.object({
  organizationId: payloadId<OrganizationId>(),
  repositoryId: payloadId<RepositoryId>(),
});

const key = ({ repositoryId }: RepositoryPayload): string => repositoryId;
/** Jobs of one repository run one at a time; different repositories are independent. */
const lane = ({ repositoryId }: RepositoryPayload): string => `repository:${repositoryId}`;
const maxAttempts = 6;

/**
 * First clones and whole indexes of large repositories take hours; pushes to other repositories do not wait for them.
 */
const bulk = { slots: 'bulk', priority: -5 } as const;

/** Creates or updates the mirror from its source, then enqueues `repositoryIndex`. */
export const repositoryClone = defineTask({
  name: 'repository-clone',
  payload,
  key,
  lane,
  maxAttempts,
  ...bulk,
});

/** Builds the index from the mirror, or updates it. */
export const repositoryIndex = defineTask({
  name: 'repository-index',
  payload,
  key,
  lane,
  maxAttempts,
  ...bulk,
});

/**
 * Updates the mirror of an indexed repository from its source, then enqueues `repositoryUpdate`. It enqueues
 * `repositoryClone` instead if there is no mirror or index yet, or the fetch takes longer than a minute, so it may be
 * enqueued for any repository.
 */
export const repositoryFetch = defineTask({ name: 'repository-fetch', payload, key, lane, maxAttempts });

/** Updates the index of a repository from its mirror after a push. */
export const repositoryUpdate = defineTask({ name: 'repository-update', payload, key, lane, maxAttempts });

/**
 * Reads the definitions that an index job has left because they take long. They are searchable as text meanwhile.
 */
export const repositoryDefine = defineTask({
  name: 'repository-define',
  payload,
  key,
  lane,
  maxAttempts,
  slots: 'derived',
  priority: -5,
});

/** Merges the segments that pushes added to the index. All other work has a higher priority. */
export const repositoryCompact = defineTask({
  name: 'repository-compact',
  payload,
  key,
  lane,
  maxAttempts,
  slots: 'derived',
  priority: -10,
});

/** Removes index, mirror and row. Runs before other work on the repository, which would be wasted. */
export const repositoryRemove = defineTask({ name: 'repository-remove', payload, key, lane, priority: 10 });

/** All tasks of a repository. The key of each job is the id of its repository. */
export const repositoryTasks = [
  repositoryClone,
  repositoryIndex,
  repositoryFetch,
  repositoryUpdate,
  repositoryDefine,
  repositoryCompact,
  repositoryRemove,
] as const;
