import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { prettyFactory } from 'pino-pretty';
import type { LogLevel } from '../config/config.ts';
import { redactLine } from './redaction.ts';
import { currentTrace } from './trace-context.ts';

/** A structured logger: `log.info({ repositoryId }, 'static message')`. Messages are constant so that they group. */
export type Logger = Pick<
  PinoLogger,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'child' | 'level'
>;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** Which process speaks: `serve`, `worker`. */
  readonly name: string;
  /** Default stdout. */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream;
  /** For a person at a terminal; otherwise one JSON object a line. */
  readonly pretty: boolean;
}

/**
 * One JSON object a line: `level` as a word, `time` in ISO 8601, `msg`. Written at once, so the last words of a crash
 * are there. Within a trace, `traceId` and `spanId` name it. Whatever is logged, at whatever depth and by whichever
 * child, passes the redaction.
 */
export function createLogger(options: LoggerOptions): Logger {
  const { level, name, pretty } = options;
  const stream = openStream(options.destination ?? 'stdout');
  return pino(
    {
      level,
      base: { name },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: traceFields,
      hooks: { streamWrite: redactLine },
    },
    pretty ? prettified(stream) : stream,
  );
}

/** A new object each time: pino writes the fields of the line into it. */
function traceFields(): object {
  const trace = currentTrace();
  return trace === undefined ? {} : { traceId: trace.traceId, spanId: trace.spanId };
}

const descriptors = { stdout: 1, stderr: 2 } as const;

function openStream(target: NonNullable<LoggerOptions['destination']>): DestinationStream {
  return typeof target === 'string' ? writtenAtOnce(target) : target;
}

export function standardOutput(): DestinationStream {
  return writtenAtOnce('stdout');
}

function writtenAtOnce(target: keyof typeof descriptors): DestinationStream {
  return destination({ dest: descriptors[target], sync: true });
}

/** In this process, not in a thread of its own: the last lines before an exit must be seen. */
export function prettified(stream: DestinationStream): DestinationStream {
  const prettify = prettyFactory({ ignore: 'name' });
  return { write: (line) => stream.write(prettify(line)) };
}
