import type { SetupDeps } from '../../../src/features/connectors/connections/connections-deps.ts';
import { sharedConnectorJobs } from '../../../src/features/connectors/jobs.ts';
import type { Connector } from '../../../src/features/connectors/port.ts';
import { connectorJobsDeps } from '../../../src/features/connectors/setup/synced-connection.ts';
import { addGithost } from '../../../src/features/githosts/add-githost.ts';
import type { GithostsDeps } from '../../../src/features/githosts/githosts-deps.ts';
import { finishInstallation, installUrlOf } from '../../../src/features/githosts/install-githost.ts';
import type { BoundTask } from '../../../src/foundation/jobs/handler.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import type { OrganizationId } from '../../../src/foundation/kernel/ids.ts';
import type { OrgScope } from '../../../src/foundation/kernel/org-scope.ts';
import type { Logger } from '../../../src/foundation/telemetry/logger.ts';
import { pageRoutes } from '../../../src/surfaces/pages/page-routes.ts';
import { type Githost, type HostedRepository, startGithost } from '../../standins/githost/githost.ts';
import type { Flavour } from '../../standins/githost/model.ts';
import { toy } from '../../standins/toy-connector.ts';
import { startToyProvider, type ToyProvider } from '../../standins/toy-provider.ts';
import { openTestDatabase, type TestDatabase } from '../database/databases.ts';
import { testGithosts } from '../git/test-githosts.ts';
import { freePort } from '../http/free-port.ts';
import { openTestHttp, openTestIntake, openTestKeyring, type TestHttp } from '../http/http-server.ts';
import { noLimits } from '../http/no-limits.ts';
import { testPagesDeps } from '../http/pages.ts';
import { openTestAuthorizationServer } from '../identity/authorization-server.ts';
import { jobContext } from '../jobs/job-context.ts';
import { runReadyJobs } from '../jobs/run-ready-jobs.ts';
import { silentLog } from '../silent-log.ts';
import { testSetup } from './test-setup.ts';

