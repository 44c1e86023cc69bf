import type { GitDeps } from '../../../foundation/git/process/git-deps.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import type { GitCredentials } from '../../../foundation/git/remote/git-credentials.ts';
import type { GitSource } from '../../../foundation/git/source/git-source.ts';
import type { JobContext } from '../../../foundation/jobs/handler.ts';
import type { MirrorDeps } from '../mirror-deps.ts';
import type { MirrorTarget } from '../mirror-target.ts';

/** One run of the commit job: the input of all its steps. */
export interface CommitRun {
  readonly deps: MirrorDeps;
  readonly target: MirrorTarget;
  readonly context: JobContext;
  readonly source: GitSource;
  readonly gitDir: string;
  /** Replaced once if the host refuses them: tokens of an App are valid for an hour, and an import may take longer. */
  credentials: GitCredentials | undefined;
}

/** Runs work on the Git host. If the host refuses the credentials, retries once with newer ones, if there are any. */
export async function withCredentials<T>(
  run: CommitRun,
  work: (credentials: { readonly credentials?: GitCredentials }) => Promise<T>,
): Promise<T> {
  const given = (): { readonly credentials?: GitCredentials } =>
    run.credentials === undefined ? {} : { credentials: run.credentials };
  try {
    return await work(given());
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== 'authentication') throw error;
    const newer = await run.deps.credentials(run.target, run.context.signal);
    const refused = run.deps.refused ?? (async (_target, reason) => reason);
    const explained = (reason: unknown) => refused(run.target, reason, run.context.signal);
    if (newer === undefined || isSame(newer, run.credentials)) throw await explained(error);
    run.credentials = newer;
    return work(given()).catch(async (again: unknown) => {
      throw await explained(again);
    });
  }
}

/** Returns what Git needs to connect to the target. */
export function gitOf({
  deps,
  target,
}: {
  readonly deps: Pick<MirrorDeps, 'git' | 'hostedGit'>;
  readonly target: Pick<MirrorTarget, 'organizationId' | 'githostConnectionId'>;
}): GitDeps {
  const git = target.githostConnectionId === undefined ? deps.git : (deps.hostedGit ?? deps.git);
  return { ...git, organizationId: target.organizationId };
}

function isSame(one: GitCredentials, other: GitCredentials | undefined): boolean {
  return one.username === other?.username && one.password === other.password;
}
