import { currentTrace, nextSpan, type TraceContext, withTrace } from './trace-context.ts';

/**
 * Attributes of spans and metrics, with values of bounded number and size: a route, a status, a task. Never text that
 * a caller wrote.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** `server`: an incoming request. `consumer`: a job. `client`: an outgoing request. */
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  readonly attributes?: Attributes;
  /** Parent span. Default: the current one. `null` starts a new trace. */
  readonly parent?: TraceContext | null;
  /** Start time, in Unix milliseconds. Default: now. */
  readonly since?: number;
}

/** One timed step of a trace. A span that never ends is never exported. */
export interface Span {
  readonly context: TraceContext;
  set(attributes: Attributes): void;
  /** Marks the span as failed. `type` is a status, an error's code or its class, never its message. */
  fail(type: string): void;
  /** Ends the span. Must be called once. */
  end(): void;
}

/** The port of tracing. Without an endpoint it still propagates the trace, but records nothing. */
export interface Tracer {
  readonly recording: boolean;
  start(name: string, options: SpanOptions): Span;
}

export const tracingOff: Tracer = {
  recording: false,
  start: (_name, { parent }) => ({ ...silent, context: nextSpan(parentOf(parent)) }),
};

const silent = { set: () => {}, fail: () => {}, end: () => {} };
const notRecorded = { set: silent.set, fail: silent.fail };

export function parentOf(parent: SpanOptions['parent']): TraceContext | undefined {
  return parent === null ? undefined : (parent ?? currentTrace());
}

/**
 * Runs `work` in a span: spans that it starts are children, an error that it throws marks the span as failed, and the
 * span ends with it.
 */
export async function inSpan<Result>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Pick<Span, 'set' | 'fail'>) => Promise<Result>,
): Promise<Result> {
  // An internal span that is not recorded has no effect, because no request leaves the process from it.
  if (!tracer.recording && options.kind === 'internal') return work(notRecorded);
  const span = tracer.start(name, options);
  try {
    return await withTrace(span.context, () => work(span));
  } catch (error) {
    span.fail(errorType(error));
    throw error;
  } finally {
    span.end();
  }
}

function errorType(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error;
}
