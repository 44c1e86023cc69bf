import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import { type PruneDeps, pruneDeliveries } from './prune-deliveries.ts';
import { deliveriesPrune, deliveriesPruneSchedule } from './tasks.ts';

export function intakeJobs(deps: PruneDeps): FeatureJobs {
  return {
    handlers: [
      handle(deliveriesPrune, async (_payload, { signal }) => void (await pruneDeliveries(deps, signal))),
    ],
    schedules: [deliveriesPruneSchedule],
  };
}
