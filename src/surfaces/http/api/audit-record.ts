import { z } from 'zod';
import type { AuditEvent } from '../../../features/identity/audit/audit.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';

export const auditRecord = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    actor: z
      .object({
        kind: z.enum(['user', 'host', 'system']),
        userId: z.string().nullable(),
        email: z.string().nullable().describe('As it was then.'),
        credential: z.string().nullable().describe('`session`, `api-key <id>` or `grant <id>`.'),
      })
      .describe('`host` is the operator at the command line of the host, `system` the service itself.'),
    action: z.string().describe('`member.removed`, for example.'),
    target: z.string().nullable().describe('Id of what it was done to.'),
    details: z.record(z.string(), z.unknown()),
    address: z.string().nullable().describe('Where the request came from.'),
  })
  .meta({ id: 'AuditEvent' });

export type AuditRecord = z.output<typeof auditRecord>;

export function toAuditRecord(event: AuditEvent): AuditRecord {
  const { id, at, actor, action, target, details, address } = event;
  return {
    id,
    at: isoTime(at),
    actor: {
      kind: actor.kind,
      userId: actor.userId ?? null,
      email: actor.email ?? null,
      credential: actor.credential ?? null,
    },
    action,
    target: target ?? null,
    details: { ...details },
    address: address ?? null,
  };
}
