import type { RenderedEntity } from '../../entities/entity.ts';
import { pageSize } from '../client/oncall-client.ts';
import { isOncallError } from '../client/oncall-error.ts';
import { readLog } from '../client/read-log.ts';
import type { Alert, Incident, LogEntry } from '../client/shapes.ts';
import { incidentKind, renderIncident, scopeFacts } from '../render/render-incident.ts';
import type { Session } from './session.ts';

/** Maximum numbers of entries of one incident. The newest are read. */
const maxLogEntries = 20_000;
const maxAlerts = 1_000;

/** Maximum length, as JSON, of the log entries that are kept of one incident, and of its alerts. */
const maxLogLength = 8 * 1024 ** 2;
const maxAlertsLength = 2 * 1024 ** 2;

/** Size of the pages of alerts if those of the usual size are too large to be read. */
const smallPageSize = 10;

/** The present state of an incident. */
export type ReadIncident =
  | { readonly status: 'in_scope'; readonly rendered: RenderedEntity }
  /** It is gone or belongs to no service in scope: its file is deleted. */
  | { readonly status: 'out_of_scope'; readonly id: string }
  /** The provider gives it out in an unknown shape: its file stays as it is. */
  | { readonly status: 'unreadable'; readonly id: string };

/** Reads an incident by its id. @throws the errors of the client that concern more than this incident */
export async function readIncident(session: Session, id: string): Promise<ReadIncident> {
  const { client, context } = session;
  return orUnreadable(session, id, async () => {
    const incident = await client.incident(id, context.signal);
    return incident === undefined ? { status: 'out_of_scope', id } : completed(session, incident);
  });
}

/** Reads what a list does not contain of an incident. */
export async function completeIncident(session: Session, incident: Incident): Promise<ReadIncident> {
  return orUnreadable(session, incident.id, () => completed(session, incident));
}

async function completed(session: Session, incident: Incident): Promise<ReadIncident> {
  const { client, scope, configuration, context, webOrigin } = session;
  const { content } = configuration;
  const { id } = incident;
  if (!scope.has(scopeFacts(incident))) return { status: 'out_of_scope', id };
  const logEntries = content.timeline ? await readLogEntries(session, id) : [];
  const notes = content.notes ? await client.notesOf(id, context.signal) : [];
  const alerts = content.alerts ? await readAlerts(session, id) : [];
  return { status: 'in_scope', rendered: renderIncident({ incident, logEntries, notes, alerts }, webOrigin) };
}

async function orUnreadable(
  { connection, context }: Session,
  id: string,
  read: () => Promise<ReadIncident>,
): Promise<ReadIncident> {
  try {
    return await read();
  } catch (error) {
    if (isOncallError(error, 'not_found')) return { status: 'out_of_scope', id };
    if (!isOncallError(error, 'protocol') && !isOncallError(error, 'too_large')) throw error;
    context.log.warn(
      { err: error, connectionId: connection.id, kind: incidentKind, id },
      'an incident was left out',
    );
    return { status: 'unreadable', id };
  }
}

async function readLogEntries(
  { client, context }: Session,
  incidentId: string,
): Promise<readonly LogEntry[]> {
  const entries = new Map<string, LogEntry>();
  let length = 0;
  for await (const page of readLog((at) => client.logEntriesOf(incidentId, at, context.signal))) {
    for (const entry of page) entries.set(entry.id, entry);
    length += JSON.stringify(page).length;
    if (entries.size >= maxLogEntries || length > maxLogLength) break;
  }
  return [...entries.values()];
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
    if (!isComplete) warnOfAlerts(session, incidentId);
    return alerts;
  }
}

/**
 * Reads a page of alerts; a smaller one if the answer is too large. Returns `undefined` if that is too large as well.
 */
async function readAlertPage({ client, context }: Session, incidentId: string, offset: number) {
  const read = (limit: number) => orTooLarge(client.alertsOf(incidentId, { offset, limit }, context.signal));
  return (await read(pageSize)) ?? (await read(smallPageSize));
}

function warnOfAlerts({ connection, context }: Session, incidentId: string): void {
  const { id: connectionId } = connection;
  context.log.warn(
    { connectionId, kind: incidentKind, id: incidentId },
    'alerts of an incident were left out, because the response of the provider is too large',
  );
}

/** Returns `undefined` for an answer that is too large. */
async function orTooLarge<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isOncallError(error, 'too_large')) return undefined;
    throw error;
  }
}
