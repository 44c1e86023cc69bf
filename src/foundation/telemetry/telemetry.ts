import { randomUUID } from 'node:crypto';
import type { DestinationStream } from 'pino';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import type { OutboundProxies } from '../kernel/outbound-proxy.ts';
import { createLogger, type Logger, prettified, standardOutput } from './logger.ts';
import { type Metrics, metricsOff } from './metrics.ts';
import { type Tracer, tracingOff } from './tracer.ts';

/** The tracer and the metrics of a process. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly metrics: Metrics;
}

export const telemetryOff: Telemetry = { tracer: tracingOff, metrics: metricsOff };

export interface OpenTelemetry extends Telemetry {
  readonly log: Logger;
  /** Sends the queued data for at most `flushMs`, then stops waiting for the collector. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly config: Pick<Config, 'otlp' | 'log'>;
  /** `Secrets.proxies`. Default: every connection is direct. */
  readonly proxies?: OutboundProxies | undefined;
  /** The name of the process: `serve` or `worker`. */
  readonly role: string;
  /** True for human-readable log lines on a terminal. */
  readonly pretty: boolean;
  /** Default: standard output. */
  readonly local?: DestinationStream;
  /**
   * Time limit of `close`, in milliseconds. Default: 750, which fits between the end of a drain and the 10 s of a
   * graceful stop.
   */
  readonly flushMs?: number;
  /** Interval between two exports of metrics, in milliseconds. Default: one minute. */
  readonly metricsEveryMs?: number;
}

const defaultFlushMs = 750;

/**
 * Opens the signals that the three OTEL_EXPORTER_OTLP_*_ENDPOINT settings configure, each with its own endpoint. An
 * exporter is loaded only if its endpoint is set. An unreachable collector affects only its exporter.
 */
export async function openTelemetry(options: TelemetryOptions): Promise<OpenTelemetry> {
  const { role, config } = options;
  const { traces, logs, metrics } = config.otlp;
  const stream = options.local ?? standardOutput();
  const local = options.pretty ? prettified(stream) : stream;
  const loggerTo = (destination: DestinationStream): Logger =>
    createLogger({ level: config.log.level, name: role, pretty: false, destination });
  // Logs about exporters bypass the exporters themselves.
  const localLog = loggerTo(local);
  const identity = { role, version, instanceId: randomUUID() };

  const endpoint = (url: string) => ({ url, proxies: options.proxies });
  const openTraces =
    traces && (await import('./otlp/open-traces.ts')).openTraces(endpoint(traces), identity, localLog);
  const openMetrics =
    metrics &&
    (await import('./otlp/open-metrics.ts')).openMetrics(
      endpoint(metrics),
      identity,
      localLog,
      options.metricsEveryMs,
    );
  const openLogs =
    logs && (await import('./otlp/open-logs.ts')).openLogs(endpoint(logs), identity, local, localLog);
  const opened = [openTraces, openMetrics, openLogs].filter((signal) => typeof signal === 'object');
  return {
    log: openLogs ? loggerTo(openLogs.stream) : localLog,
    tracer: openTraces ? openTraces.tracer : tracingOff,
    metrics: openMetrics ? openMetrics.metrics : metricsOff,
    close: () => closeAll(opened, options.flushMs ?? defaultFlushMs),
  };
}

async function closeAll(signals: readonly { close(): Promise<void> }[], withinMs: number): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  // Failed exports have already been logged by their exporter.
  await Promise.race([Promise.allSettled(signals.map((signal) => signal.close())), timeout]);
  clearTimeout(timer);
}
