import { z } from 'zod';
import { escapePattern } from '../../../../foundation/kernel/text/escape-pattern.ts';
import * as field from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import type { RenderedEntity } from '../../entities/entity.ts';
import { type Alert, type Incident, type LogEntry, type Note, startOf } from '../client/shapes.ts';

/** One entry of the log of an incident. */
const logEntry = z.object({
  id: field.id,
  /** The kind of the event: `acknowledge`. Open: providers add kinds. */
  type: field.id,
  author: field.person.optional(),
  createdAt: field.time,
  url: field.url,
  body: field.text,
});

const note = z.object({
  id: field.id,
  author: field.person.optional(),
  createdAt: field.time,
  updatedAt: field.time.optional(),
  body: field.text,
});

const alert = z.object({
  id: field.id,
  title: field.line,
  severity: field.line.optional(),
  status: field.line.optional(),
  createdAt: field.time,
  url: field.url,
  body: field.text,
});

/** Identifiers of issues have a hyphen, so an incident cannot take the name of one. */
const mentionable = /^[A-Z0-9]{4,40}$/;

export const incidentRecords = recordKind({
  type: 'incident',
  shape: z.object({
    id: field.id,
    number: field.number,
    url: field.url,
    title: field.line,
    type: z.literal('incident'),
    status: field.line,
    urgency: field.line.optional(),
    priority: field.line.optional(),
    service: field.named.optional(),
    escalationPolicy: field.named.optional(),
    assignees: field.people,
    createdAt: field.time,
    acknowledgedAt: field.time.optional(),
    resolvedAt: field.time.optional(),
    /** Id of the incident that it was merged into. */
    mergedInto: field.id.optional(),
    body: field.text,
    alerts: field.listOf(alert, field.oldestFirst),
    timeline: field.listOf(logEntry, field.oldestFirst),
    notes: field.listOf(note, field.oldestFirst),
  }),
  files: 'oncall/incidents/*/*/*.md',
  names: ({ id, createdAt }) => [createdAt.slice(0, 4), createdAt.slice(5, 7), safeName(id, 'upper')],
  sections: [
    { key: 'alerts', heading: 'Alerts', entry: 'alert' },
    { key: 'timeline', heading: 'Timeline', entry: 'event' },
    { key: 'notes', heading: 'Notes', entry: 'note' },
  ],
  entity: 'incident',
  traces: true,
  people: { assignees: 'assigned_to' },
  links: { service: ['affects', 'service'], mergedInto: ['merged_into', 'incident'] },
  describe: ({ id, title, status, urgency, service }) => [
    {
      id,
      title,
      names: [id.toUpperCase()].filter((name) => mentionable.test(name)),
      state: { open: !/^(?:resolved|closed)$/i.test(status), name: status },
      properties: { urgency },
    },
    ...(service === undefined
      ? []
      : [{ kind: 'service', id: service.id, title: service.name, catalogId: service.id }]),
  ],
});

/** An incident with the lists that its file contains. */
export interface IncidentInDetail {
  readonly incident: Incident;
  /** All of them, in any order. */
  readonly logEntries: readonly LogEntry[];
  readonly notes: readonly Note[];
  readonly alerts: readonly Alert[];
}

/** The name of the kind in the entity store. */
export const incidentKind = 'incident';

/** Maximum length of all texts of an incident. Each of a longer one is cut, because a file has at most 25 MiB. */
const maxTextLength = 4 * 1024 ** 2;
const cutLength = 500;

/**
 * Returns an incident as the mirror stores it. Pure: the same incident gives the same result, in whatever order the
 * provider lists its parts. `webOrigin` is that of the pages of its account.
 */
export function renderIncident(detail: IncidentInDetail, webOrigin: string): RenderedEntity {
  const { incident } = detail;
  const record = incidentRecords.shape.parse({ ...factsOf(detail), ...listsOf(detail) });
  const texts = [...record.timeline, ...record.notes, ...record.alerts].map(({ body }) => body);
  return {
    kind: incidentKind,
    id: incident.id,
    updatedAt: incident.updated_at ?? incident.last_status_change_at ?? incident.created_at,
    origin: `incident ${incident.id}`,
    content: { record },
    links: {
      label: record.title || record.id,
      names: [nameOf(incident.id)],
      references: referencesIn(texts, webOrigin),
    },
    assets: [],
    parts: [],
    facts: scopeFacts(incident),
  };
}

