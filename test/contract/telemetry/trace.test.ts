import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import { type BoundTask, handle } from '../../../src/foundation/jobs/handler.ts';
import { defineTask } from '../../../src/foundation/jobs/task.ts';
import { openWorker } from '../../../src/foundation/jobs/worker/worker.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import {
  type OpenTelemetry,
  openTelemetry,
  telemetryOff,
} from '../../../src/foundation/telemetry/telemetry.ts';
import { nextSpan, parseTraceparent, withTrace } from '../../../src/foundation/telemetry/trace-context.ts';
import type { Tracer } from '../../../src/foundation/telemetry/tracer.ts';
import { admitRequest } from '../../../src/surfaces/fastify/admit-request.ts';
import { mcpRoute } from '../../../src/surfaces/mcp/route.ts';
import { type OtlpCollector, startOtlpCollector } from '../../standins/otlp-collector.ts';
import { signTracker, trackerEvent } from '../../standins/webhook-sender.ts';
import {
  describeEachDatabase,
  openTestDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { emptyKnowledge } from '../../support/graph/opened-graph.ts';
import {
  openTestAnswers,
  openTestHttp,
  openTestIntake,
  openTestKeyring,
  publicOrigin,
} from '../../support/http/http-server.ts';
import { silentLog } from '../../support/silent-log.ts';
import { connectTracker } from '../../support/webhooks/connected-tracker.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const providerTask = defineTask({ name: 'provider-call', payload: z.object({ url: z.string() }) });

let collector: OtlpCollector;
let telemetry: OpenTelemetry;
let provider: Awaited<ReturnType<typeof startProvider>>;

beforeEach(async () => {
  collector = await startOtlpCollector();
  telemetry = await openTelemetry({
    config: {
      otlp: { traces: collector.urls.traces, logs: undefined, metrics: collector.urls.metrics },
      log: { level: 'info' },
    },
    role: 'test',
    pretty: false,
    local: { write: () => {} },
    flushMs: 5_000,
  });
  provider = await startProvider();
});
afterEach(async () => {
  await telemetry.close();
  await Promise.all([collector.close(), provider.close()]);
});

/** Starts a provider that records the headers it receives. */
async function startProvider() {
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((message, response) => {
    headers.push(message.headers);
    const [, host] = /^\/to\/(.+)$/.exec(message.url ?? '') ?? [];
    if (host !== undefined) response.writeHead(302, { location: `http://${host}/` });
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    headers,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** Returns the handler of a job of this task: it calls the provider. */
function boundTask(tracer: Tracer): BoundTask {
  return handle(providerTask, async ({ url }) => {
    const client = createHttpClient({ allowHosts: [], tracer });
    await client.request({ url: `${url}/items?key=hush-of-a-query`, destination: 'operator' });
    await client.close();
  });
}

async function untilDone(database: TestDatabase, workerTelemetry: typeof telemetryOff): Promise<void> {
  const worker = openWorker({
    database,
    tasks: [boundTask(workerTelemetry.tracer)],
    log: silentLog,
    telemetry: workerTelemetry,
    clock: systemClock,
    concurrency: 1,
  });
  worker.start();
  await vi.waitFor(async () => {
    expect(await database.queries.selectFrom('jobs').select('id').execute()).toEqual([]);
  }, 120_000);
  await worker.stop(1_000);
}

describeEachDatabase('a trace', (open) => {
  it('continues from the request over its job to the provider, under one id', async () => {
    const database = await open();
    const { server, call } = await openTestHttp(database, {
      telemetry,
      // A plugin of the test, whose one route enqueues a job.
      plugins: [
        {
          name: 'test',
          plugin: async (scope) => {
            const identity = { queries: database.queries, clock: systemClock };
            scope.addHook('onRequest', async (request) => {
              await admitRequest(request, identity, { orgSlug: 'acme', scope: 'api' });
            });
            scope.post('/test/:id/enqueue', async () => {
              await database.transaction((tx) => enqueue(tx, providerTask, { url: provider.url }));
              return {};
            });
          },
        },
      ],
    });
    await call({
      method: 'POST',
      url: '/test/7/enqueue?q=text',
      headers: { traceparent },
      body: { some: 'body' },
    });
    await untilDone(database, telemetry);
    await server.close();
    await telemetry.close();

    const [request, job, sent] = ['POST /test/:id/enqueue', 'job provider-call', 'GET'].map((name) =>
      collector.spans.find((span) => span.name === name),
    );
    expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331', kind: 2 });
    expect(job).toMatchObject({ traceId, parentSpanId: request?.spanId, kind: 5 });
    expect(sent).toMatchObject({ traceId, parentSpanId: job?.spanId, kind: 3 });
    expect(provider.headers[0]?.['traceparent']).toBe(`00-${traceId}-${sent?.spanId}-01`);
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/test/:id/enqueue',
      'http.response.status_code': 200,
    });
    expect(job?.attributes).toMatchObject({ 'orgctx.task': 'provider-call', 'orgctx.job.outcome': 'done' });
    expect(sent?.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'http.response.status_code': 200,
    });
    expect(collector.text).not.toMatch(/q=text|hush-of-a-query/);
    const names = collector.points.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['http.server.request.duration', 'orgctx.job.duration']));
  });

  it('is stored in the row of a job and reaches the provider, even without an exporter', async () => {
    const database = await open();
    const { server, call } = await openTestHttp(database);
    const added = await call({
      as: 'admin',
      method: 'POST',
      url: '/acme/api/v1/repositories',
      headers: { traceparent },
      body: { source: 'https://git.example/a/b.git' },
    });
    expect(added.statusCode).toBe(201);
    const row = await database.queries
      .selectFrom('jobs')
      .select(['id', 'trace_context'])
      .executeTakeFirstOrThrow();
    expect(row.trace_context).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    await server.close();

    await database.queries.deleteFrom('jobs').execute();
    const traceContext = row.trace_context ?? '';
    await enqueue(database.queries, providerTask, { url: provider.url }, { traceContext });
    await untilDone(database, telemetryOff);
    expect(provider.headers[0]?.['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  });
});

describeEachDatabase('webhooks that are committed together', (open) => {
  it('create jobs that each keep the trace of their own request', async () => {
    const secret = 'the-secret-of-this-connection';
    const database = await open();
    const keyring = await openTestKeyring(database);
    await connectTracker(database, keyring, { secret });
    const { server } = await openTestHttp(database, {
      intake: openTestIntake(database, keyring, silentLog),
      http: { trustProxy: true },
    });
    const ids = Array.from({ length: 8 }, (_, index) => String(index + 1).repeat(32));
    await Promise.all(
      ids.map((id) => {
        const { headers, body } = signTracker(trackerEvent({ id: `issue-${id}` }), { secret });
        const from = {
          traceparent: `00-${id}-b7ad6b7169203331-01`,
          'x-forwarded-for': '203.0.113.7',
        };
        const url = '/api/v1/webhook/tracker';
        return server.inject({ method: 'POST', url, headers: { ...headers, ...from }, payload: body });
      }),
    );
    await server.close();
    const rows = await database.queries.selectFrom('jobs').select(['key', 'trace_context']).execute();
    expect(rows).toHaveLength(ids.length);
    for (const { key, trace_context } of rows) {
      expect(trace_context?.slice(3, 35)).toBe(key?.split(':issue:issue-')[1]);
    }
  });
});

describe('an answer that fails', () => {
  const spanOf = async (path: '/fails' | '/hangs') => {
    const database = await openTestDatabase('sqlite');
    const received = Promise.withResolvers<void>();
    const { server } = await openTestHttp(database, {
      telemetry,
      plugins: [
        {
          name: 'test',
          plugin: async (scope) => {
            scope.get('/fails', async () => {
              throw new Error('hush');
            });
            scope.get('/hangs', () => {
              received.resolve();
              return new Promise(() => {});
            });
          },
        },
      ],
    });
    const origin = await server.listen({ host: '127.0.0.1', port: 0 });
    const caller = new AbortController();
    const answer = fetch(`${origin}${path}`, { signal: caller.signal }).catch(() => undefined);
    if (path === '/hangs') {
      await received.promise;
      caller.abort();
    }
    await answer;
    await expect.poll(() => collector.spans.length).toBe(1);
    await server.close();
    await database.close();
    return collector.spans[0];
  };

  it('is an error of its span, without the message', async () => {
    expect(await spanOf('/fails')).toMatchObject({
      name: 'GET /fails',
      status: 2,
      attributes: { 'http.response.status_code': 500, 'error.type': '500' },
    });
    expect(collector.text).not.toContain('hush');
  });

  it('ends its span also when its caller disconnects', async () => {
    expect(await spanOf('/hangs')).toMatchObject({
      name: 'GET /hangs',
      attributes: { 'error.type': 'aborted' },
    });
  });
});

describe('an MCP call', () => {
  it('has a span for its tool, below that of its request', async () => {
    const database = await openTestDatabase('sqlite');
    const mcp = mcpRoute({
      deps: {
        baseUrl: publicOrigin,
        version: '1.2.3',
        identity: { queries: database.queries, clock: systemClock },
        answers: openTestAnswers(database, publicOrigin),
        knowledge: emptyKnowledge,
        tracer: telemetry.tracer,
      },
      log: silentLog,
    });
    const plugins = [{ name: 'mcp', plugin: mcp }];
    const { server, call } = await openTestHttp(database, { telemetry, plugins });
    await call({
      method: 'POST',
      url: '/mcp?orgSlug=acme',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        origin: publicOrigin,
      },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'index_status', arguments: {} } },
    });
    await server.close();
    await database.close();
    await telemetry.close();
    const [tool, request] = ['tools/call index_status', 'POST /mcp'].map((name) =>
      collector.spans.find((span) => span.name === name),
    );
    expect(tool).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
    expect(tool?.attributes).toMatchObject({ 'gen_ai.tool.name': 'index_status' });
  });
});

