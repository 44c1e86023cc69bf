import { z } from 'zod';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import type { AuditEvent } from './audit.ts';

export const auditRecord = z
  .object({
    id: z.string(),
    at: z.iso.datetime(),
    actor: z
      .object({
        kind: z.enum(['user', 'host', 'system']),
        userId: z.string().nullable(),
        email: z.string().nullable().describe('The e-mail address at the time of the event.'),
        credential: z.string().nullable().describe('`session`, `api-key <id>` or `grant <id>`.'),
      })
      .describe('`host` is the operator at the command line of the host, `system` the service itself.'),
    action: z.string().describe('The action, such as `member.removed`.'),
    target: z.string().nullable().describe('Id of the changed object.'),
    details: z.record(z.string(), z.unknown()),
    address: z.string().nullable().describe('Address of the sender of the request.'),
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
