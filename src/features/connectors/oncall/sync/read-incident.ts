import type { RenderedEntity } from '../../entities/entity.ts';
import { isOncallError } from '../client/oncall-error.ts';
import { readLog } from '../client/read-log.ts';
import type { Alert, Incident, LogEntry } from '../client/shapes.ts';
import { incidentKind, renderIncident, scopeFacts } from '../render/render-incident.ts';
import type { Session } from './session.ts';

/** Maximum numbers of entries of one incident. The newest are read. */
const maxLogEntries = 20_000;
const maxAlerts = 1_000;

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
  const { client, scope, content, context, webOrigin } = session;
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
    if (!isOncallError(error, 'protocol')) throw error;
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
  for await (const page of readLog((at) => client.logEntriesOf(incidentId, at, context.signal))) {
    for (const entry of page) entries.set(entry.id, entry);
    if (entries.size >= maxLogEntries) break;
  }
  return [...entries.values()];
}

async function readAlerts({ client, context }: Session, incidentId: string): Promise<readonly Alert[]> {
  const alerts: Alert[] = [];
  for (;;) {
    const { items, more } = await client.alertsOf(incidentId, { offset: alerts.length }, context.signal);
    alerts.push(...items);
    if (!more || items.length === 0 || alerts.length >= maxAlerts) return alerts;
  }
}
