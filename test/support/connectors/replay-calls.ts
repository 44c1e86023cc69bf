import type { HttpClient } from '../../../src/foundation/net/http.ts';
import type { RecordedCall } from '../../../src/foundation/net/record-calls.ts';

/** Returns a client that answers from a trace of `orgctx connector record`, call by call in its order. */
export function replayCalls(lines: readonly string[]): HttpClient & { readonly left: () => number } {
  const calls = lines.map((line) => JSON.parse(line) as RecordedCall);
  return {
    left: () => calls.length,
    close: () => Promise.resolve(),
    stream: () => Promise.reject(new Error('a trace has no streams')),
    request({ method = 'GET', url }) {
      const call = calls.shift();
      if (call?.method !== method || call.url !== url || call.status === undefined)
        return Promise.reject(new Error(`the trace has no ${method} ${url} here`));
      const body = call.response === undefined ? '' : JSON.stringify(call.response);
      return Promise.resolve({
        status: call.status,
        headers: call.headers ?? {},
        body: Buffer.from(body),
        url,
      });
    },
  };
}
