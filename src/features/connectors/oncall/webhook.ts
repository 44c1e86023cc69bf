import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import {
  deliveryIdOf,
  hmacVerifier,
  onlyValue,
  parseBody,
  providerId,
  valuesOf,
} from '../intake/webhook-parts.ts';
import type { EntityReference, ReceivedWebhook, WebhookEvent, WebhookReader } from '../port.ts';

/** Maximum size of a body, in bytes (contract section 3). The provider sends half of that at most. */
const bodyLimit = 512 * 1024;

/** The neutral header names (contract section 3) and the provider's own. */
const signatureHeaders = ['x-oncall-signature', 'x-pagerduty-signature'] as const;
const subscriptionHeaders = ['x-oncall-subscription', 'x-webhook-subscription'] as const;
const deliveryHeaders = ['x-oncall-delivery', 'x-webhook-id'] as const;

/** Maximum number of signatures in a header. While a secret is replaced, there are two. */
const maxSignatures = 8;

export const oncallWebhooks: WebhookReader = {
  summary: 'A signed event of the oncall provider (headers X-Oncall-Signature, X-Oncall-Subscription)',
  bodyLimit,
  // Events name a subscription in place of an account.
  peekAccount: () => undefined,
  peekSecret,
  verifierOf,
  deliveryKeyOf,
  read,
};

/** Returns the subscription that the headers name. Two different ones are together the name of none. */
function peekSecret(headers: IncomingHttpHeaders): string | undefined {
  const names = valuesOf(headers, subscriptionHeaders);
  return names.length === 0 ? undefined : names.join(', ').slice(0, 200);
}

/** Reads the signatures: a list of `v1=` with an HMAC-SHA256 in lower-case hex. Other versions are ignored. */
function verifierOf(headers: IncomingHttpHeaders): ((body: Buffer, secret: string) => boolean) | undefined {
  const values = (onlyValue(headers, signatureHeaders) ?? '').split(',', maxSignatures + 1);
  if (values.length > maxSignatures) return undefined;
  const signatures = values.flatMap((value) => /^v1=([0-9a-f]{64})$/.exec(value.trim())?.[1] ?? []);
  return signatures.length === 0 ? undefined : hmacVerifier(signatures);
}

/**
 * Returns the provider's id of the delivery, which is the same for all attempts. It is not signed: a caller that
 * repeats a signed body under another id only causes the same incident to be fetched once more.
 */
function deliveryKeyOf({ headers, body }: ReceivedWebhook): string {
  return (
    deliveryIdOf(headers, deliveryHeaders) ?? `sha256:${createHash('sha256').update(body).digest('hex')}`
  );
}

const id = z.string().regex(providerId);
const reference = z.object({ id }).nullish().catch(undefined);

/** The fields that are read from a body; the provider may change the rest. */
const envelope = z.object({
  event: z.object({
    id: id.optional().catch(undefined),
    event_type: z.string(),
    occurred_at: z.iso.datetime({ offset: true }).optional().catch(undefined),
    data: z
      .object({
        type: z.string().catch(''),
        id: z.string().optional().catch(undefined),
        service: reference,
        incident: reference,
        incident_role_assignments: z
          .array(z.object({ incident: reference }))
          .optional()
          .catch(undefined),
        resolve_reason: z.object({ incident: reference }).nullish().catch(undefined),
      })
      .nullish()
      .catch(undefined),
  }),
});

type EventData = z.output<typeof envelope>['event']['data'];

function read({ headers, body }: ReceivedWebhook): WebhookEvent {
  const { event } = parseBody(body, envelope, 'an oncall event');
  const { id: eventId, event_type, occurred_at, data } = event;
  const isOfIncident = event_type.startsWith('incident.');
  const entities = isOfIncident ? entitiesOf(data) : [];
  return {
    account: undefined,
    key:
      deliveryIdOf(headers, deliveryHeaders) === undefined && eventId !== undefined
        ? `event:${eventId}`
        : undefined,
    name: /^[\w.]{1,60}$/.test(event_type) ? event_type : 'unknown',
    sentAt: occurred_at === undefined ? undefined : Date.parse(occurred_at),
    entities,
    ignored: isOfIncident ? ignoredBecause(data, entities) : 'unknown_type',
  };
}

/** Returns why the event cannot belong to a service in scope: it is never fetched (specification: Events). */
function ignoredBecause(data: EventData, entities: readonly EntityReference[]): string | undefined {
  if (data?.type === 'incident' && !data.service) return 'without_service';
  return entities.length === 0 ? 'without_incident' : undefined;
}

/**
 * Returns the incidents of an event. Only incidents themselves name their service, as `parent`; notes and responders
 * name their incident, whose service is stored if it is mirrored. A merged incident names the one it was merged into.
 */
function entitiesOf(data: EventData): readonly EntityReference[] {
  if (!data) return [];
  if (data.type === 'incident') {
    if (data.id === undefined || !providerId.test(data.id) || !data.service) return [];
    const own = { kind: 'incident', id: data.id, parent: { kind: 'service', id: data.service.id } };
    return [own, ...referencesTo([data.resolve_reason?.incident])];
  }
  return referencesTo([
    data.incident,
    ...(data.incident_role_assignments ?? []).map(({ incident }) => incident),
  ]);
}

function referencesTo(
  incidents: readonly ({ readonly id: string } | null | undefined)[],
): readonly EntityReference[] {
  const ids = new Set(incidents.flatMap((incident) => incident?.id ?? []));
  return [...ids].map((each) => ({ kind: 'incident', id: each }));
}
