import type { IncomingMessage } from 'node:http';
import type { Reply } from '../tracker/http.ts';
import { failure, notFound } from './errors.ts';
import type { Grant, OncallOauth } from './oauth.ts';
import { routes } from './rest-api.ts';
import type { Route } from './route.ts';
import type { Subscriptions } from './subscriptions.ts';
import type { Account, Region } from './types.ts';

export interface OncallRegion {
  readonly account: Account;
  readonly subscriptions: Subscriptions;
}

/** The API hosts of both regions. */
export interface RestHosts {
  /** Each request that could change something. */
  readonly writes: string[];
  readonly strays: string[];
  /** The US host answers for tokens of the other region, too. */
  forwards: boolean;
  /** Requests per minute that an authorization may send; headers tell what is left. */
  requestsPerMinute: number;
  answer(region: Region, request: IncomingMessage, url: URL, body: string): Reply;
}

export function createRestHosts(
  regions: Readonly<Record<Region, OncallRegion>>,
  oauth: OncallOauth,
): RestHosts {
  const budgets = new Map<Grant, { minute: number; used: number }>();

  /** Returns whose token it is, if this host serves the account. */
  function grantFor(region: Region, authorization: string | undefined): Grant | undefined {
    const grant = oauth.grantOf(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '');
    const isServed = grant?.app.account.region === region || (region === 'us' && hosts.forwards);
    return isServed ? grant : undefined;
  }

  function checkHeaders({ headers }: IncomingMessage, path: string, body: string): void {
    if (!/application\/vnd\.pagerduty\+json;version=2/.test(headers.accept ?? '')) {
      hosts.strays.push(`accept of ${path}`);
    }
    if (body !== '' && headers['content-type'] !== 'application/json') {
      hosts.strays.push(`content-type of ${path}`);
    }
  }

  function routeOf(method: string, { pathname, searchParams }: URL): Route | undefined {
    const route = routes.find((each) => each.method === method && each.path.test(pathname));
    const unknown = [...searchParams.keys()].filter((name) => route?.parameters.includes(name) === false);
    if (route === undefined) hosts.strays.push(`${method} ${pathname}`);
    for (const name of unknown) hosts.strays.push(`${method} ${pathname} with ${name}`);
    return route;
  }

  function count(grant: Grant): number {
    const minute = Math.floor(grant.app.account.now() / 60_000);
    const known = budgets.get(grant);
    const budget = known?.minute === minute ? known : { minute, used: 0 };
    budget.used += 1;
    budgets.set(grant, budget);
    return budget.used;
  }

  function limits(used: number) {
    return {
      'ratelimit-limit': String(hosts.requestsPerMinute),
      'ratelimit-remaining': String(Math.max(0, hosts.requestsPerMinute - used)),
      'ratelimit-reset': '30',
    };
  }

  const hosts: RestHosts = {
    writes: [],
    strays: [],
    forwards: false,
    requestsPerMinute: 960,
    answer(region, request, url, body) {
      const { method = '', headers } = request;
      const grant = grantFor(region, headers.authorization);
      if (grant === undefined) return failure(401, 2006, 'Authentication failed');
      checkHeaders(request, url.pathname, body);
      const used = count(grant);
      if (used > hosts.requestsPerMinute) {
        return { ...failure(429, 2020, 'Rate Limit Exceeded'), headers: limits(used) };
      }
      const route = routeOf(method, url);
      if (route === undefined) return notFound();
      if (method !== 'GET') hosts.writes.push(`${method} ${url.pathname}`);
      if (route.scope !== undefined && !grant.scopes.includes(route.scope)) {
        return failure(403, 2010, 'Access Denied');
      }
      const ids = (route.path.exec(url.pathname) ?? []).slice(1);
      const { account, subscriptions } = regions[grant.app.account.region];
      const reply = route.answer({ account, subscriptions, grant, query: url.searchParams, body, ids });
      return { ...reply, headers: { ...reply.headers, ...limits(used) } };
    },
  };
  return hosts;
}
