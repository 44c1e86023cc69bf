import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { assertOutsideTransaction } from '../kernel/inside-transaction.ts';
import { gitEnvironment } from './environment.ts';
import { GitError, redactedOutput } from './git-error.ts';

export interface RunningGit {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Resolves when the process has ended; rejects with a GitError unless it ended well. */
  readonly ended: Promise<void>;
}

const maxStderr = 64 * 1024;

/**
 * Starts a Git process on a repository of ours, for what needs streams. It has no transport, so it stays on this host.
 * Whoever starts it reads `stdout` to its end or kills it, and awaits `ended`.
 */
export function spawnGit(gitDir: string, args: readonly string[], signal?: AbortSignal): RunningGit {
  assertOutsideTransaction('A Git process');
  const child = spawn('git', [`--git-dir=${gitDir}`, ...args], {
    env: gitEnvironment(),
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal }),
  });
  const ended = new Promise<void>((resolve, reject) => {
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = `${stderr}${text}`.slice(-maxStderr);
    });
    child.stdin.on('error', () => undefined); // The exit below tells why.
    child.once('error', (error) => reject(signal?.aborted === true ? signal.reason : notStarted(error)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(readFailure(stderr, code))));
  });
  ended.catch(() => undefined); // Awaited by the caller after the output; not unhandled until then.
  return { child, ended };
}

/** The whole output of a command that prints little; `input` goes to its standard input. */
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

export function notStarted(cause: Error): GitError {
  return new GitError('git_missing', 'Git cannot be started. Install Git 2.38 or newer on this host.', {
    cause,
  });
}

function readFailure(stderr: string, code: number | null): GitError {
  return new GitError(
    'damaged',
    'The copy of the repository cannot be read. Remove the repository and add it again to clone it anew.',
    { detail: { stderr: redactedOutput(stderr), code } },
  );
}
