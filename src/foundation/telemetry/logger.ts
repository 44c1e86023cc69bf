import type { Logger as PinoLogger } from 'pino';

/** A structured logger: `log.info({ repositoryId }, 'static message')`. Messages are constant so that they group. */
export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level'>;
