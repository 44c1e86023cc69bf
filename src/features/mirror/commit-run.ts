import type { GitCredentials } from '../../foundation/git/git-credentials.ts';
import { GitError } from '../../foundation/git/git-error.ts';
import type { GitSource } from '../../foundation/git/git-source.ts';
import type { JobContext } from '../../foundation/jobs/handler.ts';
import type { MirrorDeps } from './mirror-deps.ts';
import type { MirrorTarget } from './mirror-target.ts';

/** One run of the commit job: what all its steps need. */
export interface CommitRun {
  readonly deps: MirrorDeps;
  readonly target: MirrorTarget;
  readonly context: JobContext;
  readonly source: GitSource;
  readonly gitDir: string;
  /** Replaced once where the host no longer takes them: tokens of an App live for an hour, and imports may be longer. */
  credentials: GitCredentials | undefined;
}

/** Goes to the Git host; where it refuses the credentials and newer ones are to be had, once more with those. */
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
    const newer = await run.deps.credentials(run.target);
    if (newer === undefined || isSame(newer, run.credentials)) throw error;
    run.credentials = newer;
    return work(given());
  }
}

function isSame(one: GitCredentials, other: GitCredentials | undefined): boolean {
  return one.username === other?.username && one.password === other.password;
}
