import type { RenderedEntity } from '../../entities/entity.ts';
import type { Service } from '../client/shapes.ts';
import { serviceRecords } from '../records/service-records.ts';
import { namedOf } from './render-incident.ts';

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