describe('a host whose name comes from data', () => {
  let elsewhere: typeof provider;
  beforeEach(async () => {
    elsewhere = await startProvider();
  });
  afterEach(() => elsewhere.close());

  const ask = (destination: 'operator' | 'tenant', path = '/'): Promise<void> =>
    withTrace(nextSpan(parseTraceparent(traceparent)), async () => {
      const client = createHttpClient({ allowHosts: [provider.host, elsewhere.host] });
      await client.request({ url: `${provider.url}${path}`, destination, followRedirects: true });
      await client.close();
    });

  it('receives no trace headers, though a host of the operator does', async () => {
    await ask('tenant');
    expect(provider.headers[0]).not.toHaveProperty('traceparent');
    await ask('operator');
    expect(provider.headers[1]?.['traceparent']).toContain(traceId);
  });

  it('receives none either when a host of the operator redirects to it', async () => {
    await ask('operator', `/to/${elsewhere.host}`);
    expect(provider.headers[0]).toHaveProperty('traceparent');
    expect(elsewhere.headers).toHaveLength(1);
    expect(elsewhere.headers[0]).not.toHaveProperty('traceparent');
  });

  it('receives none without a trace: a command at the terminal starts none', async () => {
    const client = createHttpClient({ allowHosts: [] });
    await client.request({ url: provider.url, destination: 'operator' });
    await client.close();
    expect(provider.headers[0]).not.toHaveProperty('traceparent');
  });
});
