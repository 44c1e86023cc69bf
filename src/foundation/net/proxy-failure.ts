import type { ProxyRoute } from '../kernel/outbound-proxy.ts';
import { codeOf, reasonOf } from './classify-failure.ts';
import { OutboundError } from './outbound-error.ts';

/**
 * Converts an error of a request through a proxy that the proxy caused; returns `undefined` for any other. Only the
 * proxy was connected to, so errors of the look-up and of connecting are its own. The message names the setting and
 * the host of the proxy, and never its credentials.
 */
export function proxyFailure(
  proxy: ProxyRoute | undefined,
  host: string,
  error: unknown,
): OutboundError | undefined {
  if (proxy === undefined || !(error instanceof Error)) return undefined;
  const named = `The proxy ${proxy.url.host} (${proxy.setting})`;
  const failed = (message: string, hint: string): OutboundError =>
    new OutboundError(host, 'unreachable', `${named} ${message}.`, {
      cause: error,
      hint,
      isUnconnected: true,
    });
  // undici has no property for the status with which a proxy refuses.
  const status = /^Prox[^(]{0,40}\((\d{3})\)/.exec(error.message)?.[1];
  if (status === '407') {
    return failed('refused its credentials, or requires some', `Set user and password in ${proxy.setting}.`);
  }
  if (status !== undefined) {
    return failed(
      `did not connect to ${host}: it returned ${status}`,
      `Permit the host there, or name it in NO_PROXY to connect directly.`,
    );
  }
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return undefined;
  const known = code.startsWith('UND_ERR_PRX') || ['dns', 'refused', 'timeout'].includes(reasonOf(code));
  if (!known) return undefined;
  return failed(`cannot be reached (${code})`, `Check ${proxy.setting} and that the proxy runs.`);
}
