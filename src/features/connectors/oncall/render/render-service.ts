import type { RenderedEntity } from '../../entities/entity.ts';
import type { Service } from '../client/shapes.ts';
import { serviceRecords } from '../records/service-records.ts';

export const serviceKind = 'service';

/** Returns a service as one item of `oncall/services.yaml`. */
export function renderService(service: Service): RenderedEntity {
  const { id, name, summary, html_url, description, escalation_policy: policy, status } = service;
  const item = {
    id,
    name: name ?? summary ?? id,
    url: html_url ?? undefined,
    description: description ?? undefined,
    escalationPolicy: policy ? { id: policy.id, name: policy.summary ?? policy.id } : undefined,
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
