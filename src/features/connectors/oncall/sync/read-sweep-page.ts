import type { Facts, RenderedEntity } from '../../entities/entity.ts';
import { keyOf, readEntities } from '../../entities/entity-rows.ts';
import { unseenEntities } from '../../entities/forget-entities.ts';
import type { EntityId, EntityReference } from '../../port.ts';
import { type EntityChanges, noChanges } from '../../sync/apply-changes.ts';
import { storedIn } from '../../sync/change-mirror.ts';
import type { Incident } from '../client/shapes.ts';
import { incidentKind } from '../render/render-incident.ts';
import { renderService, serviceKind } from '../render/render-service.ts';
import type { OncallScope } from './oncall-scope.ts';
import { type ChangedIncident, rangeOf } from './read-changes.ts';
import { completeIncident, isCurrent, type ReadIncident, readIncident } from './read-incident.ts';
import { orRefused, type Session } from './session.ts';
import { type Sweep, windowMs } from './sync-state.ts';

/** The result of one job of a sweep. */
export interface SweepPage {
  readonly changes: EntityChanges;
  /** Place at which the sweep goes on; `undefined` at its end. */
  readonly next: Sweep | undefined;
}

/** Number of entities that one job reads whole, at most. */
const pageLimit = 20;
/** Number of services in the query of a list. */
const groupSize = 50;

export async function readSweepPage(session: Session, sweep: Sweep): Promise<SweepPage> {
  switch (sweep.phase) {
    case 'services':
      return (
        (await orRefused(session, 'services', () => readServices(session, sweep))) ?? {
          changes: noChanges,
          next: { ...sweep, phase: 'incidents', index: 0, withoutServices: true },
        }
      );
    case 'incidents':
      // The next comparison asks for them again.
      return (
        (await orRefused(session, 'incidents', () => readIncidents(session, sweep))) ?? {
          changes: noChanges,
          next: undefined,
        }
      );
    case 'unseen':
      return readUnseen(session, sweep);
  }
}

async function readServices({ client, scope, context }: Session, sweep: Sweep): Promise<SweepPage> {
  const services = servicesOf(scope, sweep);
  const ids = services.slice(sweep.index, sweep.index + pageLimit);
  const rendered: RenderedEntity[] = [];
  for (const id of ids) {
    const service = await client.service(id, context.signal);
    if (service !== undefined) rendered.push(renderService(service));
  }
  const index = sweep.index + ids.length;
  const isDone = index >= services.length;
  return {
    changes: { ...noChanges, rendered },
    next: isDone ? { ...sweep, phase: 'incidents', index: 0 } : { ...sweep, index },
  };
}

/** Returns the services of a sweep in their order. */
function servicesOf(scope: OncallScope, { services }: Sweep): readonly string[] {
  return services ?? [...scope.services].toSorted();
}

async function readIncidents(session: Session, sweep: Sweep): Promise<SweepPage> {
  const { client, scope, context } = session;
  const group = servicesOf(scope, sweep).slice(sweep.index * groupSize, (sweep.index + 1) * groupSize);
  if (group.length === 0) {
    const isOfAll = sweep.services === undefined;
    return { changes: noChanges, next: isOfAll ? { ...sweep, phase: 'unseen', offset: 0 } : undefined };
  }
  const since = sweep.since ?? (await startOf(session, group));
  if (since === undefined || since >= sweep.until) return { changes: noChanges, next: nextGroup(sweep) };
  const until = Math.min(since + windowMs, sweep.until);
  const { items, more } = await client.incidents(
    { ...rangeOf(since, until), services: group, offset: sweep.offset },
    context.signal,
  );
  const read = await readListed(session, { sweep, since, items });
  const last = items[read.length - 1];
  const next =
    (more || read.length < items.length) && last !== undefined
      ? afterPage(sweep, since, Date.parse(last.created_at), read.length)
      : { ...sweep, since: until, offset: 0 };
  return { changes: changesBy(session, read), next };
}

