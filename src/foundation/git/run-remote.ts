import { dirname } from 'node:path';
import { GitPluginError, type SimpleGitOptions, simpleGit } from 'simple-git';
import { assertOutsideTransaction } from '../kernel/inside-transaction.ts';
import type { Progress } from '../kernel/progress.ts';
import { classifyGitFailure } from './classify-git-failure.ts';
import { type GitProcess, gitEnvironment } from './environment.ts';
import { type GitCredentials, withoutPassword } from './git-credentials.ts';
import { GitError } from './git-error.ts';
import type { GitSource } from './git-source.ts';
import { legibleTail } from './legible-tail.ts';

export interface RemoteRun {
  readonly source: GitSource;
  /** From `reachSource`. */
  readonly process: GitProcess;
  /** Those `process` can sign in with: what Git prints is kept clear of them. */
  readonly credentials?: GitCredentials | undefined;
  /** The repository it works on, or any folder for a command that needs none. */
  readonly folder: string;
  /** Milliseconds without a byte of output after which it is ended. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  /** About once for every percent. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * `git fetch` of these refs and nothing else, all of them or none. A source may itself be shallow, as the checkouts of
 * build services are.
 */
export function fetchArgs(remote: string, ...refspecs: readonly string[]): readonly string[] {
  const only = [
    '--atomic',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--update-shallow',
  ];
  return ['fetch', '--progress', ...only, '--', remote, ...refspecs];
}

/**
 * Runs one Git command that goes to a source and gives its standard output.
 * @throws GitError; the signal's reason when that was aborted.
 */
export async function runRemote(args: readonly string[], run: RemoteRun): Promise<string> {
  const { ended, output } = await tryRemote(args, run);
  if (ended === 'well') return output;
  throw classifyGitFailure(run.source, output, run.credentials);
}

/** `output` is standard output; of a command that failed, the end of it and of standard error (`legibleTail`), without the password. */
export interface RemoteOutcome {
  readonly ended: 'well' | 'badly';
  readonly output: string;
}

/** As `runRemote`, for commands whose failure says more. @throws GitError `timed_out`; the signal's reason. */
export async function tryRemote(args: readonly string[], run: RemoteRun): Promise<RemoteOutcome> {
  assertOutsideTransaction('A Git process');
  run.signal.throwIfAborted();
  const endless = new AbortController();
  try {
    const environment = gitEnvironment({ ...run.process, variables: variablesOf(run, args[0]) });
    const output = await simpleGit(optionsOf(run, Object.keys(environment), endless.signal))
      .env(environment)
      .outputHandler((_command, stdout, stderr) => {
        limitOutput(stdout, maxStdout, () => endless.abort(printedTooMuch(run, maxStdout, 'output')));
        limitOutput(stderr, maxStderr, () => endless.abort(printedTooMuch(run, maxStderr, 'messages')));
      })
      .raw([...args]);
    return { ended: 'well', output };
  } catch (error) {
    run.signal.throwIfAborted();
    endless.signal.throwIfAborted();
    if (error instanceof GitPluginError) throw stopped(error, run);
    return { ended: 'badly', output: error instanceof Error ? error.message : String(error) };
  }
}

/** Without the ceiling, a folder that is no repository any more would stand for one that it lies in. */
function variablesOf({ process, folder }: RemoteRun, command: string | undefined): Record<string, string> {
  return {
    ...process.variables,
    ...(command === 'ls-remote' ? { GIT_ALLOC_LIMIT: greetingLimit } : {}),
    GIT_CEILING_DIRECTORIES: dirname(folder),
  };
}

/** Of a host that lists its refs, a million of them; it is asked before anything else. */
const greetingLimit = '128m';

/** Bytes that are kept in memory: a list of 150,000 branches, and the words for two hours of progress. */
const maxStdout = 16 * 1024 ** 2;
const maxStderr = 2 * 1024 ** 2;

/** What a host makes Git print comes here, and a stream without end would fill the memory. */
function limitOutput(stream: NodeJS.ReadableStream, limit: number, passed: () => void): void {
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limit) passed();
  });
}

function printed(chunks: readonly Buffer[], { credentials }: RemoteRun): string {
  const text = Buffer.concat(chunks).toString('utf8');
  return legibleTail(credentials === undefined ? text : withoutPassword(text, credentials));
}

function printedTooMuch({ source }: RemoteRun, limit: number, what: string): GitError {
  const host = source.remote?.host ?? 'The folder';
  return new GitError(
    'too_large',
    `${host} makes Git print more than is taken (${limit / 1024 ** 2} MiB of ${what}). Ask whoever runs it.`,
  );
}

function optionsOf(
  run: RemoteRun,
  variables: readonly string[],
  endless: AbortSignal,
): Partial<SimpleGitOptions> {
  const { onProgress } = run;
  return {
    baseDir: run.folder,
    maxConcurrentProcesses: 1,
    abort: AbortSignal.any([run.signal, endless]),
    timeout: { block: run.stallMs },
    // Its own rule takes a process that a signal ended, for want of memory say, for one that ended well.
    errors: (error, { exitCode, stdOut, stdErr }) =>
      error ?? (exitCode === 0 ? undefined : Buffer.from(`${printed(stdOut, run)}\n${printed(stdErr, run)}`)),
    // Its guard is meant for values of callers. Ours are made in `environment.ts` alone, to switch these very things off.
    allowEnvironment: variables,
    unsafe: {
      allowUnsafeAskPass: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
      allowUnsafePack: true,
      allowUnsafeSshCommand: true,
    },
    ...(onProgress === undefined
      ? {}
      : {
          progress: ({ stage, processed, total }) =>
            onProgress({ phase: phases[stage] ?? stage, done: processed, total }),
        }),
  };
}

const phases: Readonly<Record<string, string>> = {
  'remote:': 'preparing objects',
  receiving: 'receiving objects',
  resolving: 'resolving deltas',
};

function stopped(error: GitPluginError, { stallMs }: RemoteRun): Error {
  if (error.plugin !== 'timeout') return error;
  const seconds = Math.ceil(stallMs / 1_000);
  return new GitError('timed_out', `No data came for ${seconds} seconds. It is tried again by itself.`);
}
