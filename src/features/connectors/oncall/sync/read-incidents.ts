import { createHash } from 'node:crypto';
import { z } from 'zod';
import { orUndefined } from '../../../../foundation/kernel/or-undefined.ts';
import type { Facts } from '../../entities/entity.ts';
import { keyOf, readEntities, unknownHash } from '../../entities/entity-store.ts';
import type { EntityId, EntityReference } from '../../port.ts';
import { type EntityChanges, storedIn } from '../../sync/change-mirror.ts';
import { isProviderError } from '../../sync/provider-error.ts';
import type { FamilyPage, PageRequest } from '../../sync/source.ts';
import { failed, pageSize } from '../client/oncall-client.ts';
import type { Alert, Incident } from '../client/shapes.ts';
import { type IncidentInDetail, incidentKind, renderIncident, scopeFacts } from '../records/incident.ts';
import { serviceKind } from '../records/records.ts';
import { readIncidentLog } from './incident-log.ts';
import { partOf } from './oncall-scope.ts';
import type { Session } from './session.ts';

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

/** Reads a page of the incidents of a group of services, and fetches those whole that differ from the mirror. */
export async function readIncidentPage(
  session: Session,
  { mode, cursor, added }: PageRequest,
  now: number,
): Promise<FamilyPage> {
  const { client, scope } = session;
  const { services, until: end = now } = partOf(scope, added);
  const place = placeShape.parse(cursor ?? { index: 0, until: end, offset: 0 });
  const group = services.slice(place.index * groupSize, (place.index + 1) * groupSize);
  if (group.length === 0) return {};
  const since = place.since ?? (await startOf(session, group));
  if (since === undefined || since >= place.until)
    return { next: { index: place.index + 1, until: place.until, offset: 0 } };
  const until = Math.min(since + windowMs, place.until);
  const { items, more } = await client.incidents({ since, until, services: group, offset: place.offset });
  const read = await readListed(session, items, { isWhole: mode === 'full', since });
  const changes = joined(read);
  const last = items[read.length - 1];
  if (last === undefined || (!more && read.length === items.length))
    return { changes, next: { ...place, since: until, offset: 0 } };
  // The list goes on at the time of its last incident, never at its number in the list, because an incident that is
  // moved to another service meanwhile changes the numbers of all later ones. Only incidents of the same second are
  // counted.
  const lastAt = Date.parse(last.created_at);
  const next = { since: Math.max(since, lastAt), offset: lastAt > since ? 0 : place.offset + read.length };
  return { changes, next: { ...place, ...next } };
}

/** Returns the time of the first incident that may be in scope; `undefined` if there is none. */
async function startOf(
  { client, configuration }: Session,
  group: readonly string[],
): Promise<number | undefined> {
  const { since } = configuration.scope;
  const oldest = await client.oldestIncident(group);
  if (oldest === undefined || since === undefined) return oldest;
  return Math.max(oldest, Date.parse(since));
}

export async function fetchIncidents(session: Session, ids: readonly string[]): Promise<EntityChanges> {
  const read: EntityChanges[] = [];
  for (const id of ids) read.push(await readIncident(session, id));
  return joined(read);
}

function joined(all: readonly EntityChanges[]): EntityChanges {
  return {
    rendered: all.flatMap(({ rendered = [] }) => rendered),
    removed: all.flatMap(({ removed = [] }) => removed),
    kept: all.flatMap(({ kept = [] }) => kept),
    edits: all.flatMap(({ edits = [] }) => edits),
  };
}

/**
 * Reads incidents of a list, those whole that the mirror does not have as they are, until the time of the job is over.
 * `isWhole`: all are read whole.
 */
async function readListed(
  session: Session,
  items: readonly Incident[],
  { isWhole, since }: { readonly isWhole: boolean; readonly since: number },
): Promise<readonly EntityChanges[]> {
  const ids = items.map(({ id }) => idOf(id));
  const stored = await readEntities(storedIn(session.mirror), ids);
  const read: EntityChanges[] = [];
  let whole = 0;
  for (const incident of items) {
    const { id } = incident;
    const row = stored.get(keyOf(idOf(id)));
    // The time of an entity is forgotten if its file must be written again.
    const known = row?.updated_at == null ? undefined : (JSON.parse(row.facts ?? '{}') as Facts);
    const isKnown = !isWhole && (await isCurrent(session, incident, known));
    read.push(isKnown ? keptAs(id) : await readIncident(session, id, incident));
    if (!isKnown) whole += 1;
    // Only incidents of another second are left to the next job: those of one have no order.
    const isLater = Date.parse(incident.created_at) > since;
    if (isLater && (session.isOver() || whole >= pageLimit)) break;
  }
  return read;
}

/** Returns an incident to fetch, with its service if that is in scope. Jobs leave out one that is not mirrored. */
export function referenceTo({ scope }: Session, id: string, service: string | undefined): EntityReference {
  const isNamed = service !== undefined && scope.services.has(service);
  return { kind: incidentKind, id, parent: isNamed ? { kind: serviceKind, id: service } : undefined };
}

/** Maximum number of alerts of one incident, and of their length as JSON. */
const maxAlerts = 1_000;
const maxAlertsLength = 2 * 1024 ** 2;

/** Size of the pages of alerts if those of the usual size are too large to be read. */
const smallPageSize = 10;

const idOf = (id: string): EntityId => ({ kind: incidentKind, id });

/** The change by an incident whose file stays as it is. */
const keptAs = (id: string): EntityChanges => ({ kept: [idOf(id)] });

