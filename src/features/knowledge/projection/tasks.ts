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
 * Brings the knowledge graph to the indexed commit of a repository, or removes a repository that is gone. Its slots and
 * lanes are its own, so that cloning and indexing never wait for it. The repositories of an organization take turns in
 * one lane, so that those of one organization leave slots to others.
 */
export const repositoryProject = defineTask({
  name: 'repository-project',
  payload,
  key: ({ repositoryId }) => repositoryId,
  lane: ({ organizationId }) => `graph:${organizationId}`,
  maxAttempts: 6,
  slots: 'graph',
});
