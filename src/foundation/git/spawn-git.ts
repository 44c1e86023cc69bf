import { type ChildProcess, type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { errorCode } from '../kernel/error-code.ts';
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
 * Of a process that looks at every file: what it holds of packs, and of what deltas build upon. By itself Git maps a pack
 * whole and keeps 96 MB of bases: three times the memory, and hardly faster in any repository that was tried.
 */
export const boundedPacks: readonly string[] = [
  'core.packedGitWindowSize=1m',
  'core.packedGitLimit=8m',
  'core.deltaBaseCacheLimit=8m',
].flatMap((setting) => ['-c', setting]);

/**
 * Starts a Git process on a repository of ours, for what needs streams. It has no transport, so it stays on this host.
 * Whoever starts it reads `stdout` to its end or kills it, and awaits `ended`.
 * @throws GitError where this host has no room for another process
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

/**
 * Starts Git in our own environment; `error` of the child goes to `notStarted`. What keeps the process from being made
 * at all is thrown: Node throws some of it itself, and for the rest gives a child without the streams it was to have.
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
    child.once('error', () => undefined); // It comes later, and nobody else would be there for it.
    throw notStarted('no stream could be opened (EMFILE or ENFILE)');
  }
  return child;
}

/** Why Git did not start: it is not there, or this host is short of something just now. */
export function notStarted(cause: unknown): GitError {
  if (missing.has(errorCode(cause) ?? '')) {
    return new GitError('git_missing', 'Git cannot be started. Install Git 2.38 or newer on this host.', {
      cause,
    });
  }
  return new GitError(
    'failed',
    'This host has no room for another Git process: processes, open files or memory. It is tried again by itself.',
    { cause },
  );
}

const missing: ReadonlySet<string> = new Set(['ENOENT', 'EACCES']);

function readFailure(stderr: string, code: number | null): GitError {
  return new GitError(
    'damaged',
    'The copy of the repository cannot be read. Remove the repository and add it again to clone it anew.',
    { detail: { stderr: redactedOutput(stderr), code } },
  );
}
