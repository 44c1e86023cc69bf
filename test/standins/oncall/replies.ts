import type { Account, Alert, Incident, LogEntry, Note, Service, User } from './types.ts';

/** The bodies of replies and events, in the provider's shapes. */

/** A reference as the provider writes it. */
function reference(account: Account, type: string, id: string, summary: string | null) {
  const path = `${type}s/${id}`;
  return { id, type: `${type}_reference`, summary, self: null, html_url: `${account.webOrigin}/${path}` };
}

const userReference = (account: Account, { id, name }: User) => reference(account, 'user', id, name);
const serviceReference = (account: Account, { id, name }: Service) => reference(account, 'service', id, name);
const incidentReference = (account: Account, { id, title }: Incident) =>
  reference(account, 'incident', id, title);

const utc = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');

/** A time in the zone of the account, two hours ahead, as log entries have it unless UTC is asked for. */
const zoned = (ms: number): string => `${new Date(ms + 7_200_000).toISOString().slice(0, -1)}+02:00`;

const policyOf = (account: Account) =>
  reference(account, 'escalation_policy', 'PESC0000000001', 'Day and night');

export function userReply(account: Account, { id, name, role }: User) {
  return {
    id,
    type: 'user',
    name,
    summary: name,
    email: `${id.toLowerCase()}@example.com`,
    role,
    time_zone: 'Europe/Berlin',
    self: null,
    html_url: `${account.webOrigin}/users/${id}`,
  };
}

export function serviceReply(account: Account, { id, name, description, status }: Service) {
  return {
    id,
    type: 'service',
    name,
    summary: name,
    description,
    status,
    escalation_policy: policyOf(account),
    self: null,
    html_url: `${account.webOrigin}/service-directory/${id}`,
  };
}

/** An incident of the REST API. */
export function incidentReply(account: Account, incident: Incident) {
  const { id, number, title, status, urgency, priority, service, createdAt, mergedInto } = incident;
  return {
    id,
    type: 'incident',
    summary: `[#${number}] ${title ?? ''}`,
    self: null,
    html_url: `${account.webOrigin}/incidents/${id}`,
    incident_number: number,
    title,
    created_at: utc(createdAt),
    updated_at: utc(incident.statusChangedAt),
    status,
    urgency,
    priority:
      priority === undefined
        ? null
        : { id: 'PPRI0000000001', type: 'priority', summary: priority, name: priority },
    service: serviceReference(account, service),
    escalation_policy: policyOf(account),
    assignments:
      status === 'resolved'
        ? []
        : incident.assignees.map((user) => ({ at: utc(createdAt), assignee: userReference(account, user) })),
    acknowledgements: incident.acknowledgers.map(({ user, at }) => ({
      at: utc(at),
      acknowledger: userReference(account, user),
    })),
    last_status_change_at: utc(incident.statusChangedAt),
    resolve_reason:
      mergedInto === undefined
        ? null
        : { type: 'merge_resolve_reason', incident: incidentReference(account, mergedInto) },
    teams: [],
    alert_counts: {
      all: incident.alerts.length,
      triggered: status === 'resolved' ? 0 : incident.alerts.length,
      resolved: status === 'resolved' ? incident.alerts.length : 0,
    },
  };
}

export function logEntryReply(account: Account, incident: Incident, entry: LogEntry, inUtc: boolean) {
  const { id, type, createdAt, agent, text } = entry;
  return {
    id,
    type,
    summary: text ?? type.replace('_log_entry', ''),
    self: null,
    html_url: `${account.webOrigin}/incidents/${incident.id}/log_entries/${id}`,
    created_at: inUtc ? utc(createdAt) : zoned(createdAt),
    agent: agent === undefined ? serviceReference(account, incident.service) : userReference(account, agent),
    channel: { type: 'auto', ...(text !== undefined && { summary: text }) },
    service: serviceReference(account, incident.service),
    incident: incidentReference(account, incident),
    teams: [],
  };
}

export function noteReply(account: Account, { id, user, content, createdAt, updatedAt }: Note) {
  return {
    id,
    user: userReference(account, user),
    content,
    created_at: zoned(createdAt),
    updated_at: zoned(updatedAt),
    channel: { summary: 'The website' },
  };
}

export function alertReply(account: Account, incident: Incident, alert: Alert) {
  const { id, summary, createdAt, details } = alert;
  return {
    id,
    type: 'alert',
    summary,
    self: null,
    html_url: `${account.webOrigin}/alerts/${id}`,
    created_at: utc(createdAt),
    status: incident.status,
    severity: 'critical',
    incident: incidentReference(account, incident),
    service: serviceReference(account, incident.service),
    body: { type: 'alert_body', contexts: [], details: details ?? null },
  };
}

/** `data` of an event about an incident. It names the service, unlike those of references. */
export function incidentData(account: Account, incident: Incident) {
  const { id, number, title, status, urgency, createdAt, mergedInto, service } = incident;
  return {
    id,
    type: 'incident',
    self: null,
    html_url: `${account.webOrigin}/incidents/${id}`,
    number,
    status,
    title,
    urgency,
    created_at: utc(createdAt),
    service: serviceReference(account, service),
    assignees: incident.assignees.map((user) => userReference(account, user)),
    escalation_policy: policyOf(account),
    teams: [],
    priority: null,
    conference_bridge: null,
    resolve_reason:
      mergedInto === undefined
        ? null
        : { type: 'merge_resolve_reason', incident: incidentReference(account, mergedInto) },
  };
}

export function noteData(account: Account, incident: Incident, note: Note) {
  return {
    id: note.id,
    type: 'incident_note',
    content: note.content,
    trimmed: false,
    incident: incidentReference(account, incident),
  };
}

export function responderData(account: Account, incident: Incident, user: User) {
  return {
    type: 'incident_responder',
    state: 'pending',
    message: 'Please help',
    user: userReference(account, user),
    escalation_policy: null,
    incident: incidentReference(account, incident),
  };
}
