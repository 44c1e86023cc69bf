import { z } from 'zod';
import { fieldsOf } from '../../sync/fields-of.ts';

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

const texts = fieldsOf(optional(z.string()));
const times = fieldsOf(optional(time));
const reference = z.object({ id, ...texts('type', 'summary') });
const optionalReference = optional(reference);

export const user = z.object({ id, html_url: z.string() });

export const service = z.object({
  id,
  ...texts('name', 'summary', 'description', 'status', 'html_url'),
  escalation_policy: optionalReference,
});

/** An incident whose service was deleted has none. */
export const incident = z.object({
  id,
  incident_number: optional(z.number()),
  created_at: time,
  ...times('updated_at', 'last_status_change_at'),
  status: z.string(),
  ...texts('title', 'summary', 'html_url', 'urgency'),
  priority: optional(z.object(texts('name', 'summary'))),
  service: optionalReference,
  escalation_policy: optionalReference,
  assignments: optional(z.array(z.object({ assignee: reference }))),
  alert_counts: optional(z.object({ all: z.number(), triggered: z.number() })),
  resolve_reason: optional(z.object({ ...texts('type'), incident: optionalReference })),
});

export const logEntry = z.object({
  id,
  type: z.string(),
  created_at: time,
  ...texts('summary', 'html_url'),
  agent: optionalReference,
  incident: optionalReference,
  service: optionalReference,
});

export const note = z.object({
  id,
  user: optionalReference,
  created_at: time,
  ...texts('content'),
  ...times('updated_at'),
});

/** Maximum length of the details of an alert. Whoever may send alerts chooses them. */
const maxDetailsLength = 16 * 1024;

export const alert = z.object({
  id,
  created_at: time,
  ...texts('summary', 'severity', 'status', 'html_url'),
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
  events: z.array(z.string()).catch([]),
  delivery_method: z.object({ ...texts('url', 'secret'), temporarily_disabled: optional(z.boolean()) }),
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
