import { type Context, createContextKey } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { BatchLogRecordProcessor, LoggerProvider, type ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { DestinationStream } from 'pino';
import type { Logger } from '../logger.ts';
import {
  exporterLimits,
  exportTimeoutMs,
  maxWaiting,
  resourceOf,
  type Speaker,
  scope,
} from './exporter-options.ts';
import { recordOf } from './log-line.ts';
import { watchExports } from './watch-exports.ts';

export interface OpenLogs {
  /** Takes lines of the log, redacted already. */
  readonly stream: DestinationStream;
  /** Sends what waits. */
  close(): Promise<void>;
}

/** Scripts wait for it on standard output (contract section 1). */
const alsoLocal = 'listening';

const lineOfRecord = createContextKey('orgctx line');

/**
 * Log lines to an OTLP endpoint, used as written. No line is lost to a collector: what it does not take, what finds
 * no room to wait, and what still waits when the process exits is written to `local`. Only a killed process loses
 * the last second.
 */
export function openLogs(url: string, speaker: Speaker, local: DestinationStream, log: Logger): OpenLogs {
  const waiting = new Map<ReadableLogRecord, string>();
  const exporter = new OTLPLogExporter({ url, ...exporterLimits });
  watchExports<ReadableLogRecord[]>(exporter, 'logs', log, (records) => {
    for (const record of records) writeLocally(record);
  });
  forgetWhenDone(exporter, waiting);
  const provider = openProvider(exporter, speaker, waiting);
  const logger = provider.getLogger(scope, speaker.version);

  function writeLocally(record: ReadableLogRecord): void {
    const line = waiting.get(record);
    waiting.delete(record);
    if (line !== undefined) local.write(line);
  }
  const writeRest = (): void => {
    for (const record of waiting.keys()) writeLocally(record);
  };
  process.once('exit', writeRest);

  return {
    stream: {
      write(line) {
        const record = recordOf(line);
        if (record.body === alsoLocal) local.write(line);
        if (waiting.size >= maxWaiting) local.write(line);
        else logger.emit({ ...record, context: record.context.setValue(lineOfRecord, line) });
      },
    },
    close: () => provider.shutdown(),
  };
}

function openProvider(
  exporter: OTLPLogExporter,
  speaker: Speaker,
  waiting: Map<ReadableLogRecord, string>,
): LoggerProvider {
  const batches = new BatchLogRecordProcessor({
    exporter,
    maxQueueSize: maxWaiting,
    scheduledDelayMillis: 1_000,
    exportTimeoutMillis: exportTimeoutMs,
  });
  return new LoggerProvider({
    resource: resourceOf(speaker),
    processors: [
      {
        onEmit(record, context: Context) {
          waiting.set(record, String(context.getValue(lineOfRecord)));
          batches.onEmit(record);
        },
        forceFlush: () => batches.forceFlush(),
        shutdown: () => batches.shutdown(),
      },
    ],
  });
}

function forgetWhenDone(exporter: OTLPLogExporter, waiting: Map<ReadableLogRecord, string>): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (records, done) =>
    send(records, (outcome) => {
      for (const record of records) waiting.delete(record);
      done(outcome);
    });
}
