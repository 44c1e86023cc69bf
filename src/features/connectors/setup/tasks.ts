import { z } from 'zod';
import { payloadId } from '../../../foundation/jobs/payload-id.ts';
import { defineTask } from '../../../foundation/jobs/task.ts';
import type { ConnectionId, OrganizationId } from '../../../foundation/kernel/ids.ts';
import type { ProviderAccount } from '../port.ts';

/** The remains of a deleted connection besides its secrets. */
export interface DisconnectPayload {
  readonly connectionId: ConnectionId;
  readonly organizationId: OrganizationId;
  readonly kind: string;
  readonly name: string;
  readonly clientId?: string | undefined;
  readonly account?: ProviderAccount | undefined;
  /** The names of its further webhook secrets. */
  readonly webhooks?: readonly string[] | undefined;
  /** The context repository whose webhook is removed. */
  readonly repository?: DisconnectedRepository | undefined;
}

export interface DisconnectedRepository {
  readonly githostConnectionId: ConnectionId;
  readonly id: string;
  readonly fullName: string;
}

const connectionId = payloadId<ConnectionId>();

const payload: z.ZodType<DisconnectPayload> = z.object({
  connectionId,
  organizationId: payloadId<OrganizationId>(),
  kind: z.string(),
  name: z.string(),
  clientId: z.string().optional(),
  account: z.object({ id: z.string(), name: z.string(), url: z.string().optional() }).optional(),
  webhooks: z.array(z.string()).optional(),
  repository: z
    .object({ githostConnectionId: connectionId, id: z.string(), fullName: z.string() })
    .optional(),
});

/**
 * Makes the provider forget the tokens of a deleted connection and removes the webhook of its repository, then deletes
 * its secrets.
 */
export const connectionDisconnect = defineTask({
  name: 'connection-disconnect',
  payload,
  key: (job) => job.connectionId,
});
