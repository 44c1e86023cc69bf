import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OtlpCollector, startOtlpCollector } from '../../../../test/standins/otlp-collector.ts';
import { openTestDatabase, type TestDatabase } from '../../../../test/support/database/databases.ts';
import { openTestHttp } from '../../../../test/support/http/http-server.ts';
import { openTestPages } from '../../../../test/support/http/pages.ts';
import { createLogger } from '../../../foundation/telemetry/logger.ts';
import { type OpenTelemetry, openTelemetry } from '../../../foundation/telemetry/telemetry.ts';
import { currentTrace } from '../../../foundation/telemetry/trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const newTrace = expect.stringMatching(/^[0-9a-f]{32}$/);

let collector: OtlpCollector;
let telemetry: OpenTelemetry;
let database: TestDatabase;

beforeEach(async () => {
  collector = await startOtlpCollector();
  telemetry = await openTelemetry({
    config: {
      otlp: { traces: collector.urls.traces, logs: undefined, metrics: undefined },
      log: { level: 'info' },
    },
    role: 'test',
    pretty: false,
    local: { write: () => {} },
    flushMs: 5_000,
  });
  database = await openTestDatabase('sqlite');
});
afterEach(async () => {
  await telemetry.close();
  await Promise.all([collector.close(), database.close()]);
});

describe('a request', () => {
  const unsampled = `00-${traceId}-b7ad6b7169203331-00`;
  const proxied = { 'x-forwarded-for': '203.0.113.7' };
  const ofMember = '/acme/api/v1/repositories';

  /** Sends a request; returns its log line and its span, if one was exported. */
  const traced = async (
    url: string,
    headers: Record<string, string>,
    { signedIn = false, trustProxy = false }: { signedIn?: boolean; trustProxy?: boolean } = {},
  ) => {
    const lines: string[] = [];
    const write = (line: string): void => void lines.push(line);
    const log = createLogger({ level: 'info', name: 'test', pretty: false, destination: { write } });
    const { server, call } = await openTestHttp(database, { log, telemetry, http: { trustProxy } });
    const send = signedIn ? call : server.inject.bind(server);
    const { statusCode } = await send({ method: 'GET', url, headers });
    await server.close();
    await telemetry.close();
    const logged = JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>;
    expect(logged['msg']).toBe('request');
    expect(collector.spans.length).toBeLessThan(2);
    return { statusCode, logged, span: collector.spans[0] };
  };

  it('of an admitted caller continues the trace that the caller sent', async () => {
    const { statusCode, logged, span } = await traced(ofMember, { traceparent }, { signedIn: true });
    expect(statusCode).toBe(200);
    expect(span).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
    expect(logged).toMatchObject({ traceId, spanId: span?.spanId });
  });

  it('of an admitted caller with an unsampled trace is logged with it and not exported', async () => {
    const { logged, span } = await traced(ofMember, { traceparent: unsampled }, { signedIn: true });
    expect(logged).toMatchObject({ traceId });
    expect(span).toBeUndefined();
  });

  it.each([
    ['on an open route', '/.status', {}],
    ['that is refused', ofMember, { authorization: 'Bearer ock_0123456789abcdef' }],
    ['that names a proxy nobody trusts', '/.status', proxied],
  ])(
    'of an unauthenticated caller %s starts a new trace, regardless of the trace that was sent',
    async (_what, url, headers) => {
      const { logged, span } = await traced(url, { traceparent: unsampled, ...headers });
      expect(span).toMatchObject({
        parentSpanId: undefined,
        attributes: { 'orgctx.named_trace_id': traceId },
      });
      expect(span?.traceId).not.toBe(traceId);
      expect(logged).toMatchObject({ traceId: span?.traceId, spanId: span?.spanId });
    },
  );

  it('from a trusted proxy continues its trace, and the sampling flag of the caller is ignored', async () => {
    const { span } = await traced('/.status', { traceparent: unsampled, ...proxied }, { trustProxy: true });
    expect(span).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
  });

  it('that bypasses the trusted proxy starts a new trace', async () => {
    const { span } = await traced('/.status', { traceparent }, { trustProxy: true });
    expect(span?.traceId).not.toBe(traceId);
  });

  it.each([
    ['no traceparent', {}],
    ['a malformed one', { traceparent: `00-${traceId}-short-01` }],
  ])('with %s is logged with a new trace', async (_name, headers) => {
    const { logged, span } = await traced(ofMember, headers, { signedIn: true });
    expect(logged['traceId']).toEqual(newTrace);
    expect(logged['traceId']).not.toBe(traceId);
    expect(span?.attributes).not.toHaveProperty('orgctx.named_trace_id');
  });

  it('with a delayed body stays in its trace', async () => {
    const { server } = await openTestHttp(database, {
      http: { trustProxy: true },
      plugins: [
        {
          name: 'test',
          plugin: async (scope) => void scope.post('/trace', async () => currentTrace() ?? {}),
        },
      ],
    });
    const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
    const arrived = new Promise((resolve) => server.server.once('request', resolve));
    const socket = connect(Number(port), '127.0.0.1');
    const head = [
      'POST /trace HTTP/1.1',
      'host: x',
      'content-type: application/json',
      'content-length: 2',
      `traceparent: ${traceparent}`,
      'x-forwarded-for: 203.0.113.7',
      'connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n{`);
    await arrived;
    await nextTick();
    socket.write('}');
    expect(await text(socket)).toContain(traceId);
    await server.close();
  });

  it('without a route, or with a token in its path, reveals neither in its span', async () => {
    const { server } = await openTestPages(database, { telemetry });
    await server.inject({ url: '/.auth/link/hush-token' });
    await server.inject({ url: '/nowhere/hush-path?q=hush-query' });
    await server.close();
    await telemetry.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(['GET /.auth/link/:token', 'GET']);
    expect(collector.text).not.toContain('hush');
  });
});
