import { pino } from 'pino';
import type { Logger } from '../../src/foundation/telemetry/logger.ts';

export interface MemoryLog {
  readonly log: Logger;
  /** The logged records, in order. */
  readonly lines: readonly Record<string, unknown>[];
}

/** Opens a log for tests that check its records. */
export function memoryLog(): MemoryLog {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { log: pino({ level: 'info' }, { write }), lines };
}
