import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';

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
