import { z } from 'zod';
import { payloadId } from '../../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { OrganizationId, RepositoryId } from '../../../foundation/kernel/ids.ts';

export interface ProjectionPayload {
  readonly organizationId: OrganizationId;
  readonly repositoryId: RepositoryId;
}

const payload: z.ZodType<ProjectionPayload> = z.object({
  organizationId: payloadId<OrganizationId>(),
  repositoryId: payloadId<RepositoryId>(),
});

/**
 * Brings the knowledge graph to the indexed commit of a repository, or removes a repository that is gone. Has a lane of
 * its own, so that cloning and indexing never wait for it.
 */
export const repositoryProject = defineTask({
  name: 'repository-project',
  payload,
  key: ({ repositoryId }) => repositoryId,
  lane: ({ repositoryId }) => `graph:${repositoryId}`,
  maxAttempts: 6,
  slots: 'derived',
});
