import { z } from 'zod';
import type { Facts } from '../../entities/entity.ts';
import { keyOf, readEntities } from '../../entities/entity-store.ts';
import type { EntityId, EntityReference } from '../../port.ts';
import { type EntityChanges, storedIn } from '../../sync/change-mirror.ts';
import type { FamilyPage, PageRequest } from '../../sync/source.ts';
import type { Incident } from '../client/shapes.ts';
import { incidentKind } from '../render/render-incident.ts';
import { serviceKind } from '../render/render-service.ts';
import { isCurrent, type ReadIncident, readIncident } from './read-incident.ts';
import type { Session } from './session.ts';
import { servicesOf, untilOf } from './widening.ts';

/** Number of incidents that one job reads whole, at most. */
const pageLimit = 20;
/** Number of services in the query of a list. */
const groupSize = 50;
/** Longest range of one list of incidents; the provider refuses more than six months. */
const windowMs = 90 * 86_400_000;

/** A place in the lists of incidents: one for each group of services, ordered by time. */
const placeShape = z.object({
  /** Number of groups that are done. */
  index: z.number(),
  /** End of the range of the incidents. What changes later is found by the log. */
  until: z.number(),
  /** Time at which the list of the group goes on; absent at its start. */
  since: z.number().optional(),
  /** Number of incidents of that second that are done. */
  offset: z.number(),
});

type Place = z.output<typeof placeShape>;

/** Reads a page of the incidents of a group of services, and fetches those whole that differ from the mirror. */
export async function readIncidentPage(
  session: Session,
  { mode, cursor, added }: PageRequest,
  now: number,
): Promise<FamilyPage> {
  const { client, scope } = session;
  const start: Place = { index: 0, until: untilOf(added) ?? now, offset: 0 };
  const place = cursor === undefined ? start : placeShape.parse(cursor);
  const services = servicesOf(scope, added);
  const group = services.slice(place.index * groupSize, (place.index + 1) * groupSize);
  if (group.length === 0) return { changes: changesBy(session, []) };
  const since = place.since ?? (await startOf(session, group));
  if (since === undefined || since >= place.until) {
    const { index, until } = place;
    return { changes: changesBy(session, []), next: { index: index + 1, until, offset: 0 } };
  }
  const until = Math.min(since + windowMs, place.until);
  const request = { ...rangeOf(since, until), services: group, offset: place.offset };
  const { items, more } = await client.incidents(request);
  const read = await readListed(session, items, { isWhole: mode === 'full', since });
  const last = items[read.length - 1];
  const next =
    (more || read.length < items.length) && last !== undefined
      ? afterPage(place, since, Date.parse(last.created_at), read.length)
      : { ...place, since: until, offset: 0 };
  return { changes: changesBy(session, read), next };
}

/** Fetches incidents one by one. */
export async function fetchIncidents(session: Session, ids: readonly string[]): Promise<EntityChanges> {
  const read: ReadIncident[] = [];
  for (const id of ids) read.push(await readIncident(session, id));
  return changesBy(session, read);
}

/**
 * Reads incidents of a list, those whole that the mirror does not have as they are, until the time of the job is over.
 * `isWhole`: all are read whole.
 */
async function readListed(
  session: Session,
  items: readonly Incident[],
  { isWhole, since }: { readonly isWhole: boolean; readonly since: number },
): Promise<readonly ReadIncident[]> {
  const ids = items.map(({ id }) => ({ kind: incidentKind, id }));
  const stored = await readEntities(storedIn(session.mirror), ids);
  const read: ReadIncident[] = [];
  let whole = 0;
  for (const incident of items) {
    const { id } = incident;
    const row = stored.get(keyOf({ kind: incidentKind, id }));
    // The time of an entity is forgotten if its file must be written again.
    const known = row?.updated_at == null ? undefined : (JSON.parse(row.facts ?? '{}') as Facts);
    const isKnown = !isWhole && (await isCurrent(session, incident, known));
    read.push(isKnown ? { status: 'current', id } : await readIncident(session, id, incident));
    if (!isKnown) whole += 1;
    // Only incidents of another second are left to the next job: those of one have no order.
    const isLater = Date.parse(incident.created_at) > since;
    if (isLater && (session.isOver() || whole >= pageLimit)) break;
  }
  return read;
}

/**
 * Returns where a list goes on: at the time of its last incident, never at its number in the list, because an incident
 * that is moved to another service meanwhile changes the numbers of all later ones. Only incidents of the same second
 * are counted.
 */
function afterPage(place: Place, since: number, lastAt: number, count: number): Place {
  return lastAt > since
    ? { ...place, since: lastAt, offset: 0 }
    : { ...place, since, offset: place.offset + count };
}

/** Returns the time of the first incident that may be in scope; `undefined` if there is none. */
async function startOf(
  { client, configuration }: Session,
  group: readonly string[],
): Promise<number | undefined> {
  const { since } = configuration.scope;
  const oldest = await client.oldestIncident(group);
  if (oldest === undefined) return undefined;
  return Math.max(Date.parse(oldest), since === undefined ? 0 : Date.parse(since));
}

/** Returns the changes by incidents that were read. Other jobs read those with long logs. */
function changesBy(session: Session, read: readonly ReadIncident[]): EntityChanges {
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

/** An incident to fetch, and its service if that is known. */
export interface FoundIncident {
  readonly id: string;
  readonly service: string | undefined;
}

/** Returns incidents to fetch, with their services if they are in scope. Jobs leave out those that are not mirrored. */
export function referencesOf(
  { scope }: Session,
  incidents: readonly FoundIncident[],
): readonly EntityReference[] {
  return incidents.map(({ id, service }) => {
    const isNamed = service !== undefined && scope.services.has(service);
    return { kind: incidentKind, id, ...(isNamed && { parent: { kind: serviceKind, id: service } }) };
  });
}

/** Returns a range as the provider takes it. */
export function rangeOf(since: number, until: number) {
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}