/** The values that the scope of a configuration is evaluated by. */
export function scopeFacts({ service, created_at, status, urgency }: Incident) {
  return {
    service: service?.id ?? '',
    created: new Date(created_at).toISOString(),
    status,
    urgency: urgency ?? '',
  };
}

function factsOf({ incident, logEntries }: IncidentInDetail) {
  const { status, resolve_reason: reason, priority } = incident;
  const isResolved = status === 'resolved';
  return {
    id: incident.id,
    number: incident.incident_number,
    url: incident.html_url,
    title: incident.title ?? incident.summary ?? '',
    type: 'incident' as const,
    status,
    urgency: incident.urgency,
    priority: priority?.name ?? priority?.summary,
    service: namedOf(incident.service),
    escalationPolicy: namedOf(incident.escalation_policy),
    assignees: (incident.assignments ?? []).flatMap(({ assignee }) => namedOf(assignee) ?? []),
    createdAt: incident.created_at,
    acknowledgedAt: timesOf(logEntries, 'acknowledge').at(0),
    resolvedAt: isResolved
      ? (timesOf(logEntries, 'resolve').at(-1) ?? incident.last_status_change_at)
      : undefined,
    mergedInto: reason?.type === 'merge_resolve_reason' ? reason.incident?.id : undefined,
    body: '',
  };
}

function listsOf({ logEntries, notes, alerts }: IncidentInDetail) {
  const lists = {
    timeline: logEntries.map(({ id, type, agent, created_at, html_url, summary = '' }) => ({
      id,
      type: typeOf(type),
      author: agent?.type?.startsWith('user') === true ? namedOf(agent) : undefined,
      createdAt: created_at,
      url: html_url,
      body: summary,
    })),
    notes: notes.map(({ id, user, created_at, updated_at, content = '' }) => ({
      id,
      author: namedOf(user),
      createdAt: created_at,
      updatedAt: isLater(updated_at, created_at) ? updated_at : undefined,
      body: content,
    })),
    alerts: alerts.map(({ id, summary, severity, status, created_at, html_url, body }) => ({
      id,
      title: summary ?? '',
      severity,
      status,
      createdAt: created_at,
      url: html_url,
      body,
    })),
  };
  const all = Object.values(lists).flat();
  const length = all.reduce((sum, { body }) => sum + body.length, 0);
  if (length > maxTextLength) for (const each of all) each.body = startOf(each.body, cutLength);
  return lists;
}

/** `acknowledge_log_entry` is shown as `acknowledge`. The provider adds types. */
function typeOf(type: string): string {
  return type.replace(/_log_entry(?:_reference)?$/, '') || type;
}

export function namedOf(
  reference: { readonly id: string; readonly summary?: string | undefined } | undefined,
) {
  return reference && { id: reference.id, name: reference.summary ?? reference.id };
}

/** Returns the times of the log entries of a type, the earliest first. */
function timesOf(entries: readonly LogEntry[], type: string): readonly string[] {
  const ofType = entries.filter((entry) => typeOf(entry.type) === type);
  return ofType.map(({ created_at }) => new Date(created_at).toISOString()).toSorted();
}

function isLater(time: string | undefined, other: string): boolean {
  return time !== undefined && Date.parse(time) > Date.parse(other);
}

const nameOf = (id: string): string => `incident ${id}`;

const maxReferences = 1_000;

/** Finds the addresses of incidents of the same account. */
function referencesIn(texts: readonly string[], webOrigin: string) {
  const start = `${webOrigin}/incidents/`;
  const address = new RegExp(`${escapePattern(start)}\\w{1,100}`, 'gu');
  const urls = new Set(texts.flatMap((text) => text.match(address) ?? []));
  return [...urls].slice(0, maxReferences).map((url) => ({ url, name: nameOf(url.slice(start.length)) }));
}
