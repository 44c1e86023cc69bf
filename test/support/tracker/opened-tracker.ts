import {
  type ApiDeps,
  createRateBudget,
} from '../../../src/features/connectors/tracker/client/send-query.ts';
import {
  openTrackerClient,
  type TrackerClient,
} from '../../../src/features/connectors/tracker/client/tracker-client.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import { startTracker, type Tracker, type TrackerOptions } from '../../standins/tracker/tracker.ts';

const redirectUri = 'https://orgctx.example/api/v1/integrations/tracker/callback';

/** A tracker with a client that has valid tokens. */
export interface OpenedTracker extends AsyncDisposable {
  readonly tracker: Tracker;
  readonly client: TrackerClient;
  /** Opens another client, such as one with other tokens. */
  open(deps?: Partial<ApiDeps>): TrackerClient;
}

export async function openTracker(options?: TrackerOptions): Promise<OpenedTracker> {
  const tracker = await startTracker(options);
  const http = createHttpClient({ allowHosts: [] });
  const { accessToken } = tracker.oauth.issue(tracker.addApp(redirectUri));
  const open = (deps: Partial<ApiDeps> = {}): TrackerClient =>
    openTrackerClient({
      apiUrl: tracker.settings.TRACKER_API_URL,
      http,
      budget: createRateBudget(tracker.workspace.now),
      accessToken: () => Promise.resolve(accessToken),
      signal: new AbortController().signal,
      ...deps,
    });
  return {
    tracker,
    client: open(),
    open,
    async [Symbol.asyncDispose]() {
      await http.close();
      await tracker.close();
    },
  };
}
