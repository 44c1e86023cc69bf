import { dirname } from 'node:path';
import { GitPluginError, type SimpleGitOptions, simpleGit } from 'simple-git';
import { assertOutsideTransaction } from '../../kernel/inside-transaction.ts';
import type { Progress } from '../../kernel/text/progress.ts';
import { classifyGitFailure } from '../process/classify-git-failure.ts';
import { type GitProcess, gitEnvironment } from '../process/environment.ts';
import { GitError } from '../process/git-error.ts';
import type { GitSource } from '../source/git-source.ts';
import { type GitCredentials, withoutPassword } from './git-credentials.ts';
import { gitProxyFailure } from './git-proxy-failure.ts';

export interface RemoteRun {
  readonly source: GitSource;
  /** The process options from `reachSource`. */
  readonly process: GitProcess;
  /** The credentials of `process`. They are redacted in Git's output. */
  readonly credentials?: GitCredentials | undefined;
  /** The repository to use, or any folder for a command that needs none. */
  readonly folder: string;
  /** Time without output after which the process is stopped, in milliseconds. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  /** Called about once per percent. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Returns the arguments of a `git fetch` of exactly these refs, all of them or none. A source may itself be shallow,
 * like the checkouts of build services.
 */
export function fetchArgs(remote: string, ...refspecs: readonly string[]): readonly ['fetch', ...string[]] {
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
 * Runs one Git command that connects to a source and returns its standard output.
 * @throws GitError; the signal's reason when that was aborted.
 */
export async function runRemote(args: readonly string[], run: RemoteRun): Promise<string> {
  const { succeeded, output } = await tryRemote(args, run);
  if (succeeded) return output;
  throw gitProxyFailure(run, output) ?? classifyGitFailure(run.source, output, run.credentials);
}

/**
 * The result of a command. `output` is standard output; if the command failed, also standard error, both without the
 * password. Every message, log and pattern gets a failure from here.
 */
export interface RemoteOutcome {
  readonly succeeded: boolean;
  readonly output: string;
}

/**
 * Runs a command like `runRemote` but returns the output of a failure. @throws GitError `timed_out`; the signal's
 * reason.
 */
export async function tryRemote(args: readonly string[], run: RemoteRun): Promise<RemoteOutcome> {
  assertOutsideTransaction('A Git process');
  run.signal.throwIfAborted();
  const excess = new AbortController();
  try {
    const environment = gitEnvironment({ ...run.process, variables: variablesOf(run, args[0]) });
    const output = await simpleGit(optionsOf(run, Object.keys(environment), excess.signal))
      .env(environment)
      .outputHandler((_command, stdout, stderr) => {
        limitOutput(stdout, maxStdout, () => excess.abort(tooMuchOutput(run, maxStdout, 'output')));
        limitOutput(stderr, maxStderr, () => excess.abort(tooMuchOutput(run, maxStderr, 'messages')));
      })
      .raw([...args]);
    return { succeeded: true, output };
  } catch (error) {
    run.signal.throwIfAborted();
    excess.signal.throwIfAborted();
    if (error instanceof GitPluginError) throw stopped(error, run);
    return { succeeded: false, output: printed(error, run) };
  }
}

/**
 * Returns the environment variables. Without the ceiling, Git would use a parent repository if the folder is no
 * longer one.
 */
function variablesOf({ process, folder }: RemoteRun, command: string | undefined): Record<string, string> {
  return {
    ...process.variables,
    ...(command === 'ls-remote' ? { GIT_ALLOC_LIMIT: refListLimit } : {}),
    GIT_CEILING_DIRECTORIES: dirname(folder),
  };
}

/** Maximum allocation for the list of refs, enough for a million. It is the first response of a host. */
const refListLimit = '128m';

/** Maximum output kept in memory, in bytes: a list of 150,000 branches, and the messages of two hours of progress. */
const maxStdout = 16 * 1024 ** 2;
const maxStderr = 2 * 1024 ** 2;

/** Limits Git's output, which a host determines: an endless stream would fill the memory. */
function limitOutput(stream: NodeJS.ReadableStream, limit: number, onExceeded: () => void): void {
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > limit) onExceeded();
  });
}

/** Returns what a failed command printed, which is the message of the error. */
function printed(error: unknown, { credentials }: RemoteRun): string {
  const text = error instanceof Error ? error.message : String(error);
  return credentials === undefined ? text : withoutPassword(text, credentials);
}

function tooMuchOutput({ source }: RemoteRun, limit: number, what: string): GitError {
  const host = source.remote?.host ?? 'The folder';
  return new GitError(
    'too_large',
    `${host} sent more than is accepted (${limit / 1024 ** 2} MiB of ${what}). Contact its operator.`,
  );
}

function optionsOf(
  run: RemoteRun,
  variables: readonly string[],
  excess: AbortSignal,
): Partial<SimpleGitOptions> {
  const { onProgress } = run;
  return {
    baseDir: run.folder,
    maxConcurrentProcesses: 1,
    abort: AbortSignal.any([run.signal, excess]),
    timeout: { block: run.stallMs },
    // By default simple-git treats a process that was ended by a signal, for example for lack of memory, as
    // successful.
    errors: (error, { exitCode, stdOut, stdErr }) =>
      error ?? (exitCode === 0 ? undefined : Buffer.concat([...stdOut, Buffer.from('\n'), ...stdErr])),
    // simple-git's guard protects against values of callers. These values come only from `environment.ts`, which
    // disables exactly these features.
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
  return new GitError(
    'timed_out',
    `No data arrived for ${seconds} seconds. It will be retried automatically.`,
  );
}
