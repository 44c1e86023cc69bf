import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import type { ConnectorJobsDeps } from '../port.ts';
import { runSynced } from '../sync/run-synced.ts';
import { keepAlive, subscribe } from './subscription/subscribe.ts';
import { openSession } from './sync/session.ts';
import { syncContent } from './sync/sync-content.ts';
import { syncIncident } from './sync/sync-incident.ts';
import {
  oncallKeepAlive,
  oncallKeepAliveSchedule,
  oncallSubscribe,
  oncallSyncContent,
  oncallSyncIncremental,
} from './tasks.ts';

/** Errors of its jobs stand on a connection until a comparison ends with its last step (`subscribe`). */
export function oncallJobs(deps: ConnectorJobsDeps): FeatureJobs {
  return {
    handlers: [
      handle(oncallSyncIncremental, (payload, context) =>
        runSynced(
          deps,
          {
            task: oncallSyncIncremental,
            payloads: [payload],
            open: deps.open,
            work: (connection, refused) =>
              syncIncident(openSession(deps, connection, context, refused), payload),
          },
          context,
        ),
      ),
      handle(oncallSyncContent, (payload, context) =>
        runSynced(
          deps,
          {
            task: oncallSyncContent,
            payloads: [payload],
            isRepeated: true,
            open: deps.open,
            work: (connection, refused) =>
              syncContent(deps, openSession(deps, connection, context, refused), payload.full),
          },
          context,
        ),
      ),
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
