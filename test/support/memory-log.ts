import { pino } from 'pino';
import type { Logger } from '../../src/foundation/telemetry/logger.ts';

export interface MemoryLog {
  readonly log: Logger;
  /** What was logged, in order. */
  readonly lines: readonly Record<string, unknown>[];
}

/** For tests that look at the log. */
export function memoryLog(): MemoryLog {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { log: pino({ level: 'info' }, { write }), lines };
}
