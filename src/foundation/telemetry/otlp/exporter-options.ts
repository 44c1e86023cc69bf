import { resourceFromAttributes } from '@opentelemetry/resources';
import { type OutboundProxies, proxyFor } from '../../kernel/outbound-proxy.ts';

/** The process that exports telemetry. */
export interface ProcessIdentity {
  /** The name of the process: `serve` or `worker`. */
  readonly role: string;
  readonly version: string;
  /** Unique id of the process. */
  readonly instanceId: string;
}

export const scope = 'orgctx';

/** Returns the resource attributes of the semantic conventions, and the role of the process in the deployment. */
export function resourceOf({ role, version, instanceId }: ProcessIdentity) {
  return resourceFromAttributes({
    'service.name': 'orgctx',
    'service.version': version,
    'service.instance.id': instanceId,
    'process.pid': process.pid,
    'orgctx.role': role,
  });
}

/**
 * Time limit of one export request with its retries (429, 502 to 504, no connection; back-off from 1 s), in
 * milliseconds.
 */
export const exportTimeoutMs = 10_000;

/** Maximum number of queued items per signal. Further items are dropped (spans) or written to stdout (logs). */
export const maxQueued = 2_048;

/** The endpoint of a signal, and the proxies to reach it. */
export interface Endpoint {
  readonly url: string;
  readonly proxies: OutboundProxies | undefined;
}

/**
 * Returns the options of an exporter. The limit on concurrent requests keeps a hanging collector from opening ever more
 * of them.
 */
export function exporterOptions({ url, proxies }: Endpoint) {
  const proxy = proxyFor(new URL(url), proxies);
  return {
    url,
    timeoutMillis: exportTimeoutMs,
    concurrencyLimit: 4,
    ...(proxy === undefined
      ? {}
      : { httpAgentOptions: { keepAlive: true, proxyEnv: { [proxy.setting]: proxy.url.href } } }),
  };
}
