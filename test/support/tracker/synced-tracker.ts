import { restoreFiles } from '../../../src/features/connectors/entities/restore-files.ts';
import {
  type ConnectionHealth,
  readHealth,
} from '../../../src/features/connectors/health/connection-health.ts';
import type { ConnectorJobsDeps } from '../../../src/features/connectors/port.ts';
import { saveTokens } from '../../../src/features/connectors/setup/provider-access.ts';
import { connectorJobsDeps } from '../../../src/features/connectors/setup/synced-connection.ts';
import { trackerConfigurationShape } from '../../../src/features/connectors/tracker/configuration.ts';
import { tracker as connector } from '../../../src/features/connectors/tracker/connector.ts';
import { trackerTasks } from '../../../src/features/connectors/tracker/tasks.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import type { BoundTask, JobContext } from '../../../src/foundation/jobs/handler.ts';
import type { JobRow } from '../../../src/foundation/jobs/tables.ts';
import type { ConnectionId, MirrorTargetId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import type { Keyring } from '../../../src/foundation/secrets/keyring.ts';
import type { Tracker } from '../../standins/tracker/tracker.ts';
import { seedOrganization } from '../codesearch/seeded-repositories.ts';
import { openTestDatabase, type TestDatabase } from '../database/databases.ts';
import { testGithosts } from '../git/test-githosts.ts';
import { openTestHttp, openTestIntake, openTestKeyring } from '../http/http-server.ts';
import { runReadyJobs } from '../jobs/run-ready-jobs.ts';
import { branchDeps, type ChangedBranch } from '../mirror/changed-branch.ts';
import { createRemote, type MirrorRemote } from '../mirror/mirror-remote.ts';
import { mirrorDeps, runCommit, targetFor } from '../mirror/mirroring.ts';
import { silentLog } from '../silent-log.ts';
import { connectTracker } from '../webhooks/connected-tracker.ts';

const redirectUri = 'https://ctx.example/api/v1/integrations/tracker/callback';
const secret = 'the webhook secret of the connections';

/** The service with its intake of webhooks, over one database. */
export interface SyncService extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly keyring: Keyring;
  readonly scope: OrgScope;
  /** URL and secret for the webhooks of a stand-in. */
  readonly webhook: { readonly url: string; readonly secret: string };
}

export async function openSyncService(): Promise<SyncService> {
  const database = await openTestDatabase('sqlite');
  const keyring = await openTestKeyring(database);
  const intake = openTestIntake(database, keyring, silentLog);
  const http = await openTestHttp(database, { intake });
  const origin = await http.server.listen({ host: '127.0.0.1', port: 0 });
  return {
    database,
    keyring,
    scope: await seedOrganization(database, 'mirrored'),
    webhook: { url: `${origin}/api/v1/webhook/tracker`, secret },
    async [Symbol.asyncDispose]() {
      await http.server.close();
      await intake.close(0);
      await database.close();
    },
  };
}

export interface ConfigurationParts {
  readonly scope?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
  /** The context repository. Default: a folder. */
  readonly branch?: ChangedBranch;
}

/** A connection whose configuration was merged, with a context repository of its own. */
export interface SyncedTracker {
  readonly id: ConnectionId;
  readonly targetId: MirrorTargetId;
  readonly remote: MirrorRemote;
  readonly handlers: readonly BoundTask[];
  readonly jobs: ConnectorJobsDeps;
  /** Merges another configuration. */
  configure(parts: ConfigurationParts): Promise<void>;
  /** Enqueues a comparison. */
  request(options?: { readonly full?: boolean }): Promise<void>;
  /** Starts a comparison and runs its jobs until none is due. Returns the names of their tasks. */
  sync(options?: { readonly full?: boolean }): Promise<readonly string[]>;
  /** Receives the events of the tracker, then runs their jobs. */
  receive(): Promise<readonly string[]>;
  /** Runs the jobs that are due, by default in their first attempt. */
  run(context?: Partial<JobContext>): Promise<readonly string[]>;
  /** Commits what waits, and returns path and content of all files. */
  files(): Promise<Readonly<Record<string, string>>>;
  /** The paths of all files after a commit. */
  paths(): Promise<readonly string[]>;
  /** The state of the connection and of its runs. */
  status(): Promise<Readonly<Record<'state' | 'error' | 'syncError' | 'last_sync_at', unknown>>>;
  /** What its record says of failures. */
  errors(): Promise<ConnectionHealth['errors']>;
  /** Lets the time pass until which the provider limits requests. */
  endPause(): Promise<void>;
  /** The jobs of its content that wait, run or are dead. */
  waiting(): Promise<readonly Pick<JobRow, 'task' | 'state' | 'run_at' | 'attempts'>[]>;
}

