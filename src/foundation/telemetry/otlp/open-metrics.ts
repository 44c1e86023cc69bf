import { setTimeout as sleep } from 'node:timers/promises';
import type { Counter, Histogram, ObservableGauge } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import type { Logger } from '../logger.ts';
import { type GaugeReading, instruments, type Metrics } from '../metrics.ts';
import { redactAttributes } from '../redaction.ts';
import {
  type Endpoint,
  exporterOptions,
  exportTimeoutMs,
  type ProcessIdentity,
  resourceOf,
  scope,
} from './exporter-options.ts';
import { watchExports } from './watch-exports.ts';

export interface OpenMetrics {
  readonly metrics: Metrics;
  /** Sends the final values. */
  close(): Promise<void>;
}

/** Time limit of the final reading, in case the database does not respond, in milliseconds. */
const lastReadingMs = 500;

/** Interval between two exports, in milliseconds. This is OpenTelemetry's default. */
const intervalMs = 60_000;

/** Opens the export of metrics to an OTLP endpoint, whose URL is used as written. */
export function openMetrics(
  endpoint: Endpoint,
  identity: ProcessIdentity,
  log: Logger,
  everyMs = intervalMs,
): OpenMetrics {
  const exporter = new OTLPMetricExporter(exporterOptions(endpoint));
  watchExports(exporter, 'metrics', log);
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: everyMs,
    exportTimeoutMillis: Math.min(exportTimeoutMs, everyMs),
    // Routes and tasks have few values. This is a safeguard for attributes that have many.
    cardinalityLimits: { default: 1_000 },
  });
  const provider = new MeterProvider({ resource: resourceOf(identity), readers: [reader] });
  const { counters, histograms, gauges, meter } = makeInstruments(provider, identity.version);

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

/** Creates a source of gauge readings. After the final reading it returns only that one. */
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

/** Reads gauges. An unavailable database only costs the gauges of one export. */
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
