import { ConfigError } from '../../foundation/config/config-error.ts';
import { InvalidInput, OrgctxError } from '../../foundation/kernel/errors.ts';
import { visibleText } from '../../foundation/kernel/visible-text.ts';
import type { Channel } from './channel.ts';
import { exitCodeOf } from './exit-code.ts';
import { Interrupted } from './interrupted.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

interface Described {
  readonly code: string;
  /** What was wrong. */
  readonly message: string;
  /** Each fault on its own, where there are several. */
  readonly faults: readonly { readonly name: string; readonly message: string }[];
  /** The next step, where the message does not name it already. */
  readonly hint: string | undefined;
  /** To find the request in the service's log. */
  readonly requestId: string | undefined;
}

/** Says on stderr what went wrong, why, and what to do; as one JSON value with `--json`. The stack with `--verbose`. */
export function reportError(error: unknown, terminal: Terminal): void {
  const described = describeError(error);
  terminal.note(
    terminal.json
      ? JSON.stringify({ error: { ...described, exitCode: exitCodeOf(error) } })
      : inWords(described, terminal.err),
  );
  if (terminal.verbose && !terminal.json) terminal.note(visibleText(stackOf(error)));
}

function describeError(error: unknown): Described {
  const plain = { code: 'failed', message: textOf(error), faults: [], hint: undefined, requestId: undefined };
  if (error instanceof UsageError) return { ...plain, code: 'usage', hint: error.hint };
  if (error instanceof ConfigError)
    return { ...plain, code: error.code, message: error.summary, faults: error.faults };
  if (error instanceof OrgctxError) return { ...plain, code: error.code, ...extrasOf(error) };
  if (error instanceof Interrupted) return { ...plain, code: 'interrupted' };
  return { ...plain, hint: 'Run it again with --verbose for the details.' };
}

function extrasOf(error: OrgctxError): Pick<Described, 'faults' | 'requestId'> {
  const requestId = error.detail?.['requestId'];
  const faults = error instanceof InvalidInput ? error.errors : [];
  return {
    faults: faults.map(({ path, message }) => ({ name: path, message })),
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}

function inWords({ message, faults, hint, requestId }: Described, channel: Channel): string {
  return [
    `${channel.style('red', 'error:')} ${visibleText(message)}`,
    ...faults
      .filter((fault) => !message.includes(fault.message))
      .map((fault) => `  ${channel.style('bold', visibleText(fault.name))} ${visibleText(fault.message)}`),
    ...(hint ? [visibleText(hint)] : []),
    ...(requestId ? [channel.style('dim', `request ${visibleText(requestId)}`)] : []),
  ].join('\n');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** With its causes: `detail` stays out, it is for the service's own log. */
function stackOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? '' : `\ncaused by: ${stackOf(error.cause)}`;
  return `${error.stack ?? error.message}${cause}`;
}
