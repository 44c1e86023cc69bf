import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import { FilesCache } from './files-cache.ts';
import { type ProjectionDeps, projectRepository } from './project-repository.ts';
import { basisOf, readMark } from './projection-mark.ts';
import { repositoryProject } from './tasks.ts';

export function knowledgeJobs(deps: { readonly projection: ProjectionDeps }): FeatureJobs {
  const cache = new FilesCache();
  // What was enqueued by this process: a repository that fails is not retried at every interval.
  const enqueued = new Map<string, string>();
  return {
    handlers: [
      handle(repositoryProject, (payload, context) =>
        projectRepository(deps.projection, cache, payload, context),
      ),
    ],
    reconciler: {
      subject: 'the knowledge graph',
      prepare: async () => undefined,
      reconcile: (signal) => enqueueMissing(deps.projection, enqueued, signal),
    },
  };
}

/** Enqueues the projection of repositories that the graph lacks or that changed, for example after it was deleted. */
async function enqueueMissing(
  { repositories, derived }: ProjectionDeps,
  enqueued: Map<string, string>,
  signal: AbortSignal,
): Promise<void> {
  for await (const { payload, repository } of repositories.list()) {
    signal.throwIfAborted();
    const basis = basisOf(repository);
    const mark = await readMark(derived, repository.id);
    const isDone =
      mark?.commit === repository.commit &&
      mark.target === undefined &&
      mark.rest === undefined &&
      mark.basis.startsWith(`${basis}.`);
    const wanted = `${repository.commit} ${basis}`;
    if (isDone || enqueued.get(repository.id) === wanted) continue;
    // The mark names the input of the last run.
    const isSameInput =
      (mark?.target ?? mark?.commit) === repository.commit && mark?.basis.startsWith(`${basis}.`);
    if (isSameInput && (await repositories.hasStopper(payload))) continue;
    await repositories.enqueue(payload);
    enqueued.set(repository.id, wanted);
  }
}
