import { z } from 'zod';
import { payloadId } from '../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../foundation/jobs/task.ts';
import type { ConnectionId, OrganizationId } from '../../foundation/kernel/ids.ts';

/** A repository at a Git host that a repository or a connection of an organization no longer follows. */
export interface LeftRepository {
  readonly organizationId: OrganizationId;
  readonly githostConnectionId: ConnectionId;
  readonly hostRepositoryId: string;
  /** For messages only. */
  readonly source: string;
  /** The connection to a provider that has left it, if the webhook is its own and not that of the Git host. */
  readonly leaverId?: ConnectionId | undefined;
}

const payload: z.ZodType<LeftRepository> = z.object({
  organizationId: payloadId<OrganizationId>(),
  githostConnectionId: payloadId<ConnectionId>(),
  hostRepositoryId: z.string(),
  source: z.string(),
  leaverId: payloadId<ConnectionId>().optional(),
});

/** Removes the webhook of a repository at its Git host, unless another repository needs it. */
export const githostUnhook = defineTask({
  name: 'githost-unhook',
  payload,
  key: ({ githostConnectionId, hostRepositoryId, leaverId }) =>
    [githostConnectionId, hostRepositoryId, ...(leaverId === undefined ? [] : [leaverId])].join('/'),
});

/** The Git-host connection to check. */
export interface CheckedGithost {
  readonly organizationId: OrganizationId;
  readonly githostConnectionId: ConnectionId;
}

const checkedGithost: z.ZodType<CheckedGithost> = z.object({
  organizationId: payloadId<OrganizationId>(),
  githostConnectionId: payloadId<ConnectionId>(),
});

/** Checks a Git-host connection, because its host reported that the installation of its App changed. */
export const githostCheck = defineTask({
  name: 'githost-check',
  payload: checkedGithost,
  key: ({ githostConnectionId }) => githostConnectionId,
});
