import { setTimeout as sleep } from 'node:timers/promises';
import type { Counter, Histogram, ObservableGauge } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { Logger } from '../logger.ts';
import { type GaugeReading, instruments, type Metrics } from '../metrics.ts';
import { redactAttributes } from '../redaction.ts';
import { exporterLimits, exportTimeoutMs, resourceOf, type Speaker, scope } from './exporter-options.ts';
import { watchExports } from './watch-exports.ts';

export interface OpenMetrics {
  readonly metrics: Metrics;
  /** Sends the last numbers. */
  close(): Promise<void>;
}

/** A database that does not answer at the end is not waited for longer, in milliseconds. */
const lastReadingMs = 500;

/** Between two exports, in milliseconds; OpenTelemetry's own default. */
const intervalMs = 60_000;

/** Numbers to an OTLP endpoint, used as written. */
export function openMetrics(url: string, speaker: Speaker, log: Logger, everyMs = intervalMs): OpenMetrics {
  const exporter = new OTLPMetricExporter({ url, ...exporterLimits });
  watchExports(exporter, 'metrics', log);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(exportTimeoutMs, everyMs),
    // A route or a task is of few values; this holds where one is not.
    cardinalityLimits: { default: 1_000 },
  });
  const provider = new MeterProvider({ resource: resourceOf(speaker), readers: [reader] });
  const { counters, histograms, gauges, meter } = makeInstruments(provider, speaker.version);

  return {
    metrics: {
      recording: true,
      add: (name, value, attributes = {}) => counters.get(name)?.add(value, redactAttributes(attributes)),
      record: (name, value, attributes = {}) =>
        histograms.get(name)?.record(value, redactAttributes(attributes)),
      observe(read) {
        const source = gaugeSource(read, log);
        meter.addBatchObservableCallback(
          async (result) => {
            for (const { name, value, attributes = {} } of await source.read()) {
              const gauge = gauges.get(name);
              if (gauge !== undefined) result.observe(gauge, value, redactAttributes(attributes));
            }
          },
          [...gauges.values()],
        );
        return source.readLast;
      },
    },
    close: () => provider.shutdown(),
  };
}

function makeInstruments(provider: MeterProvider, version: string) {
  const meter = provider.getMeter(scope, version);
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Map<string, ObservableGauge>();
  for (const [name, instrument] of Object.entries(instruments)) {
    const { kind, unit, description } = instrument;
    if (kind === 'counter') counters.set(name, meter.createCounter(name, { unit, description }));
    else if (kind === 'gauge') gauges.set(name, meter.createObservableGauge(name, { unit, description }));
    else {
      const advice = { explicitBucketBoundaries: [...instrument.buckets] };
      histograms.set(name, meter.createHistogram(name, { unit, description, advice }));
    }
  }
  return { meter, counters, histograms, gauges };
}

/** A last reading stands for all that would follow. */
function gaugeSource(read: () => Promise<readonly GaugeReading[]>, log: Logger) {
  let last: Promise<readonly GaugeReading[]> | undefined;
  return {
    read: () => last ?? readings(read, log),
    async readLast(): Promise<void> {
      last ??= Promise.race([readings(read, log), sleep(lastReadingMs, [], { ref: false })]);
      await last;
    },
  };
}

/** A database that is away costs the gauges of one export, and nothing else. */
async function readings(
  read: () => Promise<readonly GaugeReading[]>,
  log: Logger,
): Promise<readonly GaugeReading[]> {
  try {
    return await read();
  } catch (error) {
    log.warn({ err: error }, 'gauges could not be read');
    return [];
  }
}
