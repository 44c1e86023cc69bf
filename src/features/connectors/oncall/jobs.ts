import type { FeatureJobs } from '../../../foundation/jobs/feature-jobs.ts';
import { handle } from '../../../foundation/jobs/handler.ts';
import type { ConnectorJobsDeps } from '../port.ts';
import { keepAlive, subscribe } from './subscription/subscribe.ts';
import { runSynced } from './sync/run-synced.ts';
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

export function oncallJobs(deps: ConnectorJobsDeps): FeatureJobs {
  return {
    handlers: [
      handle(oncallSyncIncremental, (payload, context) =>
        runSynced(deps, oncallSyncIncremental, payload, context, {
          open: deps.open,
          work: (connection) => syncIncident(deps, openSession(deps, connection, context), payload),
        }),
      ),
      handle(oncallSyncContent, (payload, context) =>
        runSynced(deps, oncallSyncContent, payload, context, {
          open: deps.open,
          work: (connection) => syncContent(deps, openSession(deps, connection, context), payload.full),
        }),
      ),
      handle(oncallSubscribe, (payload, context) =>
        runSynced(deps, oncallSubscribe, payload, context, {
          open: deps.openAuthorized,
          work: (connection) => subscribe(deps, connection, context),
        }),
      ),
      handle(oncallKeepAlive, (_payload, context) => keepAlive(deps, context)),
    ],
    schedules: [oncallKeepAliveSchedule],
  };
}
