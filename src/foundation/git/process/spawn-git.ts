import { type ChildProcess, type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { errorCode } from '../../kernel/error-code.ts';
import { assertOutsideTransaction } from '../../kernel/inside-transaction.ts';
import { gitEnvironment } from './environment.ts';
import { GitError, redactedOutput } from './git-error.ts';

export interface RunningGit {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when the process has succeeded; rejects with a GitError otherwise. */
  readonly ended: Promise<void>;
}

const maxStderr = 64 * 1024;

/**
 * Memory limits for packs and delta bases, for a process that reads every file. By default Git maps a whole pack and
 * keeps 96 MB of bases: three times the memory, and hardly faster in any tested repository.
 */
export const boundedPacks: readonly string[] = [
  'core.packedGitWindowSize=1m',
  'core.packedGitLimit=8m',
  'core.deltaBaseCacheLimit=8m',
].flatMap((setting) => ['-c', setting]);

/**
 * Starts a Git process on a local repository, for operations that need streams. It has no transport, so it cannot
 * connect to other hosts. The caller must read `stdout` to its end or kill the process, and await `ended`.
 * @throws GitError if this host cannot start another process
 */
export function spawnGit(gitDir: string, args: readonly string[], signal?: AbortSignal): RunningGit {
  assertOutsideTransaction('A Git process');
  const child = startGit([`--git-dir=${gitDir}`, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal }),
  }) as RunningGit['child'];
  const ended = new Promise<void>((resolve, reject) => {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = `${stderr}${text}`.slice(-maxStderr);
    });
    child.stdin.on('error', () => undefined); // The close handler below reports the cause.
    child.once('error', (error) => reject(signal?.aborted === true ? signal.reason : notStarted(error)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(readFailure(stderr, code))));
  });
  ended.catch(() => undefined); // The caller awaits it after the output; until then it must not count as unhandled.
  return { child, ended };
}

/**
 * Runs a command and returns its whole output, for commands that print little. `input` is written to standard input.
 */
export async function gitOutput(
  gitDir: string,
  args: readonly string[],
  options: { readonly input?: string | Buffer; readonly signal?: AbortSignal | undefined } = {},
): Promise<Buffer> {
  const { child, ended } = spawnGit(gitDir, args, options.signal);
  child.stdin.end(options.input);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await ended;
  return Buffer.concat(chunks);
}

/**
 * Starts Git with the environment of `gitEnvironment`. The caller must pass the child's `error` event to
 * `notStarted`. If the process cannot be created, the error is thrown: Node throws in some cases, and returns a child
 * without streams in others.
 * @throws GitError
 */
export function startGit(args: readonly string[], options: Omit<SpawnOptions, 'env'>): ChildProcess {
  let child: ChildProcess;
  try {
    child = spawn('git', args, { ...options, env: gitEnvironment() });
  } catch (error) {
    throw notStarted(error);
  }
  if (child.stdio === undefined) {
    child.once('error', () => undefined); // The event follows later and has no other listener.
    throw notStarted('No stream could be opened (EMFILE or ENFILE).');
  }
  return child;
}

/** Returns the error for a Git that did not start: it is not installed, or this host lacks resources. */
export function notStarted(cause: unknown): GitError {
  if (missing.has(errorCode(cause) ?? '')) {
    return new GitError('git_missing', 'Git cannot be started. Install Git 2.38 or newer on this host.', {
      cause,
    });
  }
  return new GitError(
    'failed',
    'This host cannot start another Git process: it lacks processes, open files or memory. It will be retried automatically.',
    { cause },
  );
}

const missing: ReadonlySet<string> = new Set(['ENOENT', 'EACCES']);

function readFailure(stderr: string, code: number | null): GitError {
  return new GitError(
    'damaged',
    'The copy of the repository cannot be read. Remove the repository and add it again.',
    { detail: { stderr: redactedOutput(stderr), code } },
  );
}
