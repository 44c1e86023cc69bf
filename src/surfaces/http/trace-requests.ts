import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Telemetry } from '../../foundation/telemetry/telemetry.ts';
import { parseTraceparent, withTrace } from '../../foundation/telemetry/trace-context.ts';
import type { Attributes, Span } from '../../foundation/telemetry/tracer.ts';

/**
 * Each request is a step of the trace that its `traceparent` names, or begins one, and all that it does is below it.
 * Spans and numbers speak of the route's template: paths and queries hold names, texts and misplaced tokens.
 */
export function traceRequests(server: FastifyInstance, { tracer, metrics }: Telemetry): void {
  const recording = tracer.recording || metrics.recording;
  server.addHook('onRequest', (request, reply, done) => {
    const route = routeOf(request);
    const span = tracer.start(`${request.method} ${route['http.route'] ?? ''}`.trimEnd(), {
      kind: 'server',
      parent: parseTraceparent(request.headers['traceparent']) ?? null,
      attributes: route,
    });
    request.trace = span.context;
    if (recording) whenOver(reply, (answered) => end(span, request, reply, answered));
    withTrace(span.context, done);
  });

  function end(span: Span, request: FastifyRequest, reply: FastifyReply, answered: boolean): void {
    const outcome = answered ? statusOf(reply) : { 'error.type': 'aborted' };
    span.set({ ...outcome, 'orgctx.request.id': request.id });
    if (outcome['error.type'] !== undefined) span.fail(String(outcome['error.type']));
    span.end();
    const attributes = { ...routeOf(request), ...outcome };
    metrics.record('http.server.request.duration', reply.elapsedTime / 1_000, attributes);
  }
}

function routeOf({ method, routeOptions: { url } }: FastifyRequest): Attributes {
  return { 'http.request.method': method, ...(url === undefined ? {} : { 'http.route': url }) };
}

/** Once: when the answer is out, or when its caller has gone away, which Fastify's own onResponse misses. */
function whenOver({ raw }: FastifyReply, work: (answered: boolean) => void): void {
  const finish = (): void => over(true);
  const close = (): void => over(false);
  const over = (answered: boolean): void => {
    raw.off('finish', finish).off('close', close);
    work(answered);
  };
  raw.once('finish', finish).once('close', close);
}

/** Semantic conventions, HTTP: a status of 4xx is no error of a server. */
function statusOf({ raw: { statusCode } }: FastifyReply): Attributes {
  const status = { 'http.response.status_code': statusCode };
  return statusCode < 500 ? status : { ...status, 'error.type': String(statusCode) };
}
