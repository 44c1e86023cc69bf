import { describe, expect, it } from 'vitest';
import { sharedFields } from './task.ts';
import { startTaskTime } from './task-time.ts';

const memory = (): Int32Array => new Int32Array(new SharedArrayBuffer(8));
const idle = (milliseconds: number): void => {
  Atomics.wait(memory(), 0, 0, milliseconds);
};

/** Uses the processor for some milliseconds of its time. */
function work(milliseconds: number): void {
  const started = process.threadCpuUsage();
  for (let used = 0; used < milliseconds * 1000; ) {
    const { user, system } = process.threadCpuUsage(started);
    used = user + system;
  }
}

describe('the time of a task', () => {
  it('is not used up by waiting for a processor', () => {
    const shouldStop = startTaskTime({ deadlineMs: 60_000, processorMs: 50, shared: memory() });
    idle(100);
    expect(shouldStop()).toBe(false);
    work(30);
    expect([shouldStop(), shouldStop(0.5)]).toEqual([false, true]);
    work(30);
    expect(shouldStop()).toBe(true);
  });

  it('ends on the clock, too', () => {
    const shouldStop = startTaskTime({ deadlineMs: 50, processorMs: 60_000, shared: memory() });
    idle(60);
    expect(shouldStop()).toBe(true);
  });

  it('ends when the caller is gone, and each question for it is progress', () => {
    const shared = memory();
    const shouldStop = startTaskTime({ deadlineMs: 60_000, shared });
    expect(shouldStop()).toBe(false);
    Atomics.store(shared, sharedFields.cancelled, 1);
    expect(shouldStop()).toBe(true);
    expect(shared[sharedFields.progress]).toBe(2);
  });
});
