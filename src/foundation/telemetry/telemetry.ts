import { randomUUID } from 'node:crypto';
import type { DestinationStream } from 'pino';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import { createLogger, type Logger, prettified, standardOutput } from './logger.ts';
import { type Metrics, metricsOff } from './metrics.ts';
import { type Tracer, tracingOff } from './tracer.ts';

/** How a process tells of itself. */
export interface Telemetry {
  readonly tracer: Tracer;
  readonly metrics: Metrics;
}

export const telemetryOff: Telemetry = { tracer: tracingOff, metrics: metricsOff };

export interface OpenTelemetry extends Telemetry {
  readonly log: Logger;
  /** Sends what waits, for at most `flushMs`; after that nobody waits for a collector. */
  close(): Promise<void>;
}

export interface TelemetryOptions {
  readonly config: Pick<Config, 'otlp' | 'log'>;
  /** Which process speaks: `serve`, `worker`. */
  readonly role: string;
  /** Lines for a person at a terminal. */
  readonly pretty: boolean;
  /** Default: standard output. */
  readonly local?: DestinationStream;
  /** Milliseconds; 750 fits between the end of a drain and the 10 s of an orderly end. */
  readonly flushMs?: number;
  /** Between two exports of metrics, in milliseconds. */
  readonly metricsEveryMs?: number;
}

const usualFlushMs = 750;

/**
 * Opens what the three OTEL_EXPORTER_OTLP_*_ENDPOINT settings ask for, each signal by its own. An exporter is loaded
 * only where its endpoint is set. Whether a collector answers is nobody's concern but its exporter's.
 */
export async function openTelemetry(options: TelemetryOptions): Promise<OpenTelemetry> {
  const { role, config } = options;
  const { traces, logs, metrics } = config.otlp;
  const stream = options.local ?? standardOutput();
  const local = options.pretty ? prettified(stream) : stream;
  const loggerTo = (destination: DestinationStream): Logger =>
    createLogger({ level: config.log.level, name: role, pretty: false, destination });
  // What is said of exporters goes through none of them.
  const localLog = loggerTo(local);
  const speaker = { role, version, instanceId: randomUUID() };

  const openTraces = traces && (await import('./otlp/open-traces.ts')).openTraces(traces, speaker, localLog);
  const openMetrics =
    metrics &&
    (await import('./otlp/open-metrics.ts')).openMetrics(metrics, speaker, localLog, options.metricsEveryMs);
  const openLogs = logs && (await import('./otlp/open-logs.ts')).openLogs(logs, speaker, local, localLog);
  const opened = [openTraces, openMetrics, openLogs].filter((signal) => typeof signal === 'object');
  return {
    log: openLogs ? loggerTo(openLogs.stream) : localLog,
    tracer: openTraces ? openTraces.tracer : tracingOff,
    metrics: openMetrics ? openMetrics.metrics : metricsOff,
    close: () => closeAll(opened, options.flushMs ?? usualFlushMs),
  };
}

async function closeAll(signals: readonly { close(): Promise<void> }[], withinMs: number): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  // What a collector did not take has been reported by its exporter.
  await Promise.race([Promise.allSettled(signals.map((signal) => signal.close())), timeout]);
  clearTimeout(timer);
}
