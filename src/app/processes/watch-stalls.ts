import { systemClock } from '../../foundation/kernel/clock.ts';
import type { Logger } from '../../foundation/telemetry/logger.ts';
import type { Stalls } from '../../surfaces/http/http-deps.ts';

export interface StallWatch {
  /** Returns the stalls since the start; `undefined` if there was none. */
  stalls(): Stalls | undefined;
  stop(): void;
}

/** Maximum number of items of work that a log line names. */
const maxNamed = 20;

/**
 * Notices when the event loop of this process stands still for longer than `thresholdMs`, by a timer that is late, and
 * logs what ran. `takeRecent` returns the work in progress and what ended since the last call: work that blocked the
 * loop may have ended with it.
 */
export function watchStalls(
  log: Logger,
  takeRecent: () => readonly object[],
  {
    thresholdMs = 10_000,
    checkMs = 1_000,
  }: { readonly thresholdMs?: number; readonly checkMs?: number } = {},
): StallWatch {
  let stalls: Stalls | undefined;
  let checkedAt = performance.now();
  let cpu = process.cpuUsage();
  const timer = setInterval(() => {
    const now = performance.now();
    const stalledMs = Math.round(now - checkedAt - checkMs);
    const { user, system } = process.cpuUsage(cpu);
    const recent = takeRecent();
    checkedAt = now;
    cpu = process.cpuUsage();
    if (stalledMs <= thresholdMs) return;
    stalls = {
      count: (stalls?.count ?? 0) + 1,
      longestMs: Math.max(stalls?.longestMs ?? 0, stalledMs),
      lastAt: systemClock(),
    };
    const cpuMs = Math.round((user + system) / 1_000);
    const fields = {
      stalledMs,
      cpuMs,
      ran: recent.slice(0, maxNamed),
      more: Math.max(0, recent.length - maxNamed),
    };
    log.error(fields, 'the event loop stood still; requests had to wait');
  }, checkMs);
  timer.unref();
  return { stalls: () => stalls, stop: () => clearInterval(timer) };
}