/** Connects a workspace. `parts`: the merged configuration; by default all teams and every family. */
export async function syncTracker(
  service: SyncService,
  tracker: Tracker,
  parts: ConfigurationParts = {},
): Promise<SyncedTracker> {
  const { database, keyring, scope } = service;
  const { queries } = database;
  const app = tracker.addApp(redirectUri);
  const providerSettings = {
    ...tracker.settings,
    TRACKER_CLIENT_ID: app.clientId,
    TRACKER_CLIENT_SECRET: app.clientSecret,
  };
  const clock = tracker.workspace.now;
  const deps = { ...testGithosts(database, keyring, { clock }), providerSettings };
  const jobs = connectorJobsDeps(deps, connector);
  const { handlers } = connector.jobs(jobs);
  const { branch } = parts;
  const remote = branch?.remote ?? createRemote();
  const target = await targetFor(database, scope, branch?.source ?? remote.folder, branch?.access);
  let isRestoring = false;
  const mirroring = mirrorDeps(database, {
    async restore(tx, { id: targetId }, lost) {
      isRestoring = true;
      await restoreFiles(tx, [connector], { id: targetId }, lost);
    },
    ...(branch && branchDeps(branch.access)),
  });
  const id = await connectTracker(database, keyring, {
    orgSlug: scope.orgSlug,
    account: tracker.workspace.id,
    secret,
  });
  tracker.webhooks.webhook = service.webhook;
  const tokens = {
    ...tracker.oauth.issue(app),
    expiresAt: clock() + tracker.oauth.accessTokenSeconds * 1_000,
  };
  await saveTokens(queries, keyring, id, tokens, clock());

  const synced: SyncedTracker = {
    id,
    targetId: target.id,
    remote,
    handlers,
    jobs,
    async configure({ scope: chosen, content = {} }) {
      const live = trackerConfigurationShape.parse({
        scope: { teams: ['*'], ...chosen },
        content: { customerRequests: true, ...content },
        assets: { uploads: false, embedded: false },
      });
      const binding = {
        githost_connection_id: 'githost',
        host_repository_id: '1',
        repository: 'acme/context',
        branch: 'main',
        target_id: target.id,
        scope: JSON.stringify(live.scope),
        live_config: JSON.stringify(live),
        live_commit: 'a',
      };
      await queries.updateTable('connections').set(binding).where('id', '=', id).execute();
    },
    async request({ full = false } = {}) {
      await enqueue(queries, trackerTasks.content, { connectionId: id, full }, { runAt: 0 });
    },
    async sync(options) {
      await synced.request(options);
      return runReadyJobs(database, handlers);
    },
    async receive() {
      await tracker.webhooks.settled();
      return runReadyJobs(database, handlers);
    },
    run: (context) => runReadyJobs(database, handlers, context),
    async files() {
      do {
        isRestoring = false;
        await runCommit(mirroring, target.id);
        if (isRestoring) await runReadyJobs(database, handlers);
      } while (isRestoring);
      return remote.files();
    },
    paths: async () => Object.keys(await synced.files()).toSorted(),
    status: () =>
      queries
        .selectFrom('connections')
        .select(['state', 'error', 'sync_error as syncError', 'last_sync_at'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    errors: async () => (await readHealth(queries, [{ id, binding: undefined }])).get(id)?.errors ?? [],
    async endPause() {
      await queries.updateTable('connection_notes').set({ at: 0 }).where('topic', '=', 'limit').execute();
      await queries.updateTable('jobs').set({ run_at: 0 }).where('state', '=', 'ready').execute();
    },
    waiting: () =>
      queries
        .selectFrom('jobs')
        .select(['task', 'state', 'run_at', 'attempts'])
        .where('payload', 'like', `%${id}%`)
        .where(
          'task',
          'in',
          handlers.map(({ task }) => task.name),
        )
        .execute(),
  };
  await synced.configure(parts);
  return synced;
}
