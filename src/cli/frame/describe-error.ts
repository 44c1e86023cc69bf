import { ConfigError } from '../../foundation/config/config-error.ts';
import { InvalidInput, OrgctxError } from '../../foundation/kernel/errors.ts';
import { visibleJson, visibleText } from '../../foundation/kernel/text/visible-text.ts';
import { fieldName } from '../../foundation/kernel/wire/json-pointer.ts';
import type { Channel } from './channel.ts';
import { exitCodeOf } from './exit-code.ts';
import { Interrupted } from './interrupted.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

interface Described {
  readonly code: string;
  /** The error message. */
  readonly message: string;
  /** The individual errors, if there are several. */
  readonly errors: readonly { readonly name: string; readonly message: string }[];
  /** Advice on what to do next, if the message contains none. */
  readonly hint: string | undefined;
  /** Identifies the request in the log of the service; only for an error of the service. */
  readonly requestId: string | undefined;
}

/**
 * Prints an error and what to do next to stderr; as one JSON value with `--json`, with the stack with `--verbose`.
 */
export function reportError(error: unknown, terminal: Terminal): void {
  const described = describeError(error);
  terminal.note(
    terminal.json
      ? visibleJson({ error: { ...described, exitCode: exitCodeOf(error) } })
      : toText(described, terminal.err),
  );
  if (terminal.verbose && !terminal.json) terminal.note(visibleText(stackOf(error)));
}

function describeError(error: unknown): Described {
  const plain = { code: 'failed', message: textOf(error), errors: [], hint: undefined, requestId: undefined };
  if (error instanceof UsageError) return { ...plain, code: 'usage', hint: error.hint };
  if (error instanceof ConfigError)
    return { ...plain, code: error.code, message: error.summary, errors: error.errors };
  if (error instanceof OrgctxError) return { ...plain, code: error.code, ...extrasOf(error) };
  if (error instanceof Interrupted) return { ...plain, code: 'interrupted' };
  return { ...plain, hint: 'Run the command again with --verbose for details.' };
}

function extrasOf(error: OrgctxError): Pick<Described, 'errors' | 'requestId'> {
  const requestId = error.status >= 500 ? error.detail?.['requestId'] : undefined;
  const errors = error instanceof InvalidInput ? error.errors : [];
  return {
    errors: errors.map(({ path, message }) => ({ name: fieldName(path), message })),
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}

function toText({ message, errors, hint, requestId }: Described, channel: Channel): string {
  return [
    `${channel.style('red', 'error:')} ${visibleText(message)}`,
    ...errors
      .filter((problem) => !message.includes(problem.message))
      .map(
        ({ name, message: why }) =>
          `  ${name && `${channel.style('bold', visibleText(name))} `}${visibleText(why)}`,
      ),
    ...(hint ? [visibleText(hint)] : []),
    ...(requestId ? [channel.style('dim', `request ${visibleText(requestId)}`)] : []),
  ].join('\n');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the stack with those of its causes, without `detail`, which is for the log of the service. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
