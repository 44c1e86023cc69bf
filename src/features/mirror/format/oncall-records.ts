import { z } from 'zod';
import {
  flag,
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
} from './field-types.ts';

// The order of the keys is their order in the files, as in tracker-records.ts.

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

export const incident = z.object({
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
});

const service = z.object({
  id,
  name: line,
  url,
  description: line.optional(),
  escalationPolicy: named.optional(),
  disabled: flag,
});

export const services = z.object({
  type: z.literal('services'),
  items: listOf(service, (value) => value.id),
});
