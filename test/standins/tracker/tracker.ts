import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { providerError } from './graphql/errors.ts';
import { createGraphqlApi, type GraphqlApi } from './graphql/graphql-api.ts';
import { type Listening, listen, type Reply, readBody, send } from './http.ts';
import { createWorkspace, type Workspace } from './model.ts';
import { createOauth, type TrackerApp, type TrackerOauth } from './oauth.ts';
import type { sdkPackages } from './schema/tracker-schema.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { createWebhooks, type TrackerWebhooks } from './webhooks.ts';

/** A reply in place of the stand-in's own. */
export interface TrackerFailure {
  /** Requests that it concerns: `POST /graphql`. Default: every one. */
  readonly calls?: RegExp;
  /** Text in the body of the request: the name of a query, or a grant. */
  readonly body?: RegExp;
  /** Requests that are answered before the failure. Default: 0. */
  skip?: number;
  /** Default: until it is removed from `failures`. */
  times?: number;
  /** `silent` never answers; `reset` breaks the connection in the middle of the body. */
  readonly reply: 'silent' | 'reset' | 'malformed' | Reply;
}

/** The tracker on loopback: OAuth, the GraphQL API, the uploads host and webhooks over one workspace. */
export interface Tracker extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly oauth: TrackerOauth;
  readonly graphql: GraphqlApi;
  readonly uploads: Uploads;
  readonly webhooks: TrackerWebhooks;
  /** The settings of the connector for this stand-in. */
  readonly settings: Readonly<
    Record<`TRACKER_${'API' | 'AUTHORIZE' | 'TOKEN' | 'REVOKE' | 'UPLOADS'}_URL`, string>
  >;
  readonly failures: TrackerFailure[];
  /** What no real provider would accept: unknown routes, fields and parameters. */
  strays(): readonly string[];
  /** Called before each request is answered, such as to change entities while somebody pages through them. */
  beforeAnswer: (call: string, body: string) => void | Promise<void>;
  addApp(redirectUri: string): TrackerApp;
  /** Opens the authorization page as a browser does; returns where it redirects to. */
  visit(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

export interface TrackerOptions {
  readonly name?: string;
  /** The version of the schema. Default: the newest. */
  readonly schema?: keyof typeof sdkPackages;
}

export async function startTracker({
  name = 'Acme',
  schema = 'newest',
}: TrackerOptions = {}): Promise<Tracker> {
  const workspace = createWorkspace(name, 'https://linear.app');
  const oauth = createOauth(workspace.now);
  const graphql = createGraphqlApi(workspace, schema);
  const webhooks = createWebhooks(workspace);
  const unknownRoutes: string[] = [];
  let uploadsHost: Listening | undefined;
  const uploads = createUploads(() => uploadsHost?.origin ?? '', oauth.isValid);
  uploadsHost = await listen((message, response) => uploads.answer(message, response));
  workspace.onChange = webhooks.entityChanged;

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(message.url ?? '/', 'http://tracker');
    const call = `${message.method} ${pathname}`;
    const body = await readBody(message);
    await tracker.beforeAnswer(call, body);
    const failure = takeFailure(tracker.failures, call, body);
    if (failure !== undefined) {
      sendFailure(response, failure);
      return;
    }
    send(response, await replyTo(call, searchParams, body, message.headers.authorization));
  }

  async function replyTo(
    call: string,
    parameters: URLSearchParams,
    body: string,
    authorization: string | undefined,
  ): Promise<Reply> {
    switch (call) {
      case 'GET /oauth/authorize':
        return oauth.authorize(parameters);
      case 'POST /oauth/token':
        return oauth.token(new URLSearchParams(body), authorization);
      case 'POST /oauth/revoke':
        return oauth.revoke(new URLSearchParams(body), authorization);
      case 'POST /graphql': {
        const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
        return token !== undefined && oauth.isValid(token) ? graphql.answer(body) : unauthenticated;
      }
      default:
        unknownRoutes.push(call);
        return { status: 404 };
    }
  }

  const api = await listen((message, response) => {
    answer(message, response).catch((error: unknown) => {
      unknownRoutes.push(String(error));
      response.destroy();
    });
  });

  const tracker: Tracker = {
    workspace,
    oauth,
    graphql,
    uploads,
    webhooks,
    settings: {
      TRACKER_API_URL: `${api.origin}/graphql`,
      TRACKER_AUTHORIZE_URL: `${api.origin}/oauth/authorize`,
      TRACKER_TOKEN_URL: `${api.origin}/oauth/token`,
      TRACKER_REVOKE_URL: `${api.origin}/oauth/revoke`,
      TRACKER_UPLOADS_URL: uploadsHost.origin,
    },
    failures: [],
    strays: () => [...unknownRoutes, ...oauth.strays, ...graphql.strays],
    beforeAnswer: () => {},
    addApp(redirectUri) {
      const app = {
        clientId: randomBytes(16).toString('hex'),
        clientSecret: randomBytes(16).toString('hex'),
        redirectUris: [redirectUri],
      };
      oauth.apps.push(app);
      return app;
    },
    async visit(authorizationUrl) {
      const response = await fetch(authorizationUrl, { redirect: 'manual' });
      const location = response.headers.get('location');
      if (location === null)
        throw new Error(`the page answered ${response.status}: ${await response.text()}`);
      return new URL(location);
    },
    async close() {
      await Promise.all([api.close(), uploadsHost.close()]);
    },
    [Symbol.asyncDispose]: () => tracker.close(),
  };
  return tracker;
}

const unauthenticated: Reply = {
  status: 401,
  body: {
    errors: [
      providerError('Authentication required, not authenticated', {
        type: 'authentication error',
        code: 'AUTHENTICATION_ERROR',
        statusCode: 401,
      }),
    ],
  },
};

function takeFailure(
  failures: readonly TrackerFailure[],
  call: string,
  body: string,
): TrackerFailure | undefined {
  const failure = failures.find(
    ({ calls = /./, body: text = /(?:)/, times = 1 }) => times > 0 && calls.test(call) && text.test(body),
  );
  if (failure === undefined) return undefined;
  if (failure.skip !== undefined && failure.skip > 0) {
    failure.skip -= 1;
    return undefined;
  }
  if (failure.times !== undefined) failure.times -= 1;
  return failure;
}

function sendFailure(response: ServerResponse, { reply }: TrackerFailure): void {
  if (reply === 'silent') return;
  if (reply === 'malformed') {
    send(response, { status: 200, body: '{"data":{"page":' });
    return;
  }
  if (reply === 'reset') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1_000 });
    response.write('{"data":', () => response.socket?.resetAndDestroy());
    return;
  }
  send(response, reply);
}
