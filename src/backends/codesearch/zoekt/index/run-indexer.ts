import { type ChildProcess, spawn } from 'node:child_process';
import { gitEnvironment } from '../../../../foundation/git/process/environment.ts';
import { errorCode } from '../../../../foundation/kernel/error-code.ts';
import { ExternalServiceError, Unavailable } from '../../../../foundation/kernel/errors.ts';
import { assertOutsideTransaction } from '../../../../foundation/kernel/inside-transaction.ts';

export interface IndexerRun {
  /** ZOEKT_GIT_INDEX. */
  readonly program: string;
  readonly args: readonly string[];
  /** Variables in addition to the environment of a Git process, which is not inherited. */
  readonly variables: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Receives the output on standard error in chunks. */
  readonly onMessages?: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Maximum length of the retained output, in characters. */
const maxMessages = 64 * 1024;

/**
 * Runs `zoekt-git-index` until it exits.
 * @throws Unavailable if it cannot be started; ExternalServiceError if it fails or times out; the reason of `signal`
 * if that aborted it.
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
    messages = `${messages}${text}`.slice(-maxMessages);
    onMessages?.(text);
  });
  return new Promise((resolve) => {
    let problem: Error | undefined;
    child.once('error', (error) => {
      problem = error;
      // A program that did not start emits no close event.
      if (child.pid === undefined) resolve({ code: null, messages, error });
    });
    child.once('close', (code) =>
      resolve({ code, messages, ...(problem === undefined ? {} : { error: problem }) }),
    );
  });
}

function notStarted(program: string, cause: Error): Unavailable {
  const reason = errorCode(cause) === 'ENOENT' ? 'was not found' : 'cannot be started';
  return new Unavailable(
    'unavailable',
    `The indexer of Zoekt ${reason}. Set ZOEKT_GIT_INDEX to the full path of zoekt-git-index.`,
    { cause, detail: { program } },
  );
}

function failed(how: string, messages: string): ExternalServiceError {
  return new ExternalServiceError(
    'zoekt',
    `The indexer of Zoekt ${how}; see its output in the log. It will be retried.`,
    {
      retryable: true,
      detail: { stderr: messages.slice(-8192) },
    },
  );
}
