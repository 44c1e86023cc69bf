import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger.ts';
import { redactAttributes } from '../redaction.ts';
import type { TraceContext } from '../trace-context.ts';
import { parentOf, type Tracer } from '../tracer.ts';
import {
  type Endpoint,
  exporterOptions,
  exportTimeoutMs,
  maxQueued,
  type ProcessIdentity,
  resourceOf,
  scope,
} from './exporter-options.ts';
import { watchExports } from './watch-exports.ts';

export interface OpenTraces {
  readonly tracer: Tracer;
  /** Sends the queued spans. May take as long as one export request, so callers must apply their own time limit. */
  close(): Promise<void>;
}

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const;

/**
 * Opens the export of spans to an OTLP endpoint, whose URL is used as written. Nothing is registered globally: the
 * program tracks the current trace itself.
 */
export function openTraces(endpoint: Endpoint, identity: ProcessIdentity, log: Logger): OpenTraces {
  const exporter = new OTLPTraceExporter(exporterOptions(endpoint));
  watchExports(exporter, 'traces', log);
  const provider = new TracerProvider({
    resource: resourceOf(identity),
    spanLimits: { attributeValueLengthLimit: 1_024 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: maxQueued,
        scheduledDelayMillis: 1_000,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer(scope, identity.version);
  return {
    tracer: {
      recording: true,
      start(name, { kind, attributes = {}, parent, since }) {
        const options = {
          kind: kinds[kind],
          attributes: redactAttributes(attributes),
          ...(since === undefined ? {} : { startTime: since }),
        };
        const span = tracer.startSpan(name, options, asParent(parentOf(parent)));
        return {
          context: contextOf(span.spanContext()),
          set: (more) => void span.setAttributes(redactAttributes(more)),
          fail(type) {
            span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
          },
          end: () => span.end(),
        };
      },
    },
    close: () => provider.shutdown(),
  };
}

function asParent(parent: TraceContext | undefined) {
  if (parent === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, sampled } = parent;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function contextOf({
  traceId,
  spanId,
  traceFlags,
}: {
  traceId: string;
  spanId: string;
  traceFlags: number;
}): TraceContext {
  return { traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}
