import { z } from 'zod';
import { payloadId } from '../../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId, OrganizationId } from '../../../foundation/kernel/ids.ts';

const connectionId = payloadId<ConnectionId>();

/** The remains of a deleted connection besides its secrets. */
const payload = z.object({
  connectionId,
  organizationId: payloadId<OrganizationId>(),
  kind: z.string(),
  name: z.string(),
  clientId: z.string().optional(),
  account: z.object({ id: z.string(), name: z.string(), url: z.string().optional() }).optional(),
  /** The names of its further webhook secrets. */
  webhooks: z.array(z.string()).optional(),
  /** The context repository whose webhook is removed. */
  repository: z
    .object({ githostConnectionId: connectionId, id: z.string(), fullName: z.string() })
    .optional(),
});
export type DisconnectPayload = z.output<typeof payload>;

/**
 * Makes the provider forget the tokens of a deleted connection and removes the webhook of its repository, then deletes
 * its secrets.
 */
export const connectionDisconnect = defineTask({
  name: 'connection-disconnect',
  payload,
  key: (job) => job.connectionId,
});
