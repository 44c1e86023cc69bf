import type { Subscription } from '../client/shapes.ts';

/**
 * The events that need no other scope than `incidents.read`: the provider refuses others, or never sends them. Events
 * of workflows are such others.
 */
export const wantedEvents: readonly string[] = [
  'triggered',
  'acknowledged',
  'unacknowledged',
  'resolved',
  'reopened',
  'escalated',
  'delegated',
  'reassigned',
  'priority_updated',
  'annotated',
  'responder.added',
  'responder.replied',
  'status_update_published',
  'service_updated',
  'incident_type.changed',
  'conference_bridge.updated',
  'custom_field_values.updated',
  'role.assigned',
  'task.created',
  'task.updated',
  'task.completed',
].map((name) => `incident.${name}`);

/** Returns true if a subscription sends all wanted events, unless it is paused. */
export function sendsWanted({ active, events }: Subscription): boolean {
  return active && wantedEvents.every((name) => events.includes(name));
}
