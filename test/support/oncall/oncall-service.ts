import { requireConnection } from '../../../src/features/connectors/connections/connection-store.ts';
import type { SetupDeps } from '../../../src/features/connectors/connections/connections-deps.ts';
import { createConnection } from '../../../src/features/connectors/connections/create-connection.ts';
import { saveApp } from '../../../src/features/connectors/connections/save-app.ts';
import { restoreFiles } from '../../../src/features/connectors/entities/restore-files.ts';
import { oncallConfigurationShape } from '../../../src/features/connectors/oncall/configuration.ts';
import { oncall as connector } from '../../../src/features/connectors/oncall/connector.ts';
import { oncallTasks } from '../../../src/features/connectors/oncall/tasks.ts';
import {
  beginAuthorization,
  finishAuthorization,
} from '../../../src/features/connectors/setup/authorize-connection.ts';
import { connectorJobsDeps } from '../../../src/features/connectors/setup/synced-connection.ts';
import { enqueue } from '../../../src/foundation/jobs/enqueue.ts';
import type { BoundTask, JobContext } from '../../../src/foundation/jobs/handler.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { ConnectionId, MirrorTargetId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import type { HttpClient } from '../../../src/foundation/net/http.ts';
import { type Oncall, startOncall } from '../../standins/oncall/oncall.ts';
import type { OncallRegion } from '../../standins/oncall/rest-host.ts';
import type { Region } from '../../standins/oncall/types.ts';
import { seedOrganization } from '../codesearch/seeded-repositories.ts';
import { testSetup } from '../connectors/test-setup.ts';
import { openTestDatabase, type TestDatabase } from '../database/databases.ts';
import { testGithosts } from '../git/test-githosts.ts';
import { openTestHttp, openTestIntake, openTestKeyring } from '../http/http-server.ts';
import { runReadyJobs } from '../jobs/run-ready-jobs.ts';
import { branchDeps, type ChangedBranch } from '../mirror/changed-branch.ts';
import { createRemote, type MirrorRemote } from '../mirror/mirror-remote.ts';
import { mirrorDeps, runCommit, targetFor } from '../mirror/mirroring.ts';
import { silentLog } from '../silent-log.ts';

/** The service with its intake of webhooks, and the oncall provider. */
export interface OncallService extends AsyncDisposable {
  readonly oncall: Oncall;
  readonly database: TestDatabase;
  readonly setup: SetupDeps;
  readonly handlers: readonly BoundTask[];
  /** Writes what the intake recorded of rejected webhooks. It receives no more then. */
  closeIntake(): Promise<void>;
  /** The address of the webhooks. */
  readonly webhookUrl: string;
  /** Requests whose time-out is half a second; nothing else may depend on such a short one. */
  hurried: RegExp | undefined;
  /** Moves the clocks of the service and the provider. */
  advance(ms: number): void;
  /** Creates a connection with an app of its own in the account of a region. `branch`: default: a folder. */
  draft(region?: Region, orgSlug?: string, branch?: ChangedBranch): Promise<OncallConnection>;
  /** Runs the jobs that are due, by default in their first attempt. Returns the names of their tasks. */
  run(context?: Partial<JobContext>): Promise<readonly string[]>;
}

/** A connection to the account of a region. */
export interface OncallConnection extends OncallRegion {
  readonly id: ConnectionId;
  readonly targetId: MirrorTargetId;
  readonly scope: OrgScope;
  /** Authorizes the account as a person does in a browser, and runs the jobs that follow. */
  authorize(): Promise<void>;
  /** Merges a configuration of some services, with a context repository of its own. */
  configure(services: readonly string[], more?: Readonly<Record<string, unknown>>): Promise<void>;
  /** Enqueues a comparison. */
  request(options?: { readonly full?: boolean }): Promise<void>;
  /** Starts a comparison and runs its jobs until none is due. */
  sync(options?: { readonly full?: boolean }): Promise<readonly string[]>;
  /** Receives the events of the provider, then runs their jobs. */
  receive(): Promise<readonly string[]>;
  /** Takes the changes that wait for a commit, and returns path and content of all files. */
  files(): Promise<Readonly<Record<string, string>>>;
  /** Commits what waits, and returns path and content of all files. Not together with `files`. */
  committed(): Promise<Readonly<Record<string, string>>>;
  row(): ReturnType<typeof requireConnection>;
}

interface Drafted {
  readonly id: ConnectionId;
  readonly scope: OrgScope;
  readonly remote: MirrorRemote;
  readonly targetId: MirrorTargetId;
  readonly branch: ChangedBranch | undefined;
}

const { signal } = new AbortController();

