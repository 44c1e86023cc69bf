import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { currentTrace, currentTraceparent, nextSpan, parseTraceparent, withTrace } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const incoming = `00-${traceId}-${spanId}-01`;

const withTraceparent = <Result>(value: string | undefined, work: () => Result): Result =>
  withTrace(nextSpan(parseTraceparent(value)), work);

describe('a traceparent', () => {
  it('is parsed into its ids and the flag', () => {
    expect(parseTraceparent(incoming)).toEqual({ traceId, spanId, sampled: true });
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)).toEqual({ traceId, spanId, sampled: false });
    expect(parseTraceparent(`00-${traceId}-${spanId}-03`)).toMatchObject({ sampled: true });
  });

  it('of a later version is parsed up to the flags', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-01-more`)).toEqual({ traceId, spanId, sampled: true });
  });

  it.each([
    ['nothing', undefined],
    ['a repeated header', [incoming, incoming]],
    ['an empty text', ''],
    ['version ff', `ff-${traceId}-${spanId}-01`],
    ['version 00 with more behind it', `${incoming}-more`],
    ['upper case', incoming.toUpperCase()],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['a short trace id', `00-${traceId.slice(1)}-${spanId}-01`],
    ['letters that are no hex', `00-${traceId.replace('0', 'g')}-${spanId}-01`],
    ['space around it', ` ${incoming}`],
    ['a line behind it', `${incoming}\nx-injected: 1`],
  ])('that is %s is ignored', (_name, value) => {
    expect(parseTraceparent(value)).toBeUndefined();
  });
});

describe('withTrace', () => {
  it('continues the given trace through awaits', async () => {
    await withTraceparent(incoming, async () => {
      await nextTick();
      const passedOn = currentTraceparent();
      expect(passedOn).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
      expect(passedOn).not.toContain(spanId);
    });
  });

  it('keeps the flag that the trace is not sampled', () => {
    withTraceparent(`00-${traceId}-${spanId}-00`, () => expect(currentTraceparent()).toMatch(/-00$/));
  });

  it('starts a new trace if none or an invalid one was given', () => {
    const started = [undefined, 'x', undefined].map((value) => withTraceparent(value, currentTrace)?.traceId);
    expect(new Set(started).size).toBe(3);
    for (const id of started) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });

  it('uses unique ids for each span', () => {
    const steps = Array.from({ length: 1_000 }, () => nextSpan(undefined));
    for (const { traceId: trace, spanId: span } of steps) {
      expect(parseTraceparent(`00-${trace}-${span}-01`)).toEqual({
        traceId: trace,
        spanId: span,
        sampled: true,
      });
    }
    expect(new Set(steps.map(({ spanId: span }) => span)).size).toBe(steps.length);
    expect(new Set(steps.map(({ traceId: trace }) => trace)).size).toBe(steps.length);
  });

  it('ends with the callback', () => {
    withTraceparent(incoming, () => undefined);
    expect(currentTraceparent()).toBeUndefined();
  });
});
