import { pino } from 'pino';
import type { Logger } from '../../src/foundation/telemetry/logger.ts';

/** A log that discards everything. */
export const silentLog: Logger = pino({ level: 'silent' });
