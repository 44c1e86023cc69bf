import { type ProxyRoute, proxyProblem } from '../kernel/outbound-proxy.ts';
import { codeOf, reasonOf } from './classify-failure.ts';
import { OutboundError } from './outbound-error.ts';

/**
 * Converts an error of a request through a proxy that the proxy caused; returns `undefined` for any other. Only the
 * proxy was connected to, so errors of the look-up and of connecting are its own.
 */
export function proxyFailure(
  proxy: ProxyRoute | undefined,
  host: string,
  error: unknown,
): OutboundError | undefined {
  if (proxy === undefined || !(error instanceof Error)) return undefined;
  // undici has no property for the status with which a proxy refuses.
  const status = /^Prox[^(]{0,40}\((\d{3})\)/.exec(error.message)?.[1];
  const code = codeOf(error);
  if (status === undefined && !isOfProxy(code)) return undefined;
  const { message, hint } = proxyProblem(proxy, host, { status, code });
  return new OutboundError(host, 'unreachable', message, {
    cause: error,
    hint,
    isUnconnected: true,
    proxy: proxy.url.host,
  });
}

function isOfProxy(code: string): boolean {
  if (code === 'UND_ERR_HEADERS_TIMEOUT') return false;
  return code.startsWith('UND_ERR_PRX') || ['dns', 'refused', 'timeout'].includes(reasonOf(code));
}