/** The change by an incident that is gone or belongs to no service in scope. */
const removedAs = (id: string): EntityChanges => ({ removed: [idOf(id)] });

/**
 * Reads an incident by its id, or what a list does not contain of it. `listed`: what the list contains. The file of one
 * that the provider gives out in an unknown shape stays as it is.
 * @throws the errors of the client that concern more than this incident
 */
async function readIncident(session: Session, id: string, listed?: Incident): Promise<EntityChanges> {
  try {
    const incident = listed ?? (await session.client.incident(id));
    return incident === undefined ? removedAs(id) : await completed(session, incident);
  } catch (error) {
    if (isProviderError(error, 'not_found')) return removedAs(id);
    if (!isProviderError(error, 'protocol', 'too_large')) throw error;
    warn(session, id, 'an incident was left out', error);
    return keptAs(id);
  }
}

function warn({ mirror }: Session, id: string, message: string, err?: unknown): void {
  const { connectionId, context } = mirror;
  context.log.warn({ err, connectionId, kind: incidentKind, id }, message);
}

async function completed(session: Session, incident: Incident): Promise<EntityChanges> {
  const { client, scope, configuration, webOrigin } = session;
  const { content } = configuration;
  const { id, service } = incident;
  if (!scope.has(scopeFacts(incident))) return removedAs(id);
  let isWhole = true;
  const part = async <T>(family: string, isWanted: boolean, read: () => Promise<T>) => {
    if (!isWanted) return undefined;
    const items = await orRefused(session, id, family, read);
    isWhole &&= items !== undefined;
    return items;
  };
  const logEntries = await part('timelines', content.timeline, async () => {
    return (await readIncidentLog(session, id)) ?? 'unfinished';
  });
  // Another job goes on with a long log.
  if (logEntries === 'unfinished') return { ...keptAs(id), edits: [referenceTo(session, id, service?.id)] };
  const notes = await part('notes', content.notes, () => client.notesOf(id));
  const alerts = await part('alerts', content.alerts, () => readAlerts(session, id));
  const detail = { incident, logEntries: logEntries ?? [], notes: notes ?? [], alerts: alerts ?? [] };
  const rendered = renderIncident(detail, webOrigin);
  const state = isWhole ? stateOf(detail) : {};
  if (!isWhole && (await isWholeFile(session, incident))) return keptAs(id);
  return { rendered: [{ ...rendered, facts: { ...rendered.facts, ...state } }] };
}

/** Returns whether the branch has the whole file of an incident as it is, and a rebuild is to write it again. */
async function isWholeFile({ mirror }: Session, incident: Incident): Promise<boolean> {
  const entity = idOf(incident.id);
  const row = (await readEntities(storedIn(mirror), [entity])).get(keyOf(entity));
  if (row?.hash !== unknownHash) return false;
  return (JSON.parse(row.facts ?? '{}') as Facts)['listed'] === hashOf(incident);
}

/**
 * Reads a part of an incident; `undefined` if the provider refuses the family of such parts while it gives out the
 * incident. @throws ProviderError `not_found` if the incident is gone
 */
function orRefused<T>({ client, refusals }: Session, id: string, family: string, read: () => Promise<T>) {
  const ask = async (): Promise<void> => {
    if ((await client.incident(id)) === undefined)
      throw failed('not_found', 'The oncall provider has no such incident.');
  };
  return refusals.orRefused(family, read, { ask });
}

/** Describes a stored incident, so that a sweep reads in whole only those that changed. */
function stateOf({ incident, notes }: Pick<IncidentInDetail, 'incident' | 'notes'>) {
  return { listed: hashOf(incident), notes: notes.length === 0 ? '' : hashOf(notes) };
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

/**
 * Returns whether the mirror has an incident of a list as it is. New log entries are found in the log of the account;
 * edited and deleted notes are in no log, so that existing ones are read again.
 */
async function isCurrent(session: Session, incident: Incident, facts: Facts | undefined): Promise<boolean> {
  const { client, configuration } = session;
  const { id } = incident;
  if (facts?.['listed'] !== hashOf(incident)) return false;
  if (facts['notes'] === '' || !configuration.content.notes) return true;
  const notes = await orRefused(session, id, 'notes', () => client.notesOf(id));
  return notes === undefined || stateOf({ incident, notes }).notes === facts['notes'];
}

/** Reads the alerts of an incident. Those beyond the limits, or in answers that are too large, are left out. */
async function readAlerts(session: Session, incidentId: string): Promise<readonly Alert[]> {
  const alerts: Alert[] = [];
  let length = 0;
  for (;;) {
    const read = (limit: number) =>
      session.client.alertsOf(incidentId, { offset: alerts.length, limit }).catch(orTooLarge);
    const page = (await read(pageSize)) ?? (await read(smallPageSize));
    for (const alert of page?.items ?? []) {
      length += JSON.stringify(alert).length;
      if (length <= maxAlertsLength) alerts.push(alert);
    }
    const isFull = length > maxAlertsLength || alerts.length >= maxAlerts;
    const isComplete = page !== undefined && !page.more;
    if (!isComplete && page !== undefined && page.items.length > 0 && !isFull) continue;
    const why = 'alerts of an incident were left out, because the response of the provider is too large';
    if (!isComplete) warn(session, incidentId, why);
    return alerts;
  }
}

const orTooLarge = orUndefined((error) => isProviderError(error, 'too_large'));
