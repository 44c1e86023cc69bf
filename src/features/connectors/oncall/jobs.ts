import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import type { ConnectorJobsDeps } from '../port.ts';
import { runSynced, syncHandlers } from '../sync/sync-jobs.ts';
import { oncallRecords } from './records/records.ts';
import { keepAlive, subscribe } from './subscription/subscribe.ts';
import { openOncallReader } from './sync/oncall-source.ts';
import { oncallKeepAlive, oncallKeepAliveSchedule, oncallSubscribe, oncallTasks } from './tasks.ts';

/** Returns the jobs of the connector. Errors stay on a connection until the last step of a comparison (`subscribe`). */
export function oncallJobs(deps: ConnectorJobsDeps): FeatureJobs {
  return {
    handlers: [
      ...syncHandlers(deps, oncallTasks, oncallRecords, (job) => openOncallReader(deps, job)),
      handle(oncallSubscribe, (payload, context) => {
        const jobs = { task: oncallSubscribe, payloads: [payload], open: deps.openAuthorized };
        return runSynced(deps, context, jobs, (...opened) => subscribe(deps, context, ...opened));
      }),
      handle(oncallKeepAlive, (_payload, context) => keepAlive(deps, context)),
    ],
    schedules: [oncallKeepAliveSchedule],
  };
}
