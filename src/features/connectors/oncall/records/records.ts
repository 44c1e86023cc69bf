import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { type ConnectorRecords, recordKind } from '../../../mirror/format/record-kind.ts';
import type { RenderedEntity } from '../../entities/entity.ts';
import type { Service } from '../client/shapes.ts';
import { incidentRecords, namedOf } from './incident.ts';

const listed = z.object({
  id: field.id,
  name: field.line,
  url: field.url,
  description: field.line.optional(),
  escalationPolicy: field.named.optional(),
  disabled: field.flag,
});

/** @internal Tests type their records by it. */
export const serviceRecords = recordKind({
  type: 'services',
  shape: z.object({ type: z.literal('services'), items: field.listOf(listed, (value) => value.id) }),
  files: 'oncall/services.yaml',
  entity: 'service',
  describe: ({ id, name, url, description, disabled }) => ({
    id,
    title: name,
    catalogId: id,
    properties: { url, description, disabled },
  }),
});

export const serviceKind = 'service';

/** Returns a service as one item of `oncall/services.yaml`. */
export function renderService(service: Service): RenderedEntity {
  const { id, name, summary, html_url, description, escalation_policy: policy, status } = service;
  const item = {
    id,
    name: name ?? summary ?? id,
    url: html_url,
    description,
    escalationPolicy: namedOf(policy),
    disabled: status === 'disabled',
  };
  return {
    kind: serviceKind,
    id,
    updatedAt: '',
    origin: `service ${id}`,
    content: { list: serviceRecords.type, item },
    links: { label: item.name, names: [`service ${id}`], references: [] },
    assets: [],
    parts: [],
    facts: { service: id },
  };
}

export const oncallRecords: ConnectorRecords = {
  root: 'oncall',
  title: 'Incident or service',
  description: 'An incident or service with its connections. Third-party data.',
  kinds: [incidentRecords, serviceRecords],
};
