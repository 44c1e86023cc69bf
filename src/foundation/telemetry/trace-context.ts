import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** The trace and span of the current work: the content of a W3C `traceparent`. */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, not all zero. */
  readonly spanId: string;
  /** True if the trace's originator asked for it to be recorded. */
  readonly sampled: boolean;
}

/**
 * The current trace, propagated through awaits so that no use case has to pass it on. It is set with and without
 * exporters: logs name the trace, and a job keeps the trace of its request.
 */
const current = new AsyncLocalStorage<TracePlace>();

/**
 * A mutable trace position. A request moves to another trace once its caller is known, together with its work in
 * progress.
 */
export interface TracePlace {
  trace: TraceContext;
}

export function currentTrace(): TraceContext | undefined {
  return current.getStore()?.trace;
}

export function withTrace<Result>(trace: TraceContext, work: () => Result): Result {
  return withTracePlace({ trace }, work);
}

/** Like `withTrace`, but follows changes of `place` while the work is in progress. */
export function withTracePlace<Result>(place: TracePlace, work: () => Result): Result {
  return current.run(place, work);
}

/** Returns the `traceparent` to pass on to a job's row or a provider; `undefined` outside any trace. */
export function currentTraceparent(): string | undefined {
  const context = currentTrace();
  return context && formatTraceparent(context);
}

/** Returns a child span of `parent`, or the first span of a new, sampled trace. */
export function nextSpan(parent: TraceContext | undefined): TraceContext {
  if (parent !== undefined) return { ...parent, spanId: newSpanId() };
  return { traceId: randomUUID().replaceAll('-', ''), spanId: newSpanId(), sampled: true };
}

/** The first bit of the flags, the only one that this program uses. */
const sampledFlag = 1;

function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

const shape = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const allZero = /^0+$/;

/**
 * Parses a `traceparent` header (W3C Trace Context, section 3.2): only lower-case hex, no zero ids, nothing after the
 * flags in version 00 (allowed in later versions). Returns `undefined` for anything else: a new trace is started.
 */
export function parseTraceparent(value: unknown): TraceContext | undefined {
  if (typeof value !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = shape.exec(value) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (allZero.test(traceId) || allZero.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

/**
 * Returns 64 random bits: the last and second group of a UUID. Node caches random bytes for UUIDs, which makes this
 * eight times faster than `randomBytes`, and every request needs it.
 */
function newSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(24) + uuid.slice(9, 13);
}
