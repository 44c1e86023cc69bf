import { GitPluginError, type SimpleGitOptions, simpleGit } from 'simple-git';
import { assertOutsideTransaction } from '../kernel/inside-transaction.ts';
import type { Progress } from '../kernel/progress.ts';
import { classifyGitFailure } from './classify-git-failure.ts';
import { type GitProcess, gitEnvironment } from './environment.ts';
import { GitError } from './git-error.ts';
import type { GitSource } from './git-source.ts';

export interface RemoteRun {
  readonly source: GitSource;
  /** From `reachSource`. */
  readonly process: GitProcess;
  /** The repository it works on, or any folder for a command that needs none. */
  readonly folder: string;
  /** Milliseconds without a byte of output after which it is ended. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
  /** About once for every percent. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Runs one Git command that goes to a source and gives its standard output.
 * @throws GitError; the signal's reason when that was aborted.
 */
export async function runRemote(args: readonly string[], run: RemoteRun): Promise<string> {
  assertOutsideTransaction('A Git process');
  run.signal.throwIfAborted();
  try {
    const environment = gitEnvironment(run.process);
    return await simpleGit(optionsOf(run, Object.keys(environment)))
      .env(environment)
      .raw([...args]);
  } catch (error) {
    run.signal.throwIfAborted();
    throw failureOf(error, run);
  }
}

function optionsOf(run: RemoteRun, variables: readonly string[]): Partial<SimpleGitOptions> {
  const { onProgress } = run;
  return {
    baseDir: run.folder,
    maxConcurrentProcesses: 1,
    abort: run.signal,
    timeout: { block: run.stallMs },
    // Its guard is meant for values of callers. Ours are made in `environment.ts` alone, to switch these very things off.
    allowEnvironment: variables,
    unsafe: {
      allowUnsafeConfigEnvCount: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeHooksPath: true,
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

function failureOf(error: unknown, { source, stallMs }: RemoteRun): Error {
  if (error instanceof GitPluginError && error.plugin === 'timeout') {
    const seconds = Math.ceil(stallMs / 1_000);
    return new GitError('timed_out', `No data came for ${seconds} seconds. It is tried again by itself.`);
  }
  if (error instanceof GitPluginError) return error;
  return classifyGitFailure(source, error instanceof Error ? error.message : String(error));
}
