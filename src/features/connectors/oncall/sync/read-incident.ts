import { createHash } from 'node:crypto';
import type { Facts, RenderedEntity } from '../../entities/entity.ts';
import { keyOf, readEntities, unknownHash } from '../../entities/entity-store.ts';
import { storedIn } from '../../sync/change-mirror.ts';
import { isProviderError } from '../../sync/provider-error.ts';
import { pageSize } from '../client/oncall-client.ts';
import { failed } from '../client/send-request.ts';
import type { Alert, Incident } from '../client/shapes.ts';
import {
  type IncidentInDetail,
  incidentKind,
  renderIncident,
  scopeFacts,
} from '../render/render-incident.ts';
import { readIncidentLog } from './incident-log.ts';
import type { Session } from './session.ts';

/** Maximum number of alerts of one incident, and of their length as JSON. */
const maxAlerts = 1_000;
const maxAlertsLength = 2 * 1024 ** 2;

/** Size of the pages of alerts if those of the usual size are too large to be read. */
const smallPageSize = 10;

/** The present state of an incident. */
export type ReadIncident =
  | { readonly status: 'in_scope'; readonly rendered: RenderedEntity }
  /** The mirror has this state of it. */
  | { readonly status: 'current'; readonly id: string }
  /** Its log is so long that another job goes on with it. */
  | { readonly status: 'unfinished'; readonly id: string; readonly service: string | undefined }
  /** It is gone or belongs to no service in scope: its file is deleted. */
  | { readonly status: 'out_of_scope'; readonly id: string }
  /** The provider gives it out in an unknown shape: its file stays as it is. */
  | { readonly status: 'unreadable'; readonly id: string };

/**
 * Reads an incident by its id, or what a list does not contain of it. `listed`: what the list contains.
 * @throws the errors of the client that concern more than this incident
 */
export async function readIncident(session: Session, id: string, listed?: Incident): Promise<ReadIncident> {
  try {
    const incident = listed ?? (await session.client.incident(id));
    return incident === undefined ? { status: 'out_of_scope', id } : await completed(session, incident);
  } catch (error) {
    if (isProviderError(error, 'not_found')) return { status: 'out_of_scope', id };
    if (!isProviderError(error, 'protocol', 'too_large')) throw error;
    warn(session, id, 'an incident was left out', error);
    return { status: 'unreadable', id };
  }
}

function warn({ connection, context }: Session, id: string, message: string, err?: unknown): void {
  context.log.warn({ err, connectionId: connection.id, kind: incidentKind, id }, message);
}

async function completed(session: Session, incident: Incident): Promise<ReadIncident> {
  const { client, scope, configuration, refusals, webOrigin } = session;
  const { content } = configuration;
  const { id, service } = incident;
  if (!scope.has(scopeFacts(incident))) return { status: 'out_of_scope', id };
  let isWhole = true;
  const part = async <T>(family: string, isWanted: boolean, read: () => Promise<T>) => {
    if (!isWanted) return undefined;
    const items = await refusals.orRefused(family, read, { ask: () => present(session, id) });
    isWhole &&= items !== undefined;
    return items;
  };
  const logEntries = await part('timelines', content.timeline, async () => {
    return (await readIncidentLog(session, id)) ?? 'unfinished';
  });
  if (logEntries === 'unfinished') return { status: 'unfinished', id, service: service?.id };
  const notes = await part('notes', content.notes, () => client.notesOf(id));
  const alerts = await part('alerts', content.alerts, () => readAlerts(session, id));
  const detail = { incident, logEntries: logEntries ?? [], notes: notes ?? [], alerts: alerts ?? [] };
  const rendered = renderIncident(detail, webOrigin);
  const state = isWhole ? stateOf(detail) : {};
  if (!isWhole && (await isWholeFile(session, incident))) return { status: 'current', id };
  return { status: 'in_scope', rendered: { ...rendered, facts: { ...rendered.facts, ...state } } };
}

/** Returns whether the branch has the whole file of an incident as it is, and a rebuild is to write it again. */
async function isWholeFile({ mirror }: Session, incident: Incident): Promise<boolean> {
  const entity = { kind: incidentKind, id: incident.id };
  const row = (await readEntities(storedIn(mirror), [entity])).get(keyOf(entity));
  if (row?.hash !== unknownHash) return false;
  return (JSON.parse(row.facts ?? '{}') as Facts)['listed'] === hashOf(incident);
}

/** Asks for an incident alone. @throws ProviderError `not_found` if it is gone */
async function present({ client }: Session, id: string): Promise<void> {
  if ((await client.incident(id)) === undefined)
    throw failed('not_found', 'The oncall provider has no such incident.');
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
export async function isCurrent(
  session: Session,
  incident: Incident,
  facts: Facts | undefined,
): Promise<boolean> {
  const { client, configuration, refusals } = session;
  const { id } = incident;
  if (facts?.['listed'] !== hashOf(incident)) return false;
  if (facts['notes'] === '' || !configuration.content.notes) return true;
  const read = () => client.notesOf(id);
  const notes = await refusals.orRefused('notes', read, { ask: () => present(session, id) });
  return notes === undefined || stateOf({ incident, notes }).notes === facts['notes'];
}

/** Reads the alerts of an incident. Those beyond the limits, or in answers that are too large, are left out. */
async function readAlerts(session: Session, incidentId: string): Promise<readonly Alert[]> {
  const alerts: Alert[] = [];
  let length = 0;
  for (;;) {
    const page = await readAlertPage(session, incidentId, alerts.length);
    for (const alert of page?.items ?? []) {
      length += JSON.stringify(alert).length;
      if (length <= maxAlertsLength) alerts.push(alert);
    }
    const isFull = length > maxAlertsLength || alerts.length >= maxAlerts;
    const isComplete = page !== undefined && !page.more;
    if (!isComplete && page !== undefined && page.items.length > 0 && !isFull) continue;
    if (!isComplete)
      warn(
        session,
        incidentId,
        'alerts of an incident were left out, because the response of the provider is too large',
      );
    return alerts;
  }
}

/**
 * Reads a page of alerts; a smaller one if the answer is too large. Returns `undefined` if that is too large as well.
 */
async function readAlertPage({ client }: Session, incidentId: string, offset: number) {
  const read = (limit: number) => orTooLarge(client.alertsOf(incidentId, { offset, limit }));
  return (await read(pageSize)) ?? (await read(smallPageSize));
}

/** Returns `undefined` for an answer that is too large. */
async function orTooLarge<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isProviderError(error, 'too_large')) return undefined;
    throw error;
  }
}
