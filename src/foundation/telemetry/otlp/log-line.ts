import {
  type Context,
  type LogRecord,
  ROOT_CONTEXT,
  SeverityNumber,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

const severities: Readonly<Record<string, SeverityNumber>> = {
  trace: SeverityNumber.TRACE,
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
};

/** Converts a redacted log line into an OpenTelemetry record. A line that is not JSON becomes the message. */
export function recordOf(line: string): LogRecord & { readonly context: Context } {
  const fields = parse(line);
  if (fields === undefined) return { body: line.trimEnd(), context: ROOT_CONTEXT };
  const { level, time, msg, err, traceId, spanId, name: _role, ...others } = fields;
  const severityText = String(level);
  return {
    timestamp: new Date(String(time)),
    severityText,
    severityNumber: severities[severityText] ?? SeverityNumber.UNSPECIFIED,
    body: text(msg),
    // Every JSON value, nested ones included, is a valid OpenTelemetry value.
    attributes: { ...others, ...errorAttributes(err) },
    context: contextOf(traceId, spanId),
  };
}

function contextOf(traceId: unknown, spanId: unknown): Context {
  if (typeof traceId !== 'string' || typeof spanId !== 'string') return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.SAMPLED });
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the attributes of the semantic conventions for exceptions. A thrown value that is not an error is kept as
 * it is.
 */
function errorAttributes(err: unknown): Readonly<Record<string, unknown>> {
  if (typeof err !== 'object' || err === null) return err === undefined ? {} : { err };
  const { type, message, stack, ...others } = err as Record<string, unknown>;
  return {
    'exception.type': text(type),
    'exception.message': text(message),
    'exception.stacktrace': text(stack),
    ...others,
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
