import { z } from 'zod';
import type { Reply } from '../tracker/http.ts';
import { failure, invalid, notFound } from './errors.ts';
import { pageOf, type RestRequest, type Route } from './route.ts';
import type { Subscription } from './subscriptions.ts';

/** Events whose scope is `incidents.read`. Others are refused, as `incident.workflow.started`. */
const knownEvents: ReadonlySet<string> = new Set(
  `triggered acknowledged unacknowledged resolved reopened escalated delegated reassigned priority_updated annotated
  responder.added responder.replied status_update_published service_updated incident_type.changed
  conference_bridge.updated custom_field_values.updated role.assigned task.created task.updated task.completed`
    .split(/\s+/)
    .map((name) => `incident.${name}`),
);

const events = z
  .array(z.string())
  .min(1)
  .refine((names) => new Set(names).size === names.length, 'events must be unique')
  .refine((names) => names.every((name) => knownEvents.has(name)), 'unknown or not permitted event');

const creation = z.strictObject({
  webhook_subscription: z.strictObject({
    type: z.literal('webhook_subscription'),
    delivery_method: z.strictObject({
      type: z.literal('http_delivery_method'),
      url: z.url(),
      custom_headers: z.array(z.unknown()).optional(),
    }),
    description: z.string(),
    events,
    // An account-level filter has no id.
    filter: z.strictObject({ type: z.literal('account_reference') }),
  }),
});

const update = z.strictObject({
  webhook_subscription: z.strictObject({
    description: z.string().optional(),
    events: events.optional(),
    active: z.boolean().optional(),
  }),
});

const maxSubscriptions = 10;

function replyOf(
  { id, url, description, events: names, active, temporarilyDisabled }: Subscription,
  secret: string | null,
) {
  return {
    id,
    type: 'webhook_subscription',
    active,
    description,
    events: names,
    filter: { id: null, type: 'account_reference' },
    delivery_method: {
      id: `D${id}`,
      type: 'http_delivery_method',
      url,
      secret,
      temporarily_disabled: temporarilyDisabled,
      custom_headers: [],
    },
  };
}

/** Only an owner or admin may manage subscriptions of the account. */
function mayWrite({ grant }: RestRequest): Reply | undefined {
  const { role } = grant.user;
  return role === 'owner' || role === 'admin' ? undefined : failure(403, 2010, 'Access Denied');
}

function create(request: RestRequest): Reply {
  const { subscriptions, body } = request;
  const refused = mayWrite(request);
  if (refused !== undefined) return refused;
  const given = creation.safeParse(parsed(body));
  if (!given.success) return invalid(given.error.message);
  if (subscriptions.all.length >= maxSubscriptions) {
    return failure(400, 2019, 'Account level webhook subscription limit reached');
  }
  const { delivery_method, description, events: names } = given.data.webhook_subscription;
  const made = subscriptions.create({ url: delivery_method.url, description, events: names });
  return { status: 200, body: { webhook_subscription: replyOf(made, made.secret) } };
}

function change(request: RestRequest): Reply {
  return onOne(request, (subscription) => {
    const given = update.safeParse(parsed(request.body));
    if (!given.success) return invalid(given.error.message);
    const { webhook_subscription: changes } = given.data;
    Object.assign(subscription, changes);
    return { status: 200, body: { webhook_subscription: replyOf(subscription, null) } };
  });
}

function onOne(request: RestRequest, answer: (subscription: Subscription) => Reply): Reply {
  const refused = mayWrite(request);
  if (refused !== undefined) return refused;
  const found = request.subscriptions.find(request.ids[0] ?? '');
  return found === undefined ? notFound() : answer(found);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const one = /^\/webhook_subscriptions\/(\w+)$/;
const scopes = { read: 'webhook_subscriptions.read', write: 'webhook_subscriptions.write' } as const;

export const subscriptionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/webhook_subscriptions$/,
    scope: scopes.read,
    parameters: ['limit', 'offset', 'total', 'filter_type', 'filter_id'],
    answer({ subscriptions, query }) {
      const filter = query.get('filter_type');
      if (filter !== null && filter !== 'account') return invalid('filter_type');
      return pageOf(subscriptions.all, query, 'webhook_subscriptions', (each) => replyOf(each, null));
    },
  },
  { method: 'POST', path: /^\/webhook_subscriptions$/, scope: scopes.write, parameters: [], answer: create },
  { method: 'PUT', path: one, scope: scopes.write, parameters: [], answer: change },
  {
    method: 'DELETE',
    path: one,
    scope: scopes.write,
    parameters: [],
    answer: (request) =>
      onOne(request, ({ id }) => {
        request.subscriptions.remove(id);
        return { status: 204 };
      }),
  },
  {
    method: 'POST',
    path: /^\/webhook_subscriptions\/(\w+)\/enable$/,
    scope: scopes.write,
    parameters: [],
    answer: (request) =>
      onOne(request, (subscription) => {
        subscription.temporarilyDisabled = false;
        subscription.drops = 0;
        return { status: 200, body: { webhook_subscription: replyOf(subscription, null) } };
      }),
  },
  {
    method: 'POST',
    path: /^\/webhook_subscriptions\/(\w+)\/ping$/,
    scope: scopes.write,
    parameters: [],
    answer: (request) =>
      onOne(request, (subscription) => {
        request.subscriptions.ping(subscription);
        return { status: 202 };
      }),
  },
];