/** Reads incidents of a list, those whole that the mirror does not have as they are, until the time of the job is over. */
async function readListed(
  session: Session,
  {
    sweep,
    since,
    items,
  }: { readonly sweep: Sweep; readonly since: number; readonly items: readonly Incident[] },
): Promise<readonly ReadIncident[]> {
  const ids = items.map(({ id }) => ({ kind: incidentKind, id }));
  const stored = await readEntities(storedIn(session.mirror), ids);
  const read: ReadIncident[] = [];
  let whole = 0;
  for (const incident of items) {
    const row = stored.get(keyOf({ kind: incidentKind, id: incident.id }));
    // The time of an entity is forgotten if its file must be written again.
    const known = row?.updated_at == null ? undefined : (JSON.parse(row.facts ?? '{}') as Facts);
    const isKnown = !sweep.whole && (await isCurrent(session, incident, known));
    read.push(isKnown ? { status: 'current', id: incident.id } : await completeIncident(session, incident));
    if (!isKnown) whole += 1;
    // Only incidents of another second are left to the next job: those of one have no order.
    const isLater = Date.parse(incident.created_at) > since;
    if (isLater && (session.isOver() || whole >= pageLimit)) break;
  }
  return read;
}

/**
 * The list is ordered by time and goes on at the time of the last incident, never by its number in the list: an
 * incident that is moved to another service meanwhile changes the numbers of all later ones. Only incidents of the same
 * second are counted.
 */
function afterPage(sweep: Sweep, since: number, lastAt: number, count: number): Sweep {
  return lastAt > since
    ? { ...sweep, since: lastAt, offset: 0 }
    : { ...sweep, since, offset: sweep.offset + count };
}

function nextGroup({ since: _since, ...sweep }: Sweep): Sweep {
  return { ...sweep, index: sweep.index + 1, offset: 0 };
}

/** Returns the time of the first incident that may be in scope; `undefined` if there is none. */
async function startOf(
  { client, configuration, context }: Session,
  group: readonly string[],
): Promise<number | undefined> {
  const { since } = configuration.scope;
  const oldest = await client.oldestIncident(group, context.signal);
  if (oldest === undefined) return undefined;
  return Math.max(Date.parse(oldest), since === undefined ? 0 : Date.parse(since));
}

/** Reads what is mirrored and was in no list, one by one: it may have been moved from list to list meanwhile. */
async function readUnseen(session: Session, sweep: Sweep): Promise<SweepPage> {
  const place = storedIn(session.mirror);
  const ids = await unseenEntities(place, incidentKind, sweep.startedAt, pageLimit);
  const read: ReadIncident[] = [];
  for (const id of ids) {
    read.push(await readIncident(session, id));
    if (session.isOver()) break;
  }
  if (ids.length > 0) return { changes: changesBy(session, read), next: sweep };
  if (sweep.withoutServices) return { changes: noChanges, next: undefined };
  const services = await unseenEntities(place, serviceKind, sweep.startedAt, pageLimit);
  const removed = services.map((id) => ({ kind: serviceKind, id }));
  return { changes: { ...noChanges, removed }, next: removed.length === 0 ? undefined : sweep };
}

/** Returns the changes by incidents that were read. Other jobs read those with long logs. */
export function changesBy(session: Session, read: readonly ReadIncident[]): EntityChanges {
  const ids = (...statuses: readonly ReadIncident['status'][]): readonly EntityId[] =>
    read.flatMap((each) =>
      each.status === 'in_scope' || !statuses.includes(each.status)
        ? []
        : { kind: incidentKind, id: each.id },
    );
  const unfinished = read.flatMap((each) => (each.status === 'unfinished' ? each : []));
  return {
    rendered: read.flatMap((each) => (each.status === 'in_scope' ? each.rendered : [])),
    removed: ids('out_of_scope'),
    kept: ids('unreadable', 'unfinished', 'current'),
    edits: referencesOf(session, unfinished),
  };
}

/** Returns incidents to fetch, with their services if they are in scope. Jobs leave out those that are not mirrored. */
export function referencesOf(
  { scope }: Session,
  incidents: readonly ChangedIncident[],
): readonly EntityReference[] {
  return incidents.map(({ id, service }) => {
    const isNamed = service !== undefined && scope.services.has(service);
    return { kind: incidentKind, id, ...(isNamed && { parent: { kind: serviceKind, id: service } }) };
  });
}
