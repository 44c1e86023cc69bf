import { z } from 'zod';
import { isOncallError, OncallError } from './oncall-error.ts';
import { type ApiDeps, type ApiRequest, sendRequest } from './send-request.ts';
import {
  type Alert,
  alert,
  type Incident,
  incident,
  type LogEntry,
  logEntry,
  type Note,
  note,
  type Service,
  type Subscription,
  service,
  subscription,
  user,
} from './shapes.ts';

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

/** A time range in UTC, ISO 8601. The start belongs to it. */
interface Range {
  readonly since: string;
  readonly until: string;
}

/** A webhook subscription of the whole account. */
export interface NewSubscription {
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
}

/** The calls of the provider's REST API that the connector makes. It writes nothing but webhook subscriptions. */
export interface OncallClient {
  me(signal: AbortSignal): Promise<z.output<typeof user>>;
  services(
    page: Page & { readonly query?: string | undefined },
    signal: AbortSignal,
  ): Promise<ListPage<Service>>;
  /** Returns `undefined` for a service that was deleted. */
  service(id: string, signal: AbortSignal): Promise<Service | undefined>;
  /** Lists incidents that were created in the range, oldest first. */
  incidents(
    range: Range & Page & { readonly services: readonly string[] },
    signal: AbortSignal,
  ): Promise<ListPage<Incident>>;
  /** Returns the time of the oldest incident of some services. */
  oldestIncident(services: readonly string[], signal: AbortSignal): Promise<string | undefined>;
  /** Returns `undefined` if there is no such incident. */
  incident(id: string, signal: AbortSignal): Promise<Incident | undefined>;
  /** Lists the log entries of the account, newest first. */
  logEntries(range: Range & Page, signal: AbortSignal): Promise<ListPage<LogEntry>>;
  /** Lists the log entries of an incident before `until`, newest first. */
  logEntriesOf(
    incidentId: string,
    page: Page & { readonly until?: string | undefined },
    signal: AbortSignal,
  ): Promise<ListPage<LogEntry>>;
  notesOf(incidentId: string, signal: AbortSignal): Promise<readonly Note[]>;
  alertsOf(incidentId: string, page: Page, signal: AbortSignal): Promise<ListPage<Alert>>;
  subscriptions(page: Page, signal: AbortSignal): Promise<ListPage<Subscription>>;
  /** Returns the subscription with its secret, which the provider shows this once. */
  createSubscription(wanted: NewSubscription, signal: AbortSignal): Promise<Subscription>;
  changeSubscription(
    id: string,
    changes: { readonly events?: readonly string[]; readonly active?: boolean },
    signal: AbortSignal,
  ): Promise<void>;
  /** Ends the pause after dropped deliveries. */
  enableSubscription(id: string, signal: AbortSignal): Promise<void>;
  /** Does nothing if the subscription is gone. */
  deleteSubscription(id: string, signal: AbortSignal): Promise<void>;
}

