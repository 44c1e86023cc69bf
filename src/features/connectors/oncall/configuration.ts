import { z } from 'zod';
import type { ConnectorConfiguration } from '../port.ts';

const text = z.string().min(1).max(200);
const service = z.strictObject({ id: text, name: text.optional() });

const scope = z.strictObject({
  services: z.array(service).min(1, 'must name at least one service').max(1_000),
  since: z.iso.date('must be a date such as 2025-01-01').optional(),
  statuses: z.array(z.enum(['triggered', 'acknowledged', 'resolved'])).default([]),
  urgencies: z.array(z.enum(['high', 'low'])).default([]),
});

const content = z
  .strictObject({
    notes: z.boolean().default(true),
    timeline: z.boolean().default(true),
    alerts: z.boolean().default(false),
  })
  .prefault({});

/** The parts of the live configuration that the jobs read. */
export const oncallConfigurationShape = z.object({ scope, content });

export type OncallConfiguration = z.output<typeof oncallConfigurationShape>;

export const oncallConfiguration: ConnectorConfiguration = {
  scope,
  blocks: { content },
  flags: {
    service: {
      placeholder: 'id',
      description: 'id of a service to mirror',
      scopeOf: (ids) => ({ services: ids.map((id) => ({ id })) }),
    },
  },
  comments: {
    'scope.services': 'at least one; the id decides, the name is for readers',
    scope: '`since: 2025-01-01` leaves out what was created before',
    'scope.statuses': 'triggered acknowledged resolved; empty = all',
    'scope.urgencies': 'high low; empty = all',
  },
};
