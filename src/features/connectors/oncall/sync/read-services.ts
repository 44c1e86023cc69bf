import { z } from 'zod';
import type { RenderedEntity } from '../../entities/entity.ts';
import type { EntityId } from '../../port.ts';
import { type EntityChanges, noChanges } from '../../sync/apply-changes.ts';
import type { FamilyPage, PageRequest } from '../../sync/source.ts';
import { renderService, serviceKind } from '../render/render-service.ts';
import type { Session } from './session.ts';
import { servicesOf } from './widening.ts';

/** Number of services in a page. */
const pageLimit = 20;

/** Reads services of the scope. Their list at the provider has all services of the account. */
export async function readServicePage(session: Session, { cursor, added }: PageRequest): Promise<FamilyPage> {
  const index = z.number().parse(cursor ?? 0);
  const services = servicesOf(session.scope, added);
  const { rendered } = await fetchServices(session, services.slice(index, index + pageLimit));
  const next = index + pageLimit;
  return { changes: { ...noChanges, rendered }, ...(next < services.length && { next }) };
}

export async function fetchServices({ client }: Session, ids: readonly string[]): Promise<EntityChanges> {
  const rendered: RenderedEntity[] = [];
  const removed: EntityId[] = [];
  for (const id of ids) {
    const service = await client.service(id);
    if (service === undefined) removed.push({ kind: serviceKind, id });
    else rendered.push(renderService(service));
  }
  return { ...noChanges, rendered, removed };
}
