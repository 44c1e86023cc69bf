import type { HttpClient } from '../../../foundation/net/http.ts';
import { ModelFailure, type ResponseLimits } from '../port.ts';

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Statuses of responses that have no body. */
const withoutBody = new Set([204, 205, 304]);

/** Returns a `fetch` for the SDK that uses the HTTP client of the program and limits each response. */
export function fetchThrough(http: HttpClient, { stallMs, maxBytes }: ResponseLimits): Fetch {
  return async (input, init = {}) => {
    const response = await http.stream({
      url: input instanceof Request ? input.url : String(input),
      method: 'POST',
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      stallMs,
      signal: init.signal ?? new AbortController().signal,
    });
    const { status } = response;
    const body = withoutBody.has(status) ? null : limited(response.body, maxBytes);
    return new Response(body, { status, headers: { ...response.headers } });
  };
}

/** Returns a body as a stream that fails beyond `maxBytes`. A reader that cancels it ends the exchange. */
function limited(body: AsyncIterable<Uint8Array>, maxBytes: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = body[Symbol.asyncIterator]();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) return controller.close();
      bytes += value.length;
      if (bytes <= maxBytes) return controller.enqueue(Uint8Array.from(value));
      await chunks.return?.();
      throw new ModelFailure('invalid');
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
