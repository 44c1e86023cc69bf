import { type Context, createContextKey } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { BatchLogRecordProcessor, LoggerProvider, type ReadableLogRecord } from '@opentelemetry/sdk-logs';
import type { DestinationStream } from 'pino';
import type { Logger } from '../logger.ts';
import {
  type Endpoint,
  exporterOptions,
  exportTimeoutMs,
  maxQueued,
  type ProcessIdentity,
  resourceOf,
  scope,
} from './exporter-options.ts';
import { recordOf } from './log-line.ts';
import { watchExports } from './watch-exports.ts';

export interface OpenLogs {
  /** Receives redacted log lines. */
  readonly stream: DestinationStream;
  /** Sends the queued lines. */
  close(): Promise<void>;
}

/** Message that is also written locally: scripts wait for it on standard output (contract section 1). */
const localMessage = 'listening';

const lineOfRecord = createContextKey('orgctx line');

/**
 * Opens the export of log lines to an OTLP endpoint, whose URL is used as written. Lines that the collector rejects,
 * that exceed the queue, or that are still queued when the process exits are written to `local`. Only a killed
 * process loses lines: those of the last second.
 */
export function openLogs(
  endpoint: Endpoint,
  identity: ProcessIdentity,
  local: DestinationStream,
  log: Logger,
): OpenLogs {
  const queued = new Map<ReadableLogRecord, string>();
  const exporter = new OTLPLogExporter(exporterOptions(endpoint));
  watchExports<ReadableLogRecord[]>(exporter, 'logs', log, (records) => {
    for (const record of records) writeLocally(record);
  });
  dequeueWhenDone(exporter, queued);
  const provider = openProvider(exporter, identity, queued);
  const logger = provider.getLogger(scope, identity.version);

  function writeLocally(record: ReadableLogRecord): void {
    const line = queued.get(record);
    queued.delete(record);
    if (line !== undefined) local.write(line);
  }
  const writeQueued = (): void => {
    for (const record of queued.keys()) writeLocally(record);
  };
  process.once('exit', writeQueued);

  return {
    stream: {
      write(line) {
        const record = recordOf(line);
        if (record.body === localMessage) local.write(line);
        if (queued.size >= maxQueued) local.write(line);
        else logger.emit({ ...record, context: record.context.setValue(lineOfRecord, line) });
      },
    },
    close: () => provider.shutdown(),
  };
}

function openProvider(
  exporter: OTLPLogExporter,
  identity: ProcessIdentity,
  queued: Map<ReadableLogRecord, string>,
): LoggerProvider {
  const batches = new BatchLogRecordProcessor({
    exporter,
    maxQueueSize: maxQueued,
    scheduledDelayMillis: 1_000,
    exportTimeoutMillis: exportTimeoutMs,
  });
  return new LoggerProvider({
    resource: resourceOf(identity),
    processors: [
      {
        onEmit(record, context: Context) {
          queued.set(record, String(context.getValue(lineOfRecord)));
          batches.onEmit(record);
        },
        forceFlush: () => batches.forceFlush(),
        shutdown: () => batches.shutdown(),
      },
    ],
  });
}

function dequeueWhenDone(exporter: OTLPLogExporter, queued: Map<ReadableLogRecord, string>): void {
  const send = exporter.export.bind(exporter);
  exporter.export = (records, done) =>
    send(records, (outcome) => {
      for (const record of records) queued.delete(record);
      done(outcome);
    });
}
