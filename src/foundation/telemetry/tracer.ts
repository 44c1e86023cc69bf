import { currentTrace, nextSpan, type TraceContext, withTrace } from './trace-context.ts';

/** Values of bounded number and size: a route, a status, a task. Never a text that a caller wrote. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** `server`: a request that came in. `consumer`: a job. `client`: a request that goes out. */
  readonly kind: 'server' | 'client' | 'consumer' | 'internal';
  readonly attributes?: Attributes;
  /** What it is a step of; default: where the program is. `null` begins a trace. */
  readonly parent?: TraceContext | null;
  /** When it began, in Unix milliseconds; default: now. */
  readonly since?: number;
}

/** One timed step of a trace. One that never ends is never told of. */
export interface Span {
  readonly context: TraceContext;
  set(attributes: Attributes): void;
  /** It went wrong; `type` is a status, an error's code or its class, never its message. */
  fail(type: string): void;
  /** Once. */
  end(): void;
}

/** The port of tracing. Without an endpoint it still leads the trace on, and records nothing. */
export interface Tracer {
  readonly recording: boolean;
  start(name: string, options: SpanOptions): Span;
}

export const tracingOff: Tracer = {
  recording: false,
  start: (_name, { parent }) => ({ ...silent, context: nextSpan(parentOf(parent)) }),
};

const silent = { set: () => {}, fail: () => {}, end: () => {} };
const unseen = { set: silent.set, fail: silent.fail };

export function parentOf(parent: SpanOptions['parent']): TraceContext | undefined {
  return parent === null ? undefined : (parent ?? currentTrace());
}

/** Runs `work` as one step: what it starts lies below it, what it throws marks it, and its end is the step's. */
export async function inSpan<Result>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Pick<Span, 'set' | 'fail'>) => Promise<Result>,
): Promise<Result> {
  // Nobody would see this step, and nothing leaves the process from it.
  if (!tracer.recording && options.kind === 'internal') return work(unseen);
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