/** A service with one connector, by default the toy, the toy's provider and a Git host, each behind a real socket. */
export interface ConnectorSetupTest extends AsyncDisposable {
  readonly database: TestDatabase;
  /** Origin of the service. */
  readonly baseUrl: string;
  readonly http: TestHttp;
  readonly provider: ToyProvider;
  readonly githost: Githost;
  readonly setup: SetupDeps;
  /** The Git-host connection of acme. */
  readonly githostId: string;
  readonly repository: HostedRepository;
  /** Moves the clock of the service. */
  advance(ms: number): void;
  /** Sends a REST request as an admin of acme, and returns its status and body. */
  rest(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object): Promise<Answer>;
  /** Adds a Git-host connection to another organization. */
  connectGlobex(): Promise<string>;
  /** Follows the redirects of an authorization as a browser does, and returns the last page. */
  browse(url: string): Promise<{ readonly status: number; readonly text: string }>;
  /** Runs the jobs of the connector that are due. Returns the names of their tasks. */
  connectorJobs(): Promise<readonly string[]>;
  /** Runs all ready jobs of connections until none is left. Returns the names of their tasks. */
  runJobs(): Promise<readonly string[]>;
  /** One round of the schedule of the worker, then its jobs. */
  poll(): Promise<readonly string[]>;
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const context = 'octo-org/context';

export interface ConnectorSetupOptions {
  readonly flavour?: Flavour;
  readonly files?: Readonly<Record<string, string>>;
  /** True if the deployment provides no app, so that connections need one of their own. */
  readonly withoutApp?: boolean;
  /** Default: the toy. */
  readonly connector?: Connector;
  /** Settings of the connector. Default: those of the toy. */
  readonly settings?: Readonly<Record<string, string>>;
}

export async function openConnectorSetup(options: ConnectorSetupOptions = {}): Promise<ConnectorSetupTest> {
  const { flavour = 'gitea', files = { 'README.md': 'Ours\n' }, connector = toy, settings } = options;
  const database = await openTestDatabase('sqlite');
  const keyring = await openTestKeyring(database);
  const provider = await startToyProvider();
  const githost = await startGithost({ flavour });
  let skewMs = 0;
  const clock = (): number => systemClock() + skewMs;
  const allowHosts = [new URL(githost.origin).host];
  const githosts: GithostsDeps = { ...testGithosts(database, keyring, { allowHosts, clock }) };
  const app = { TOY_CLIENT_ID: provider.clientId, TOY_CLIENT_SECRET: provider.clientSecret };
  const toySettings = { TOY_URL: provider.origin, ...(options.withoutApp === true ? {} : app) };
  const providerSettings = settings ?? toySettings;
  const connectors = [connector];
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const own: GithostsDeps = { ...githosts, baseUrl };
  const setup = testSetup(database, keyring, { githosts: own, connectors, providerSettings, baseUrl });
  const intake = openTestIntake(database, keyring, silentLog, { githosts: own, connectors });
  const oauth = await openTestAuthorizationServer(database, { baseUrl });
  const pages = pageRoutes(testPagesDeps(database, { baseUrl, oauth, githosts: own, connections: setup }));
  const http = await openTestHttp(database, {
    baseUrl,
    limits: noLimits,
    oauth,
    githosts: own,
    connections: setup,
    intake,
    plugins: [{ name: 'pages', plugin: pages }],
  });
  await http.server.listen({ host: '127.0.0.1', port });
  provider.redirectUris.add(`${baseUrl}/api/v1/integrations/toy/callback`);

  const { fields, repository, installationId } = openContext(githost, flavour, files);
  const scopeOf = async (slug: string): Promise<OrgScope> => {
    const { id } = await database.queries
      .selectFrom('organizations')
      .select('id')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow();
    return { organizationId: id as OrganizationId, orgSlug: slug };
  };
  const connect = async (slug: string): Promise<string> => {
    const scope = await scopeOf(slug);
    const wanted = { kind: flavour, fields };
    const { signal } = new AbortController();
    const actor = { kind: 'host' } as const;
    const added = await addGithost(own, scope, actor, wanted, signal);
    if (installationId !== undefined) {
      const link = new URL(await installUrlOf(own, scope, actor, added.id, signal));
      const state = link.searchParams.get('state') ?? '';
      await finishInstallation(own, { installationId, state }, signal);
    }
    return added.id;
  };
  const githostId = await connect('acme');
  const jobDeps = { ...setup, dataDir: setup.git.dataDir, syncIntervalMs: 900_000 };
  const shared = sharedConnectorJobs(jobDeps);
  const ofConnector = connector.jobs(connectorJobsDeps(jobDeps, connector));

  const test: ConnectorSetupTest = {
    database,
    baseUrl,
    http,
    provider,
    githost,
    setup,
    githostId,
    repository,
    connectorJobs: () => runReadyJobs(database, ofConnector.handlers),
    advance: (ms) => void (skewMs += ms),
    async rest(method, path, payload) {
      const url = `/acme/api/v1${path}`;
      const response = await http.call({ method, url, as: 'admin', ...(payload && { payload }) });
      return { status: response.statusCode, body: response.body === '' ? {} : response.json() };
    },
    connectGlobex: () => connect('globex'),
    async browse(url) {
      const response = await fetch(url);
      return { status: response.status, text: await response.text() };
    },
    runJobs: () => runJobs(database, shared.handlers, silentLog),
    async poll() {
      await shared.reconciler?.reconcile(new AbortController().signal);
      return test.runJobs();
    },
    async [Symbol.asyncDispose]() {
      await http.server.close();
      await intake.close(0);
      await githost.close();
      await provider.close();
      await database.close();
    },
  };
  return test;
}

function openContext(githost: Githost, flavour: Flavour, files: Readonly<Record<string, string>>) {
  const repository = githost.addRepository(context, { files });
  if (flavour === 'github') {
    const { app, privateKey } = githost.addApp();
    const installation = githost.install(app, 'octo-org');
    return {
      repository,
      installationId: String(installation.id),
      fields: { url: githost.origin, appId: String(app.id), privateKey },
    };
  }
  githost.addUser('bot', 'bot-token-0123456789');
  repository.access.set('bot', 'admin');
  const user = flavour === 'https' ? { user: 'bot' } : {};
  return {
    repository,
    installationId: undefined,
    fields: { url: githost.origin, token: 'bot-token-0123456789', ...user },
  };
}

async function runJobs(
  database: TestDatabase,
  handlers: readonly BoundTask[],
  log: Logger,
): Promise<readonly string[]> {
  const ran: string[] = [];
  for (;;) {
    const job = await database.queries
      .selectFrom('jobs')
      .select(['id', 'task', 'payload', 'attempts'])
      .where(
        'task',
        'in',
        handlers.map(({ task }) => task.name),
      )
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (job === undefined) return ran;
    const bound = handlers.find(({ task }) => task.name === job.task);
    ran.push(job.task);
    await bound?.run([{ id: job.id, payload: JSON.parse(job.payload) }], jobContext({ log }));
    await database.queries.deleteFrom('jobs').where('id', '=', job.id).execute();
  }
}
