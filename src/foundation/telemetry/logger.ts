import { createRequire } from 'node:module';
import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import type * as PinoPretty from 'pino-pretty';
import type { LogLevel } from '../config/config.ts';
import { escapeHidden } from '../kernel/text/visible-text.ts';
import { redactLine } from './redaction.ts';
import { currentTrace } from './trace-context.ts';

/**
 * A structured logger: `log.info({ repositoryId }, 'static message')`. Messages are constant so that they can be
 * grouped.
 */
export type Logger = Pick<
  PinoLogger,
  'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent' | 'child' | 'level'
>;

export interface LoggerOptions {
  readonly level: LogLevel;
  /** The name of the process: `serve` or `worker`. */
  readonly name: string;
  /** Default: stdout. */
  readonly destination?: 'stdout' | 'stderr' | DestinationStream;
  /** True for human-readable output on a terminal; otherwise one JSON object per line. */
  readonly pretty: boolean;
}

/**
 * Creates a logger that writes one JSON object per line: `level` as a word, `time` in ISO 8601, `msg`. Lines are
 * written synchronously, so that the last lines before a crash are not lost. Within a trace, `traceId` and `spanId`
 * identify it. Every value, at any depth and from any child logger, is redacted, and its control and bidirectional
 * characters are escaped, because a terminal obeys them.
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
      hooks: { streamWrite: (line) => escapeHidden(redactLine(line)) },
    },
    pretty ? prettified(stream) : stream,
  );
}

/** Returns a new object for each line, because pino adds the fields of the line to it. */
function traceFields(): object {
  const trace = currentTrace();
  return trace === undefined ? {} : { traceId: trace.traceId, spanId: trace.spanId };
}

const descriptors = { stdout: 1, stderr: 2 } as const;

function openStream(target: NonNullable<LoggerOptions['destination']>): DestinationStream {
  return typeof target === 'string' ? synchronous(target) : target;
}

export function standardOutput(): DestinationStream {
  return synchronous('stdout');
}

/** Number of bytes of lines that wait while the output cannot be written, for example on a full disk. */
const maxWaiting = 1_048_576;

/**
 * Opens an output that never throws: a line that cannot be written must not fail the request or job that logs it. Lines
 * wait for the next successful write; further ones are dropped.
 */
function synchronous(target: keyof typeof descriptors): DestinationStream {
  const stream = destination({ dest: descriptors[target], sync: true, maxLength: maxWaiting });
  stream.on('error', () => undefined);
  return stream;
}

/**
 * Formats lines for humans in this process rather than in a worker thread, so that the last lines before an exit are
 * not lost.
 */
export function prettified(stream: DestinationStream): DestinationStream {
  // Loaded late, because a service writes JSON.
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof PinoPretty;
  const prettify = prettyFactory({ ignore: 'name' });
  return { write: (line) => stream.write(prettify(legible(line))) };
}

/** Returns the fields of a line with texts that stay escaped once they are decoded. */
function legible(line: string): string | object {
  try {
    return escapeTexts(JSON.parse(line)) as object;
  } catch {
    return escapeHidden(line);
  }
}

function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return escapeHidden(value);
  if (Array.isArray(value)) return value.map(escapeTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [escapeHidden(name), escapeTexts(inner)]),
  );
}
