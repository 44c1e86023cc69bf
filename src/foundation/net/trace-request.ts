import { currentTrace, currentTraceparent } from '../telemetry/trace-context.ts';
import { inSpan, type Tracer } from '../telemetry/tracer.ts';
import type { HttpRequest } from './http.ts';

/**
 * Sends a request as a step of the current trace. The span tells the host and the status: paths and queries of
 * providers hold ids, texts and keys.
 */
export async function traceRequest<Response extends { readonly status: number }>(
  tracer: Tracer,
  { method = 'GET', url, destination }: Pick<HttpRequest, 'method' | 'url' | 'destination'>,
  send: () => Promise<Response>,
): Promise<Response> {
  // A command at the terminal belongs to no trace, and begins none.
  if (!tracer.recording && currentTrace() === undefined) return send();
  const attributes = {
    'http.request.method': method,
    'server.address': URL.parse(url)?.hostname ?? '',
    'orgctx.destination': destination,
  };
  return inSpan(tracer, method, { kind: 'client', attributes }, async (span) => {
    const response = await send();
    span.set({ 'http.response.status_code': response.status });
    // Semantic conventions, HTTP: for a client 4xx is an error too.
    if (response.status >= 400) span.fail(String(response.status));
    return response;
  });
}

/**
 * What a destination is told of the trace. An operator's own (a provider, a collector behind it) can join its part to
 * ours; hosts that data named learn nothing, since the id would let them tell which requests belong together.
 */
export function traceHeader({
  destination,
}: Pick<HttpRequest, 'destination'>): Readonly<Record<string, string>> {
  const traceparent = destination === 'operator' ? currentTraceparent() : undefined;
  return traceparent === undefined ? {} : { traceparent };
}
