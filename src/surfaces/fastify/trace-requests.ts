import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Telemetry } from '../../foundation/telemetry/telemetry.ts';
import {
  parseTraceparent,
  type TraceContext,
  withTracePlace,
} from '../../foundation/telemetry/trace-context.ts';
import type { Attributes, Span, SpanOptions } from '../../foundation/telemetry/tracer.ts';

/**
 * Each request is a step of a trace, and all that it does is below it. Whose trace is a matter of trust
 * (`stepBeforeAdmission`): a stranger could hide requests, or put lines into what others look at.
 * Spans and numbers speak of the route's template: paths and queries hold names, texts and misplaced tokens.
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
    if (recording) whenOver(reply, (answered) => end(span, request, reply, answered));
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
 * A trusted proxy's word on the trace counts, though not on whether it is kept: a proxy may hand on what a stranger
 * wrote. What a stranger names is noted beside a trace of its own.
 */
function stepBeforeAdmission(request: FastifyRequest, named: TraceContext | undefined): Step {
  if (named === undefined) return { parent: null };
  if (cameByTrustedProxy(request)) return { parent: { ...named, sampled: true } };
  return { parent: null, attributes: { 'orgctx.named_trace_id': named.traceId } };
}

/** Fastify lists whom X-Forwarded-For names only as far as TRUST_PROXY trusts the peer who said so. */
function cameByTrustedProxy({ ips = [] }: FastifyRequest): boolean {
  return ips.length > 1;
}

function nameOf({ method, routeOptions: { url = '' } }: FastifyRequest): string {
  return `${method} ${url}`.trimEnd();
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