export function openOncallClient(deps: ApiDeps): OncallClient {
  async function read<T>(request: ApiRequest, shape: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const parsed = shape.safeParse(await sendRequest(deps, request, signal));
    if (parsed.success) return parsed.data;
    throw new OncallError('protocol', `The oncall provider answered ${request.path} in an unknown shape.`, {
      cause: parsed.error,
    });
  }

  async function list<T>(
    key: string,
    item: z.ZodType<T>,
    { path, query = [], offset, limit = pageSize }: ApiRequest & Page,
    signal: AbortSignal,
  ): Promise<ListPage<T>> {
    const shape = z.object({ [key]: z.array(item), more: z.boolean().catch(false) });
    const paged = [...query, ['limit', String(limit)], ['offset', String(offset)]] as const;
    const body = await read({ path, query: paged }, shape, signal);
    return { items: body[key] as T[], more: body['more'] as boolean };
  }

  async function find<T>(
    request: ApiRequest,
    shape: z.ZodType<T>,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    try {
      return await read(request, shape, signal);
    } catch (error) {
      if (isOncallError(error, 'not_found')) return undefined;
      throw error;
    }
  }

  return {
    me: async (signal) => (await read({ path: '/users/me' }, z.object({ user }), signal)).user,
    services: ({ query, ...page }, signal) =>
      list(
        'services',
        service,
        { path: '/services', query: query ? [['query', query]] : [], ...page },
        signal,
      ),
    service: async (id, signal) =>
      (await find({ path: one('/services', id) }, z.object({ service }), signal))?.service,
    incidents({ services, since, until, ...page }, signal) {
      const range = [['since', since] as const, ['until', until] as const];
      const query = [...range, ['sort_by', 'created_at:asc'] as const, ...ofServices(services)];
      return list('incidents', incident, { path: '/incidents', query, ...page }, signal);
    },
    async oldestIncident(services, signal) {
      const order = [['date_range', 'all'] as const, ['sort_by', 'created_at:asc'] as const];
      const query = [...order, ...ofServices(services)];
      const oldest = { path: '/incidents', query, offset: 0, limit: 1 };
      const { items } = await list('incidents', incident, oldest, signal);
      return items[0]?.created_at;
    },
    incident: async (id, signal) =>
      (await find({ path: one('/incidents', id) }, z.object({ incident }), signal))?.incident,
    logEntries({ since, until, ...page }, signal) {
      const query = [...inUtc, ['since', since] as const, ['until', until] as const];
      return list('log_entries', logEntry, { path: '/log_entries', query, ...page }, signal);
    },
    logEntriesOf(incidentId, { until, ...page }, signal) {
      const query = [...inUtc, ...(until === undefined ? [] : [['until', until] as const])];
      const path = `${one('/incidents', incidentId)}/log_entries`;
      return list('log_entries', logEntry, { path, query, ...page }, signal);
    },
    notesOf: async (incidentId, signal) =>
      (
        await read(
          { path: `${one('/incidents', incidentId)}/notes` },
          z.object({ notes: z.array(note) }),
          signal,
        )
      ).notes,
    alertsOf: (incidentId, page, signal) =>
      list('alerts', alert, { path: `${one('/incidents', incidentId)}/alerts`, ...page }, signal),
    ...subscriptionCalls(deps, read, list),
  };
}

function one(path: string, id: string): string {
  return `${path}/${encodeURIComponent(id)}`;
}

function ofServices(ids: readonly string[]) {
  return ids.map((id) => ['service_ids[]', id] as const);
}

/** The default is the time zone of the account. */
const inUtc = [['time_zone', 'UTC'] as const];

const subscriptionPath = '/webhook_subscriptions';

type SubscriptionCalls = Pick<
  OncallClient,
  'subscriptions' | 'createSubscription' | 'changeSubscription' | 'enableSubscription' | 'deleteSubscription'
>;

function subscriptionCalls(
  deps: ApiDeps,
  read: <T>(request: ApiRequest, shape: z.ZodType<T>, signal: AbortSignal) => Promise<T>,
  list: <T>(
    key: string,
    item: z.ZodType<T>,
    request: ApiRequest & Page,
    signal: AbortSignal,
  ) => Promise<ListPage<T>>,
): SubscriptionCalls {
  return {
    subscriptions: (page, signal) =>
      list(
        'webhook_subscriptions',
        subscription,
        { path: subscriptionPath, query: [['filter_type', 'account']], ...page },
        signal,
      ),
    async createSubscription({ url, description, events }, signal) {
      const wanted = {
        type: 'webhook_subscription',
        delivery_method: { type: 'http_delivery_method', url },
        description,
        events,
        filter: { type: 'account_reference' },
      };
      const request = {
        method: 'POST',
        path: subscriptionPath,
        body: { webhook_subscription: wanted },
      } as const;
      return (await read(request, z.object({ webhook_subscription: subscription }), signal))
        .webhook_subscription;
    },
    async changeSubscription(id, changes, signal) {
      const body = { webhook_subscription: changes };
      await sendRequest(deps, { method: 'PUT', path: one(subscriptionPath, id), body }, signal);
    },
    async enableSubscription(id, signal) {
      await sendRequest(deps, { method: 'POST', path: `${one(subscriptionPath, id)}/enable` }, signal);
    },
    async deleteSubscription(id, signal) {
      try {
        await sendRequest(deps, { method: 'DELETE', path: one(subscriptionPath, id) }, signal);
      } catch (error) {
        if (!isOncallError(error, 'not_found')) throw error;
      }
    },
  };
}
