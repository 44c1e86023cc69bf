import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Telemetry } from '../../foundation/telemetry/telemetry.ts';
import {
  parseTraceparent,
  type TraceContext,
  withTracePlace,
} from '../../foundation/telemetry/trace-context.ts';
import type { Attributes, Span, SpanOptions } from '../../foundation/telemetry/tracer.ts';

/**
 * Creates a span for each request. A trace context of the caller is used only if it is trusted
 * (`stepBeforeAdmission`): an unauthenticated caller could hide requests or add spans to traces of others. Spans and
 * metrics contain the route template only, because paths and queries contain names, texts and misplaced tokens.
 */
export function traceRequests(server: FastifyInstance, { tracer, metrics }: Telemetry): void {
  const recording = tracer.recording || metrics.recording;
  server.addHook('onRequest', (request, reply, done) => {
    const named = parseTraceparent(request.headers['traceparent']);
    const begin = ({ attributes, ...step }: Step): Span =>
      tracer.start(nameOf(request), {
        kind: 'server',
        ...step,
        attributes: { ...routeOf(request), ...attributes },
      });
    let span = begin(stepBeforeAdmission(request, named));
    const place = { trace: span.context };
    request.trace = place;
    if (named !== undefined) {
      const since = Date.now();
      request.joinCallersTrace = () => {
        span = begin({ parent: named, since });
        place.trace = span.context;
      };
    }
    if (recording) onResponseEnd(reply, (answered) => end(span, request, reply, answered));
    withTracePlace(place, done);
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

type Step = Omit<SpanOptions, 'kind'>;

/**
 * Returns the options of the first span of a request. The trace id of a trusted proxy is used, but not its sampling
 * flag, because a proxy may forward that of an unauthenticated caller. Any other trace id is recorded as an attribute
 * of a new trace.
 */
function stepBeforeAdmission(request: FastifyRequest, named: TraceContext | undefined): Step {
  if (named === undefined) return { parent: null };
  if (isFromTrustedProxy(request)) return { parent: { ...named, sampled: true } };
  return { parent: null, attributes: { 'orgctx.named_trace_id': named.traceId } };
}

/** Fastify lists an address of X-Forwarded-For only if TRUST_PROXY trusts the peer that sent it. */
function isFromTrustedProxy({ ips = [] }: FastifyRequest): boolean {
  return ips.length > 1;
}

function nameOf({ method, routeOptions: { url = '' } }: FastifyRequest): string {
  return `${method} ${url}`.trimEnd();
}

function routeOf({ method, routeOptions: { url } }: FastifyRequest): Attributes {
  return { 'http.request.method': method, ...(url === undefined ? {} : { 'http.route': url }) };
}

/**
 * Calls `work` once: when the response is sent, or when the client disconnects, which Fastify's onResponse misses.
 */
function onResponseEnd({ raw }: FastifyReply, work: (answered: boolean) => void): void {
  const finish = (): void => over(true);
  const close = (): void => over(false);
  const over = (answered: boolean): void => {
    raw.off('finish', finish).off('close', close);
    work(answered);
  };
  raw.once('finish', finish).once('close', close);
}

/** Returns the status attributes. By the HTTP semantic conventions, 4xx is not an error of a server span. */
function statusOf({ raw: { statusCode } }: FastifyReply): Attributes {
  const status = { 'http.response.status_code': statusCode };
  return statusCode < 500 ? status : { ...status, 'error.type': String(statusCode) };
}
