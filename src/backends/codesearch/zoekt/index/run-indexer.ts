import { type ChildProcess, spawn } from 'node:child_process';
import { gitEnvironment } from '../../../../foundation/git/environment.ts';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { ExternalServiceError, Unavailable } from '../../../../foundation/kernel/errors.ts';
import { assertOutsideTransaction } from '../../../../foundation/kernel/inside-transaction.ts';

export interface IndexerRun {
  /** ZOEKT_GIT_INDEX. */
  readonly program: string;
  readonly args: readonly string[];
  /** Beside the environment of a Git process, of which nothing is inherited. */
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** What it writes to standard error, line by line as it comes. */
  readonly onMessages?: (text: string) => void;
  readonly signal: AbortSignal;
}

const mostMessages = 64 * 1024;

/**
 * Runs `zoekt-git-index` to its end.
 * @throws Unavailable where it cannot be started; ExternalServiceError where it fails or takes too long; the reason of
 * `signal` where that ended it.
 */
export async function runIndexer(run: IndexerRun): Promise<void> {
  assertOutsideTransaction('zoekt-git-index');
  run.signal.throwIfAborted();
  const timeout = AbortSignal.timeout(run.timeoutMs);
  const child = spawn(run.program, [...run.args], {
    env: gitEnvironment({ variables: run.variables }),
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: AbortSignal.any([run.signal, timeout]),
    killSignal: 'SIGKILL',
  });
  const { code, messages, error } = await ended(child, run.onMessages);
  run.signal.throwIfAborted();
  if (code === 0) return;
  if (timeout.aborted)
    throw failed(`took longer than ${Math.round(run.timeoutMs / 60_000)} minutes`, messages);
  if (error !== undefined) throw notStarted(run.program, error);
  throw failed('failed', messages);
}

interface Ended {
  readonly code: number | null;
  readonly messages: string;
  readonly error?: Error;
}

function ended(child: ChildProcess, onMessages: IndexerRun['onMessages']): Promise<Ended> {
  let messages = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    messages = `${messages}${text}`.slice(-mostMessages);
    onMessages?.(text);
  });
  return new Promise((resolve) => {
    let fault: Error | undefined;
    child.once('error', (error) => {
      fault = error;
      // Of a program that never began there is nothing to wait for.
      if (child.pid === undefined) resolve({ code: null, messages, error });
    });
    child.once('close', (code) =>
      resolve({ code, messages, ...(fault === undefined ? {} : { error: fault }) }),
    );
  });
}

function notStarted(program: string, cause: Error): Unavailable {
  const why = errorCode(cause) === 'ENOENT' ? 'is not there' : 'cannot be started';
  return new Unavailable(
    'unavailable',
    `The indexer of Zoekt ${why}. Set ZOEKT_GIT_INDEX to the whole path of zoekt-git-index.`,
    { cause, detail: { program } },
  );
}

function failed(how: string, messages: string): ExternalServiceError {
  return new ExternalServiceError(
    'zoekt',
    `The indexer of Zoekt ${how}; the log says why. It is tried again.`,
    {
      retryable: true,
      detail: { stderr: messages.slice(-8192) },
    },
  );
}
