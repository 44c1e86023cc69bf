import { z } from 'zod';
import type { Reply } from '../tracker/http.ts';
import { invalid, notFound } from './errors.ts';
import { alertReply, incidentReply, logEntryReply, noteReply, serviceReply, userReply } from './replies.ts';
import { pageOf, paging, type RestRequest, type Route } from './route.ts';
import { subscriptionRoutes } from './subscription-api.ts';
import type { Incident } from './types.ts';

const maxRangeMs = 184 * 86_400_000;
const times = z.iso.datetime({ offset: true });

/** Reads `since` and `until`, both inclusive at the start only. */
function rangeOf(query: URLSearchParams, maxMs = Number.POSITIVE_INFINITY) {
  const [since, until] = [query.get('since'), query.get('until')];
  for (const value of [since, until]) {
    if (value !== null && !times.safeParse(value).success) return 'since and until need an offset';
  }
  const from = since === null ? 0 : Date.parse(since);
  const to = until === null ? Number.POSITIVE_INFINITY : Date.parse(until);
  if (since !== null && until !== null && to - from > maxMs) return 'The range is longer than 6 months';
  return { from, to };
}

function listIncidents({ account, query }: RestRequest): Reply {
  const isAll = query.get('date_range') === 'all';
  if (isAll && (query.has('since') || query.has('until'))) return invalid('date_range=all excludes since');
  const range = rangeOf(query, maxRangeMs);
  if (typeof range === 'string') return invalid(range);
  const from = isAll || query.has('since') ? range.from : account.now() - 30 * 86_400_000;
  const services = query.getAll('service_ids[]');
  const statuses = query.getAll('statuses[]');
  const sort = query.get('sort_by') ?? 'created_at:desc';
  if (!/^(?:created_at|incident_number):(?:asc|desc)$/.test(sort)) return invalid('sort_by');
  const found = account.incidents.all
    .filter(({ createdAt }) => createdAt >= from && createdAt < range.to)
    .filter(({ service }) => services.length === 0 || services.includes(service.id))
    .filter(({ status }) => statuses.length === 0 || statuses.includes(status))
    .toSorted((a, b) => seconds(a.createdAt) - seconds(b.createdAt) || a.number - b.number);
  if (sort.endsWith('desc')) found.reverse();
  return pageOf(found, query, 'incidents', (incident) => incidentReply(account, incident));
}

const seconds = (ms: number): number => Math.floor(ms / 1_000);

/** Log entries are listed newest first. */
function listLogEntries({ account, query }: RestRequest, incidents: readonly Incident[]): Reply {
  const range = rangeOf(query);
  if (typeof range === 'string') return invalid(range);
  const inUtc = query.get('time_zone') === 'UTC';
  const found = incidents
    .flatMap((incident) => incident.log.map((entry) => ({ incident, entry })))
    .filter(({ entry }) => entry.createdAt >= range.from && entry.createdAt < range.to)
    .toSorted((a, b) => b.entry.createdAt - a.entry.createdAt);
  return pageOf(found, query, 'log_entries', ({ incident, entry }) =>
    logEntryReply(account, incident, entry, inUtc),
  );
}

function ofIncident(request: RestRequest, answer: (incident: Incident) => Reply): Reply {
  const incident = request.account.incidents.find(request.ids[0] ?? '');
  return incident === undefined ? notFound() : answer(incident);
}

const ok = (body: object): Reply => ({ status: 200, body });

/** The routes that the product may call. The REST API of the provider has many more. */
export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: /^\/users\/me$/,
    scope: undefined,
    parameters: [],
    answer: ({ account, grant }) => ok({ user: userReply(account, grant.user) }),
  },
  {
    method: 'GET',
    path: /^\/services$/,
    scope: 'services.read',
    parameters: [...paging, 'query', 'sort_by', 'include[]'],
    answer({ account, query }) {
      const words = (query.get('query') ?? '').toLowerCase();
      const found = account.services
        .filter(({ name }) => name.toLowerCase().includes(words))
        .toSorted((a, b) => a.name.localeCompare(b.name));
      return pageOf(found, query, 'services', (service) => serviceReply(account, service));
    },
  },
  {
    method: 'GET',
    path: /^\/services\/(\w+)$/,
    scope: 'services.read',
    parameters: ['include[]'],
    answer({ account, ids }) {
      const service = account.services.find(({ id }) => id === ids[0]);
      return service === undefined ? notFound() : ok({ service: serviceReply(account, service) });
    },
  },
  {
    method: 'GET',
    path: /^\/incidents$/,
    scope: 'incidents.read',
    parameters: [
      ...paging,
      'date_range',
      'since',
      'until',
      'service_ids[]',
      'statuses[]',
      'sort_by',
      'time_zone',
    ],
    answer: listIncidents,
  },
  {
    method: 'GET',
    path: /^\/incidents\/(\w+)$/,
    scope: 'incidents.read',
    parameters: ['include[]'],
    answer: (request) =>
      ofIncident(request, (incident) => ok({ incident: incidentReply(request.account, incident) })),
  },
  {
    method: 'GET',
    path: /^\/incidents\/(\w+)\/log_entries$/,
    scope: 'incidents.read',
    parameters: [...paging, 'since', 'until', 'time_zone', 'is_overview', 'include[]'],
    answer: (request) => ofIncident(request, (incident) => listLogEntries(request, [incident])),
  },
  {
    method: 'GET',
    path: /^\/incidents\/(\w+)\/notes$/,
    scope: 'incidents.read',
    parameters: [],
    answer: (request) =>
      ofIncident(request, ({ notes }) =>
        ok({ notes: notes.map((note) => noteReply(request.account, note)) }),
      ),
  },
  {
    method: 'GET',
    path: /^\/incidents\/(\w+)\/alerts$/,
    scope: 'incidents.read',
    parameters: paging,
    answer: (request) =>
      ofIncident(request, (incident) =>
        pageOf(incident.alerts, request.query, 'alerts', (alert) =>
          alertReply(request.account, incident, alert),
        ),
      ),
  },
  {
    method: 'GET',
    path: /^\/log_entries$/,
    scope: 'incidents.read',
    parameters: [...paging, 'since', 'until', 'time_zone', 'is_overview', 'include[]', 'team_ids[]'],
    answer: (request) => listLogEntries(request, request.account.incidents.all),
  },
  ...subscriptionRoutes,
];
