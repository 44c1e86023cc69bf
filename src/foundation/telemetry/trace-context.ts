import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** Where in which trace the program is: what a W3C `traceparent` says. */
export interface TraceContext {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, not all zero. */
  readonly spanId: string;
  /** Whether whoever began the trace wants it kept. */
  readonly sampled: boolean;
}

/**
 * Follows the work through its awaits, so that no use case has to hand a trace on. It is there with and without
 * exporters: logs name the trace, and a job keeps the one of its request.
 */
const current = new AsyncLocalStorage<TracePlace>();

/** Where a piece of work is. A request moves once its caller is known, and the work that is under way with it. */
export interface TracePlace {
  trace: TraceContext;
}

export function currentTrace(): TraceContext | undefined {
  return current.getStore()?.trace;
}

export function withTrace<Result>(trace: TraceContext, work: () => Result): Result {
  return withTracePlace({ trace }, work);
}

/** Like `withTrace`; follows `place` where it moves while the work goes on. */
export function withTracePlace<Result>(place: TracePlace, work: () => Result): Result {
  return current.run(place, work);
}

/** The `traceparent` to hand on: to a job's row, to a provider. `undefined` outside any trace. */
export function currentTraceparent(): string | undefined {
  const context = currentTrace();
  return context && formatTraceparent(context);
}

/** A step below `parent`, or the first of a new trace, which is kept. */
export function nextSpan(parent: TraceContext | undefined): TraceContext {
  if (parent !== undefined) return { ...parent, spanId: newSpanId() };
  return { traceId: randomUUID().replaceAll('-', ''), spanId: newSpanId(), sampled: true };
}

/** The first bit of the flags, the only one this program knows. */
const sampledFlag = 1;

function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

const shape = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const allZero = /^0+$/;

/**
 * Reads a header (W3C Trace Context, section 3.2): lower-case hex only, no zero ids, version 00 without anything after
 * its flags, later versions with. `undefined` for whatever else: the trace is begun anew.
 */
export function parseTraceparent(value: unknown): TraceContext | undefined {
  if (typeof value !== 'string') return undefined;
  const [, version, traceId = '', spanId = '', flags = '', rest] = shape.exec(value) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (allZero.test(traceId) || allZero.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

/**
 * The 64 random bits of a UUID's last and second group. Node keeps random bytes for UUIDs at hand: eight times
 * faster than asking for bytes, and every request pays for it.
 */
function newSpanId(): string {
  const uuid = randomUUID();
  return uuid.slice(24) + uuid.slice(9, 13);
}
