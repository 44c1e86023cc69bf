import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Listening, listen, type Reply, readBody, send } from '../tracker/http.ts';
import { notFound } from './errors.ts';
import { createAccount } from './model.ts';
import { createOauth, type OncallApp, type OncallOauth } from './oauth.ts';
import { createRestHosts, type OncallRegion, type RestHosts } from './rest-host.ts';
import { createSubscriptions } from './subscriptions.ts';
import type { Region } from './types.ts';

/** A reply in place of the stand-in's own. */
interface OncallFailure {
  /** Requests that it concerns: `GET /incidents`. Default: every one. */
  readonly calls?: RegExp;
  /** Requests that are answered before the failure. Default: 0. */
  skip?: number;
  /** Default: until it is removed from `failures`. */
  times?: number;
  /** `silent` never answers; `stalled` and `reset` stop, or break the connection, in the middle of the body. */
  readonly reply: 'silent' | 'stalled' | 'reset' | 'malformed' | Reply;
}

/** The provider on loopback: its identity host, and an API host in each region with an account of its own. */
export interface Oncall extends AsyncDisposable {
  readonly us: OncallRegion;
  readonly eu: OncallRegion;
  readonly oauth: OncallOauth;
  readonly rest: RestHosts;
  /** The settings of the connector for this stand-in. */
  readonly settings: Readonly<Record<string, string>>;
  readonly failures: OncallFailure[];
  /** Each request that was answered: `us GET /incidents?limit=100`. */
  readonly calls: string[];
  /** What no real provider would accept: unknown routes, parameters and headers. */
  strays(): readonly string[];
  /** Called before each request is answered. */
  beforeAnswer: (call: string) => void | Promise<void>;
  addApp(region: Region, redirectUri: string): OncallApp;
  /** Opens the authorization page as a browser does; returns where it redirects to. */
  visit(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

const webSuffixes = { us: 'oncall.test', eu: 'eu.oncall.test' } as const;

type Host = Region | 'identity';

export async function startOncall(): Promise<Oncall> {
  const regions = { us: openRegion('us'), eu: openRegion('eu') };
  const oauth = createOauth();
  const rest = createRestHosts(regions, oauth);
  const strays: string[] = [];

  function identity(request: IncomingMessage, url: URL, body: string): Reply {
    const call = `${request.method} ${url.pathname}`;
    if (call === 'GET /oauth/authorize') return oauth.authorize(url.searchParams);
    if (call === 'POST /oauth/token') return oauth.token(new URLSearchParams(body));
    strays.push(call);
    return notFound();
  }

  async function answer(host: Host, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const body = await readBody(request);
    const call = `${host} ${request.method} ${url.pathname}${url.search}`;
    oncall.calls.push(call);
    await oncall.beforeAnswer(call);
    const reply =
      takeFailure(oncall.failures, call)?.reply ??
      (host === 'identity' ? identity(request, url, body) : rest.answer(host, request, url, body));
    if (reply === 'silent') return;
    if (reply === 'reset' || reply === 'stalled') {
      const then = reply === 'reset' ? () => response.destroy() : () => undefined;
      response.writeHead(200, { 'content-length': '1000' }).write('{', then);
      return;
    }
    send(response, reply === 'malformed' ? { status: 200, body: '{"incidents": [' } : reply);
  }

  const open = (host: Host): Promise<Listening> =>
    listen((request, response) => {
      answer(host, request, response).catch((error: unknown) => {
        send(response, { status: 500, body: { error: String(error) } });
      });
    });
  const [us, eu, id] = await Promise.all([open('us'), open('eu'), open('identity')]);

  const oncall: Oncall = {
    ...regions,
    oauth,
    rest,
    settings: {
      ONCALL_AUTHORIZE_URL: `${id.origin}/oauth/authorize`,
      ONCALL_TOKEN_URL: `${id.origin}/oauth/token`,
      ONCALL_API_URL_US: us.origin,
      ONCALL_API_URL_EU: eu.origin,
      ONCALL_WEB_SUFFIX_US: webSuffixes.us,
      ONCALL_WEB_SUFFIX_EU: webSuffixes.eu,
    },
    failures: [],
    calls: [],
    strays: () => [...strays, ...rest.strays, ...oauth.strays],
    beforeAnswer: () => {},
    addApp(region, redirectUri) {
      const app: OncallApp = {
        account: regions[region].account,
        clientId: `client-${randomBytes(8).toString('hex')}`,
        clientSecret: randomBytes(24).toString('hex'),
        redirectUris: [redirectUri],
      };
      oauth.apps.push(app);
      return app;
    },
    async visit(authorizationUrl) {
      const response = await fetch(authorizationUrl, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null) throw new Error(`no redirect: ${response.status} ${await response.text()}`);
      return new URL(location);
    },
    async close() {
      await Promise.all([regions.us, regions.eu].map(({ subscriptions }) => subscriptions.settled()));
      await Promise.all([us, eu, id].map((host) => host.close()));
    },
    [Symbol.asyncDispose]: () => oncall.close(),
  };
  return oncall;
}

function openRegion(region: Region): OncallRegion {
  const account = createAccount(region === 'us' ? 'acme' : 'acme-europe', region, webSuffixes[region]);
  const subscriptions = createSubscriptions(account);
  account.onEvent = (event) => subscriptions.publish(event);
  return { account, subscriptions };
}

function takeFailure(failures: OncallFailure[], call: string): OncallFailure | undefined {
  const failure = failures.find(
    ({ calls, times }) => times !== 0 && (calls === undefined || calls.test(call)),
  );
  if (failure === undefined) return undefined;
  if (failure.skip !== undefined && failure.skip > 0) {
    failure.skip -= 1;
    return undefined;
  }
  if (failure.times !== undefined) failure.times -= 1;
  return failure;
}
