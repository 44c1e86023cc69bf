import type { GitDeps } from '../../../foundation/git/process/git-deps.ts';
import { GitError, isRefusedAccess } from '../../../foundation/git/process/git-error.ts';
import { type GitCredentials, isSameCredentials } from '../../../foundation/git/remote/git-credentials.ts';
import type { GitSource } from '../../../foundation/git/source/git-source.ts';
import type { ContextRepositoryRequest } from '../../../foundation/git/writing/context-repository.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { MirrorDeps } from '../mirror-deps.ts';
import type { ComparedTip, MirrorTarget } from '../mirror-target.ts';

/** One run of the commit job: the input of all its steps. */
export interface CommitRun {
  readonly deps: MirrorDeps;
  readonly target: MirrorTarget;
  readonly context: JobContext;
  readonly source: GitSource;
  readonly gitDir: string;
  /** Replaced once if the host refuses them: tokens of an App are valid for an hour, and an import may take longer. */
  credentials: GitCredentials | undefined;
  /** The tip that the mirrored files were compared with last. */
  compared: ComparedTip | undefined;
  /** The tip of the branch when it was last fetched or pushed; `undefined` while there is no branch. */
  tip: string | undefined;
  /** The reasons why paths were left out. */
  readonly refused: Set<string>;
}

/** Author of the commits of this service. The address is reserved and has no mailbox (RFC 2606 section 2). */
export const mirrorAuthor = { name: 'orgctx', email: 'noreply@orgctx.invalid' } as const;

/**
 * Runs work on the branch at the Git host. If the host refuses the credentials, retries once with newer ones, if there
 * are any. Hosts also say that a repository does not exist, or must not be written, to a token that is older than a
 * right.
 */
export async function withRemote<T>(
  run: CommitRun,
  work: (remote: ContextRepositoryRequest) => Promise<T>,
): Promise<T> {
  const { deps, target, context, source, gitDir } = run;
  const given = (): ContextRepositoryRequest => ({
    source,
    branch: target.branch,
    gitDir,
    ...(run.credentials !== undefined && { credentials: run.credentials }),
    deps: gitOf(run),
    signal: context.signal,
  });
  try {
    return await work(given()).catch(async (error: unknown) => {
      const former = run.credentials;
      if (former === undefined || !isRefusedAccess(error)) throw error;
      const newer = await deps.credentials(target, context.signal, former).catch((refusal: unknown) => {
        // What Git was refused says more than that there is no other token for it.
        throw refusal instanceof GitError && error.reason !== 'authentication' ? error : refusal;
      });
      if (newer === undefined || isSameCredentials(newer, former)) throw error;
      run.credentials = newer;
      return work(given());
    });
  } catch (error) {
    throw (await deps.refused?.(target, error, context.signal)) ?? error;
  }
}

/** Returns what Git needs to connect to the target. */
export function gitOf(of: {
  readonly deps: Pick<MirrorDeps, 'git' | 'hostedGit'>;
  readonly target: Pick<MirrorTarget, 'organizationId' | 'githostConnectionId'>;
}): GitDeps {
  const { deps, target } = of;
  const git = target.githostConnectionId === undefined ? deps.git : (deps.hostedGit ?? deps.git);
  return { ...git, organizationId: target.organizationId };
}
