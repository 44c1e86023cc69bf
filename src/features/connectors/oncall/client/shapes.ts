import { z } from 'zod';
import { startOf } from './start-of.ts';

// The fields that are read from answers. The provider may add others, and leaves out or nulls most of them.

const id = z.string().regex(/^[\w-]{1,100}$/);
const text = z.string().nullish().catch(undefined);
const time = z.iso.datetime({ offset: true });

const reference = z.object({ id, type: text, summary: text });
const optionalReference = reference.nullish().catch(undefined);

export const user = z.object({ id, html_url: z.string() });

export const service = z.object({
  id,
  name: text,
  summary: text,
  description: text,
  status: text,
  html_url: text,
  escalation_policy: optionalReference,
});

/** An incident whose service was deleted has none. */
export const incident = z.object({
  id,
  incident_number: z.number().nullish().catch(undefined),
  title: text,
  summary: text,
  html_url: text,
  created_at: time,
  updated_at: time.nullish().catch(undefined),
  last_status_change_at: time.nullish().catch(undefined),
  status: z.string(),
  urgency: text,
  priority: z.object({ name: text, summary: text }).nullish().catch(undefined),
  service: optionalReference,
  escalation_policy: optionalReference,
  assignments: z
    .array(z.object({ assignee: reference }))
    .nullish()
    .catch(undefined),
  alert_counts: z.object({ all: z.number(), triggered: z.number() }).nullish().catch(undefined),
  resolve_reason: z.object({ type: text, incident: optionalReference }).nullish().catch(undefined),
});

export const logEntry = z.object({
  id,
  type: z.string(),
  summary: text,
  created_at: time,
  html_url: text,
  agent: optionalReference,
  incident: optionalReference,
  service: optionalReference,
});

export const note = z.object({
  id,
  user: optionalReference,
  content: text,
  created_at: time,
  updated_at: time.nullish().catch(undefined),
});

/** Maximum length of the details of an alert. Whoever may send alerts chooses them. */
const maxDetailsLength = 16 * 1024;

export const alert = z.object({
  id,
  summary: text,
  severity: text,
  status: text,
  created_at: time,
  html_url: text,
  /** The details as text. */
  body: z
    .object({ details: z.unknown() })
    .nullish()
    .catch(undefined)
    .transform((body) => startOf(textOf(body?.details), maxDetailsLength)),
});

function textOf(details: unknown): string {
  if (details === undefined || details === null) return '';
  if (typeof details === 'string') return details;
  try {
    return JSON.stringify(details, null, 2);
  } catch {
    // Too many levels.
    return '';
  }
}

export const subscription = z.object({
  id,
  active: z.boolean().catch(true),
  description: text,
  events: z.array(z.string()).catch([]),
  filter: z.object({ type: text }).nullish().catch(undefined),
  delivery_method: z.object({
    url: text,
    secret: text,
    temporarily_disabled: z.boolean().nullish().catch(undefined),
  }),
});

export type Service = z.output<typeof service>;
export type Incident = z.output<typeof incident>;
export type LogEntry = z.output<typeof logEntry>;
export type Note = z.output<typeof note>;
export type Alert = z.output<typeof alert>;
export type Subscription = z.output<typeof subscription>;
