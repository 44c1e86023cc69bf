import { repairRepositories } from '../features/repositories/repair-repositories.ts';
import type { WorkDeps } from '../features/repositories/repository-work.ts';
import { Unavailable } from '../foundation/kernel/errors.ts';
import type { Logger } from '../foundation/telemetry/logger.ts';

/**
 * Repairs repositories at the start of a worker. Where the code search service is away, that is no reason for a worker
 * not to clone and mirror meanwhile: the repair is then made up by `again`, which does nothing once it is done.
 */
export async function repairWhenReachable(deps: WorkDeps, log: Logger): Promise<{ again(): Promise<void> }> {
  let isDone = false;
  const again = async (): Promise<void> => {
    if (isDone) return;
    await repairRepositories(deps);
    isDone = true;
  };
  try {
    await again();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    log.warn({ err: error }, 'repositories are looked through once code search can be reached');
  }
  return { again };
}
