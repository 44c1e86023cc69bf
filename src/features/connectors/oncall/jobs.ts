import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import type { ConnectorJobsDeps } from '../port.ts';
import { runSynced, syncHandlers } from '../sync/sync-jobs.ts';
import { keepAlive, subscribe } from './subscription/subscribe.ts';
import { oncallSource } from './sync/oncall-source.ts';
import { oncallKeepAlive, oncallKeepAliveSchedule, oncallSubscribe } from './tasks.ts';

/** Returns the jobs of the connector. Errors stay on a connection until the last step of a comparison (`subscribe`). */
export function oncallJobs(deps: ConnectorJobsDeps): FeatureJobs {
  return {
    handlers: [
      ...syncHandlers(deps, oncallSource(deps)),
      handle(oncallSubscribe, (payload, context) =>
        runSynced(
          deps,
          {
            task: oncallSubscribe,
            payloads: [payload],
            open: deps.openAuthorized,
            work: (connection, refused) => subscribe(deps, connection, refused, context),
          },
          context,
        ),
      ),
      handle(oncallKeepAlive, (_payload, context) => keepAlive(deps, context)),
    ],
    schedules: [oncallKeepAliveSchedule],
  };
}
