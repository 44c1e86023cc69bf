import type { Reconciler } from '../../../foundation/jobs/feature-jobs.ts';
import { Unavailable } from '../../../foundation/kernel/errors.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { reconcileRepositories } from './reconcile-repositories.ts';
import { repairRepositories } from './repair-repositories.ts';
import type { WorkDeps } from './repository-work.ts';

/**
 * Repairs all repositories before the worker starts. If the code search service is unreachable then, the worker starts
 * anyway, because it can clone and mirror meanwhile, and the first reconciliation that reaches the service repairs
 * them.
 */
export function repositoriesReconciler(deps: WorkDeps, log: Logger): Reconciler {
  let isRepaired = false;
  const repair = async (): Promise<void> => {
    if (isRepaired) return;
    await repairRepositories(deps);
    isRepaired = true;
  };
  return {
    subject: 'repositories',
    async prepare() {
      try {
        await repair();
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        log.warn({ err: error }, 'repositories will be repaired once code search can be reached');
      }
    },
    async reconcile() {
      await repair();
      await reconcileRepositories(deps);
    },
  };
}