/** @param address of a server in another process that receives the webhooks. Default: one in this process. */
export async function openOncallService(address?: string): Promise<OncallService> {
  const own = await openTestDatabase('sqlite');
  const oncall = await startOncall();
  const keyring = await openTestKeyring(own);
  const intake = openTestIntake(own, keyring, silentLog);
  const served = await openTestHttp(own, { intake });
  const baseUrl = address ?? (await served.server.listen({ host: '127.0.0.1', port: 0 }));
  let skewMs = 0;
  const clock = (): number => systemClock() + skewMs;
  const githosts = testGithosts(own, keyring, { clock, baseUrl });
  const providerSettings = oncall.settings;
  const setup = testSetup(own, keyring, { githosts, connectors: [connector], providerSettings, baseUrl });
  const http: HttpClient = {
    ...githosts.provider.http,
    request: (options) =>
      githosts.provider.http.request({
        ...options,
        ...(service.hurried?.test(options.url) === true && { timeoutMs: 500 }),
      }),
  };
  const provider = { ...githosts.provider, http };
  const jobsDeps = connectorJobsDeps({ ...githosts, provider, providerSettings }, connector);
  const { handlers } = connector.jobs(jobsDeps);
  const scopes = new Map<string, OrgScope>();
  let connections = 0;

  const service: OncallService = {
    oncall,
    database: own,
    setup,
    handlers,
    hurried: undefined,
    closeIntake: () => intake.close(1_000),
    webhookUrl: `${baseUrl}/api/v1/webhook/oncall`,
    advance(ms) {
      skewMs += ms;
      for (const { account } of [oncall.us, oncall.eu]) account.advance(ms);
    },
    async draft(region = 'us', orgSlug = 'incidents', branch) {
      const scope = scopes.get(orgSlug) ?? (await seedOrganization(own, orgSlug));
      scopes.set(orgSlug, scope);
      connections += 1;
      const id = await createConnection(setup, scope, { kind: 'oncall', name: `oncall ${connections}` });
      const app = oncall.addApp(region, `${setup.baseUrl}/api/v1/integrations/oncall/callback`);
      await saveApp(setup, scope, id, app);
      const remote = branch?.remote ?? createRemote();
      const target = await targetFor(own, scope, branch?.source ?? remote.folder, branch?.access);
      return connectionOf({ id, scope, remote, targetId: target.id, branch }, oncall[region]);
    },
    run: (context) => runReadyJobs(own, handlers, context),
    async [Symbol.asyncDispose]() {
      await oncall.close();
      await served.server.close();
      await intake.close(0);
      await own.close();
    },
  };

  function connectionOf(
    { id, scope, remote, targetId, branch }: Drafted,
    region: OncallRegion,
  ): OncallConnection {
    let isRestoring = false;
    const mirroring = mirrorDeps(own, {
      async restore(tx, target, lost) {
        isRestoring = true;
        await restoreFiles(tx, [connector], target, lost);
      },
      ...(branch && branchDeps(branch.access)),
    });
    const present = new Map<string, string>();
    return {
      ...region,
      id,
      targetId,
      scope,
      async authorize() {
        const page = await oncall.visit(await beginAuthorization(setup, scope, id, signal));
        const given = (name: string) => page.searchParams.get(name) ?? undefined;
        const response = { state: given('state'), code: given('code'), error: given('error') };
        await finishAuthorization(setup, 'oncall', { ...response, errorDescription: undefined }, signal);
        await service.run();
      },
      async configure(services, more = {}) {
        const { content = {}, ...rest } = more;
        const live = oncallConfigurationShape.parse({
          scope: { services: services.map((each) => ({ id: each })), ...rest },
          content,
        });
        const binding = {
          state: 'connected' as const,
          githost_connection_id: 'githost',
          host_repository_id: '1',
          repository: 'acme/context',
          branch: 'main',
          target_id: targetId,
          scope: JSON.stringify(live.scope),
          live_config: JSON.stringify(live),
          live_commit: 'a',
        };
        await own.queries.updateTable('connections').set(binding).where('id', '=', id).execute();
      },
      async request({ full = false } = {}) {
        await enqueue(own.queries, oncallTasks.content, { connectionId: id, full }, { runAt: 0 });
      },
      async sync(options) {
        await this.request(options);
        return service.run();
      },
      async receive() {
        await region.subscriptions.settled();
        return service.run();
      },
      async files() {
        const changes = await own.queries
          .deleteFrom('mirror_changes')
          .where('target_id', '=', targetId)
          .returning(['path', 'content'])
          .execute();
        for (const { path, content } of changes) {
          if (content === null) present.delete(path);
          else present.set(path, content.toString('utf8'));
        }
        return Object.fromEntries([...present].toSorted(([a], [b]) => (a < b ? -1 : 1)));
      },
      async committed() {
        do {
          isRestoring = false;
          await runCommit(mirroring, targetId);
          if (isRestoring) await service.run();
        } while (isRestoring);
        return remote.files();
      },
      row: () => requireConnection(own.queries, scope, id),
    };
  }

  return service;
}
