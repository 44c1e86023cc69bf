import { z } from 'zod';

// The fields that are read from answers. The provider may add others, and leaves out or nulls most of them.

const id = z.string().regex(/^[\w-]{1,100}$/);
const time = z.iso.datetime({ offset: true });

/** A value that is absent or null, or has another form than is read. */
function optional<T extends z.ZodType>(shape: T) {
  return shape
    .nullish()
    .catch(undefined)
    .transform((value) => value ?? undefined);
}

const text = optional(z.string());
const reference = z.object({ id, type: text, summary: text });
const optionalReference = optional(reference);

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
  incident_number: optional(z.number()),
  title: text,
  summary: text,
  html_url: text,
  created_at: time,
  updated_at: optional(time),
  last_status_change_at: optional(time),
  status: z.string(),
  urgency: text,
  priority: optional(z.object({ name: text, summary: text })),
  service: optionalReference,
  escalation_policy: optionalReference,
  assignments: optional(z.array(z.object({ assignee: reference }))),
  alert_counts: optional(z.object({ all: z.number(), triggered: z.number() })),
  resolve_reason: optional(z.object({ type: text, incident: optionalReference })),
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
  updated_at: optional(time),
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
  body: optional(z.object({ details: z.unknown() })).transform((body) =>
    startOf(textOf(body?.details), maxDetailsLength),
  ),
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
  filter: optional(z.object({ type: text })),
  delivery_method: z.object({
    url: text,
    secret: text,
    temporarily_disabled: optional(z.boolean()),
  }),
});

export type Service = z.output<typeof service>;
export type Incident = z.output<typeof incident>;
export type LogEntry = z.output<typeof logEntry>;
export type Note = z.output<typeof note>;
export type Alert = z.output<typeof alert>;
export type Subscription = z.output<typeof subscription>;

/**
 * Returns the start of a text, followed by an ellipsis if it is longer. It is a copy: a slice would keep the whole text
 * in memory for as long as the start is used.
 */
export function startOf(whole: string, length: number): string {
  return whole.length <= length ? whole : Buffer.from(`${whole.slice(0, length)}…`).toString();
}
