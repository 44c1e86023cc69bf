import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  deliveryIdOf,
  hmacVerifier,
  onlyValue,
  parseBody,
  providerId,
  valuesOf,
} from '../intake/webhook-parts.ts';
import type { EntityReference, WebhookReader } from '../port.ts';

/** The neutral header names (contract section 3) and the provider's own. */
const signatureHeaders = ['x-oncall-signature', 'x-pagerduty-signature'] as const;
const subscriptionHeaders = ['x-oncall-subscription', 'x-webhook-subscription'] as const;
const deliveryHeaders = ['x-oncall-delivery', 'x-webhook-id'] as const;

/** Maximum number of signatures in a header. While a secret is replaced, there are two. */
const maxSignatures = 8;

const id = z.string().regex(providerId).optional().catch(undefined);
const reference = z.object({ id }).nullish().catch(undefined);

/** The fields that are read from a body; the provider may change the rest. */
const envelope = z.object({
  event: z.object({
    id,
    event_type: z.string(),
    occurred_at: z.iso.datetime({ offset: true }).optional().catch(undefined),
    data: z
      .object({
        type: z.string().catch(''),
        id,
        service: reference,
        incident: reference,
        incident_role_assignments: z.array(z.object({ incident: reference })).catch([]),
        resolve_reason: z.object({ incident: reference }).nullish().catch(undefined),
      })
      .nullish()
      .catch(undefined),
  }),
});

export const oncallWebhooks: WebhookReader = {
  summary: 'A signed event of the oncall provider (headers X-Oncall-Signature, X-Oncall-Subscription)',
  // Contract section 3. The provider sends half of that at most.
  bodyLimit: 512 * 1024,

  // Events name a subscription in place of an account.
  peekAccounts: () => [],

  /** Returns the subscription that the headers name. Two different ones are together the name of none. */
  peekSecret(headers) {
    const names = valuesOf(headers, subscriptionHeaders);
    return names.length === 0 ? undefined : names.join(', ').slice(0, 200);
  },

  /** Reads the signatures: a list of `v1=` with an HMAC-SHA256 in lower-case hex. Other versions are ignored. */
  verifierOf(headers) {
    const values = (onlyValue(headers, signatureHeaders) ?? '').split(',', maxSignatures + 1);
    if (values.length > maxSignatures) return undefined;
    const signatures = values.flatMap((value) => /^v1=([0-9a-f]{64})$/.exec(value.trim())?.[1] ?? []);
    return signatures.length === 0 ? undefined : hmacVerifier(signatures);
  },

  /**
   * Returns the provider's id of the delivery, which is the same for all attempts. It is not signed: a caller that
   * repeats a signed body under another id only causes the same incident to be fetched once more.
   */
  deliveryKeyOf: ({ headers, body }) =>
    deliveryIdOf(headers, deliveryHeaders) ?? `sha256:${createHash('sha256').update(body).digest('hex')}`,

  read({ headers, body }) {
    const { event } = parseBody(body, envelope, 'an oncall event');
    const { event_type, occurred_at, data } = event;
    const isNamed = deliveryIdOf(headers, deliveryHeaders) !== undefined;
    const isOfIncident = event_type.startsWith('incident.');
    const entities = isOfIncident ? entitiesOf(data) : [];
    return {
      account: undefined,
      key: isNamed || event.id === undefined ? undefined : `event:${event.id}`,
      name: /^[\w.]{1,60}$/.test(event_type) ? event_type : 'unknown',
      sentAt: occurred_at === undefined ? undefined : Date.parse(occurred_at),
      entities,
      ignored: isOfIncident ? ignoredBecause(data, entities) : 'unknown_type',
    };
  },
};

type EventData = z.output<typeof envelope>['event']['data'];

/** Returns why an event is never fetched: it cannot belong to a service in scope (specification: Events). */
function ignoredBecause(data: EventData, entities: readonly EntityReference[]): string | undefined {
  if (entities.length > 0) return undefined;
  return data?.type === 'incident' && !data.service?.id ? 'without_service' : 'without_incident';
}

/**
 * Returns the incidents of an event. Only incidents themselves name their service, as `parent`; notes and responders
 * name their incident, whose service is stored if it is mirrored. A merged incident names the one it was merged into.
 */
function entitiesOf(data: EventData): readonly EntityReference[] {
  if (!data) return [];
  const { type, id: own, service, incident, incident_role_assignments: roles, resolve_reason } = data;
  if (type !== 'incident') return referencesTo([incident, ...roles.map((role) => role.incident)]);
  if (own === undefined || service?.id === undefined) return [];
  const parent = { kind: 'service', id: service.id };
  return [{ kind: 'incident', id: own, parent }, ...referencesTo([resolve_reason?.incident])];
}

function referencesTo(incidents: readonly z.output<typeof reference>[]): readonly EntityReference[] {
  const ids = new Set(incidents.flatMap((incident) => incident?.id ?? []));
  return [...ids].map((each) => ({ kind: 'incident', id: each }));
}
