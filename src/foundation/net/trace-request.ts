import { currentTrace, currentTraceparent } from '../telemetry/trace-context.ts';
import { inSpan, type Tracer } from '../telemetry/tracer.ts';
import type { HttpRequest } from './http.ts';

/**
 * Sends a request in a span of the current trace. The span records only host and status, because paths and queries of
 * providers contain ids, texts and keys.
 */
export async function traceRequest<Response extends { readonly status: number }>(
  tracer: Tracer,
  { method = 'GET', url, destination }: Pick<HttpRequest, 'method' | 'url' | 'destination'>,
  send: () => Promise<Response>,
): Promise<Response> {
  // A command-line invocation belongs to no trace and starts none.
  if (!tracer.recording && currentTrace() === undefined) return send();
  const attributes = {
    'http.request.method': method,
    'server.address': URL.parse(url)?.hostname ?? '',
    'orgctx.destination': destination,
  };
  return inSpan(tracer, method, { kind: 'client', attributes }, async (span) => {
    const response = await send();
    span.set({ 'http.response.status_code': response.status });
    // OpenTelemetry semantic conventions for HTTP: for a client, 4xx is an error as well.
    if (response.status >= 400) span.fail(String(response.status));
    return response;
  });
}

/**
 * Returns the `traceparent` header for a destination. Operator destinations (a provider, a collector behind it) can
 * add their spans to the trace. Tenant destinations receive none, since the id would reveal which requests belong
 * together.
 */
export function traceHeader({
  destination,
}: Pick<HttpRequest, 'destination'>): Readonly<Record<string, string>> {
  const traceparent = destination === 'operator' ? currentTraceparent() : undefined;
  return traceparent === undefined ? {} : { traceparent };
}
