import { z } from 'zod';
import { withoutEnd } from '../../../../foundation/kernel/text/cut-text.ts';
import { shorten, visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { parseJson } from '../../../../foundation/kernel/wire/parse-json.ts';
import type { HttpMethod, HttpResponse } from '../../../../foundation/net/http.ts';
import { OutboundError } from '../../../../foundation/net/outbound-error.ts';
import { askProvider, type ProviderApi } from '../../sync/ask-provider.ts';
import { orGone, ProviderLimited, providerErrors } from '../../sync/provider-error.ts';
import { alert, incident, logEntry, note, service, subscription, user } from './shapes.ts';

const errorsOf = providerErrors('oncall', 'The oncall provider');
const { unauthenticated, unavailable, limited } = errorsOf;
export const { failed } = errorsOf;

/** The largest page of the provider, and how far it reads a list. */
export const pageSize = 100;
export const maxOffset = 10_000;

export interface ListPage<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

interface Page {
  readonly offset: number;
  readonly limit?: number;
}

/** A time range in milliseconds since the epoch. The start belongs to it. */
export interface Range {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

/** The calls of the provider's REST API that the connector makes. It writes nothing but webhook subscriptions. */
export type OncallClient = ReturnType<typeof openOncallClient>;

export function openOncallClient(deps: ProviderApi) {
  return {
    me: async () => (await read(deps, { path: '/users/me' }, z.object({ user }))).user,

    services: ({ query, ...page }: Page & { readonly query?: string | undefined }) =>
      list(deps, 'services', service, { path: '/services', query: query ? { query } : {}, ...page }),

    /** Returns `undefined` for a service that was deleted. */
    service: async (id: string) =>
      (await read(deps, { path: one('/services', id) }, z.object({ service })).catch(orGone))?.service,

    /** Lists incidents that were created in the range, oldest first. */
    incidents({ services, since, until, ...page }: Range & Page & { readonly services: readonly string[] }) {
      const query = { ...timesOf({ since, until }), ...oldestFirst, 'service_ids[]': services };
      return list(deps, 'incidents', incident, { path: '/incidents', query, ...page });
    },

    /** Returns the time of the oldest incident of some services, in milliseconds since the epoch. */
    async oldestIncident(services: readonly string[]) {
      const query = { date_range: 'all', ...oldestFirst, 'service_ids[]': services };
      const request = { path: '/incidents', query, offset: 0, limit: 1 };
      const [oldest] = (await list(deps, 'incidents', incident, request)).items;
      return oldest && Date.parse(oldest.created_at);
    },

    /** Returns `undefined` if there is no such incident. */
    incident: async (id: string) =>
      (await read(deps, { path: one('/incidents', id) }, z.object({ incident })).catch(orGone))?.incident,

    /** Lists the log entries of an incident, or of the account, newest first. */
    logEntries({ of, since, until, ...page }: Range & Page & { readonly of?: string | undefined }) {
      const path = `${of === undefined ? '' : one('/incidents', of)}/log_entries`;
      // The default is the time zone of the account.
      const query = { time_zone: 'UTC', ...timesOf({ since, until }) };
      return list(deps, 'log_entries', logEntry, { path, query, ...page });
    },

    async notesOf(incidentId: string) {
      const path = `${one('/incidents', incidentId)}/notes`;
      return (await read(deps, { path }, z.object({ notes: z.array(note) }))).notes;
    },

    alertsOf: (incidentId: string, page: Page) =>
      list(deps, 'alerts', alert, { path: `${one('/incidents', incidentId)}/alerts`, ...page }),

    /** Returns the subscriptions to events of the whole account, of which there are ten at most. */
    async subscriptions() {
      const request = { path: subscriptionPath, query: { filter_type: 'account' }, offset: 0 };
      return (await list(deps, 'webhook_subscriptions', subscription, request)).items;
    },

    /**
     * Subscribes to events of the whole account. Returns the subscription with its secret, which the provider shows
     * this once.
     */
    async createSubscription(url: string, description: string, events: readonly string[]) {
      const wanted = {
        type: 'webhook_subscription',
        delivery_method: { type: 'http_delivery_method', url },
        description,
        events,
        filter: { type: 'account_reference' },
      };
      const body = { webhook_subscription: wanted };
      const shape = z.object({ webhook_subscription: subscription });
      return (await read(deps, { method: 'POST', path: subscriptionPath, body }, shape)).webhook_subscription;
    },

    /** Activates a subscription with these events. */
    correctSubscription(id: string, events: readonly string[]) {
      const body = { webhook_subscription: { events, active: true } };
      return sendRequest(deps, { method: 'PUT', path: one(subscriptionPath, id), body });
    },

    /** Ends the pause after dropped deliveries. */
    enableSubscription: (id: string) =>
      sendRequest(deps, { method: 'POST', path: `${one(subscriptionPath, id)}/enable` }),

    /** Does nothing if the subscription is gone. */
    deleteSubscription: (id: string) =>
      sendRequest(deps, { method: 'DELETE', path: one(subscriptionPath, id) }).catch(orGone),
  };
}

async function read<T>(deps: ProviderApi, request: ApiRequest, shape: z.ZodType<T>): Promise<T> {
  const parsed = shape.safeParse(await sendRequest(deps, request));
  if (parsed.success) return parsed.data;
  throw failed('protocol', `The oncall provider answered ${request.path} in an unknown shape.`, parsed.error);
}

async function list<T>(
  deps: ProviderApi,
  key: string,
  item: z.ZodType<T>,
  { path, query, offset, limit = pageSize }: ApiRequest & Page,
): Promise<ListPage<T>> {
  const shape = z.object({ [key]: z.array(item), more: z.boolean().catch(false) });
  const paged = { ...query, limit: String(limit), offset: String(offset) };
  const body = await read(deps, { path, query: paged }, shape);
  return { items: body[key] as T[], more: body['more'] as boolean };
}

const subscriptionPath = '/webhook_subscriptions';

function one(path: string, id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

/** Returns a range as the API has it: in UTC, ISO 8601. */
const timesOf = ({ since, until }: Range) => ({ since: printed(since), until: printed(until) });

const printed = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString());

const oldestFirst = { sort_by: 'created_at:asc' };

interface ApiRequest {
  readonly method?: HttpMethod;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: object;
}

/** Delay if the provider limits requests without saying for how long; its limits count per minute. */
const defaultDelaySeconds = 30;
const maxDelaySeconds = 600;

const failure = z.object({
  error: z.object({ message: z.string().catch(''), errors: z.array(z.string()).catch([]) }),
});

/**
 * Sends a request and returns the parsed body of its answer; `undefined` for an answer without a body.
 * @throws ProviderError; ProviderLimited; Unavailable; the errors of the HTTP client
 */
function sendRequest(
  api: ProviderApi,
  { method = 'GET', path, query = {}, body }: ApiRequest,
): Promise<unknown> {
  const url = new URL(`${api.apiUrl}${path}`);
  for (const [name, values] of Object.entries(query))
    for (const value of [values ?? []].flat()) url.searchParams.append(name, value);
  const request = { url: url.href, method, accept: 'application/vnd.pagerduty+json;version=2', body };
  return askProvider(api, request, readAnswer).catch(tooLarge);
}

function readAnswer(response: HttpResponse): unknown {
  if (response.status === 204) return undefined;
  const answer = parseJson(response.body);
  if (response.status < 200 || response.status >= 300) throw errorOf(response, answer);
  if (answer === undefined && response.body.length > 0) throw unavailable('its answer cannot be read');
  return answer;
}

function tooLarge(error: unknown): never {
  if (!(error instanceof OutboundError) || error.reason !== 'too_large') throw error;
  throw failed('too_large', 'An answer of the oncall provider is larger than 16 MiB.', error);
}

function errorOf({ status, headers }: HttpResponse, content: unknown): Error {
  const { message = '', errors = [] } = failure.safeParse(content).data?.error ?? {};
  const words = withoutEnd(shorten(visibleLine([message, ...errors].filter(Boolean).join(': '))), '.');
  const reason = words === '' ? `HTTP ${status}` : words;
  if (status === 429) return limitedBy(headers['ratelimit-reset'] ?? headers['retry-after']);
  if (status >= 500 || status === 408) return unavailable(reason);
  if (status === 401) return unauthenticated();
  if (status === 402 || status === 403) {
    return failed(
      'forbidden',
      `The oncall provider does not permit this to the authorized user (${reason}). Give the app the scope or the user the role, or authorize another user.`,
    );
  }
  if (status === 404) return failed('not_found', `The oncall provider has no such entity (${reason}).`);
  if (status === 400)
    return failed(
      'invalid',
      `The oncall provider refused a request: ${reason}. Report this, with your version.`,
    );
  return failed(
    'protocol',
    `The oncall provider did not answer like its API (HTTP ${status}). Check ONCALL_API_URL_US and ONCALL_API_URL_EU.`,
  );
}

/** Returns the error for refused requests. `reset`: when the provider takes some again, in seconds. */
function limitedBy(reset: string | undefined): ProviderLimited {
  const seconds = reset !== undefined && /^\d{1,6}$/.test(reset) ? Number(reset) : defaultDelaySeconds;
  return new ProviderLimited(...limited(Math.min(Math.max(1, seconds), maxDelaySeconds)));
}
