import { pino } from 'pino';
import type { Logger } from '../../src/foundation/telemetry/logger.ts';

/** For tests that do not look at the log. */
export const silentLog: Logger = pino({ level: 'silent' });
