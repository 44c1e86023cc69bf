import { z } from 'zod';
import {
  id,
  line,
  listOf,
  named,
  number,
  oldestFirst,
  people,
  person,
  text,
  time,
  url,
} from '../../../mirror/format/field-types.ts';
import { linkPeople, linkTo, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';

/** One entry of the log of an incident. */
const logEntry = z.object({
  id,
  /** The kind of the event: `acknowledge`. Open: providers add kinds. */
  type: id,
  author: person.optional(),
  createdAt: time,
  url,
  body: text,
});

const note = z.object({
  id,
  author: person.optional(),
  createdAt: time,
  updatedAt: time.optional(),
  body: text,
});

const alert = z.object({
  id,
  title: line,
  severity: line.optional(),
  status: line.optional(),
  createdAt: time,
  url,
  body: text,
});

/** Identifiers of issues have a hyphen, so an incident cannot take the name of one. */
const mentionable = /^[A-Z0-9]{4,40}$/;

export const incidentRecords = recordKind({
  type: 'incident',
  shape: z.object({
    id,
    number,
    url,
    title: line,
    type: z.literal('incident'),
    status: line,
    urgency: line.optional(),
    priority: line.optional(),
    service: named.optional(),
    escalationPolicy: named.optional(),
    assignees: people,
    createdAt: time,
    acknowledgedAt: time.optional(),
    resolvedAt: time.optional(),
    /** Id of the incident that it was merged into. */
    mergedInto: id.optional(),
    body: text,
    alerts: listOf(alert, oldestFirst),
    timeline: listOf(logEntry, oldestFirst),
    notes: listOf(note, oldestFirst),
  }),
  files: 'oncall/incidents/*/*/*.md',
  names: ({ id: own, createdAt }) => [createdAt.slice(0, 4), createdAt.slice(5, 7), safeName(own, 'upper')],
  sections: [
    { key: 'alerts', heading: 'Alerts', entry: 'alert' },
    { key: 'timeline', heading: 'Timeline', entry: 'event' },
    { key: 'notes', heading: 'Notes', entry: 'note' },
  ],
  entity: 'incident',
  traces: true,
  describe({ id: own, title, status, urgency, service, assignees, mergedInto }) {
    return [
      {
        id: own,
        title,
        names: [own.toUpperCase()].filter((name) => mentionable.test(name)),
        state: { open: !/^(?:resolved|closed)$/i.test(status), name: status },
        properties: { urgency },
        people: linkPeople('assigned_to', 'assignees', assignees),
        refersTo: [
          ...linkTo('affects', 'service', 'service', service?.id),
          ...linkTo('merged_into', 'mergedInto', 'incident', mergedInto),
        ],
      },
      ...(service === undefined
        ? []
        : [{ kind: 'service', id: service.id, title: service.name, catalogId: service.id }]),
    ];
  },
});
