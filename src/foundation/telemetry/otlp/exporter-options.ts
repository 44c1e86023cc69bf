import { resourceFromAttributes } from '@opentelemetry/resources';

/** Who speaks. */
export interface Speaker {
  /** `serve`, `worker`. */
  readonly role: string;
  readonly version: string;
  /** One a process. */
  readonly instanceId: string;
}

export const scope = 'orgctx';

/** Resource attributes of the semantic conventions, and which process of the deployment it is. */
export function resourceOf({ role, version, instanceId }: Speaker) {
  return resourceFromAttributes({
    'service.name': 'orgctx',
    'service.version': version,
    'service.instance.id': instanceId,
    'process.pid': process.pid,
    'orgctx.role': role,
  });
}

/** Of one request with its repetitions (429, 502 to 504, no connection: after 1 s and growing), in milliseconds. */
export const exportTimeoutMs = 10_000;

/** What waits for a collector, in items a signal. More than that is dropped (spans) or written to stdout (logs). */
export const maxWaiting = 2_048;

/** Requests under way at once: one that hangs must not open ever more of them. */
export const exporterLimits = { timeoutMillis: exportTimeoutMs, concurrencyLimit: 4 } as const;
