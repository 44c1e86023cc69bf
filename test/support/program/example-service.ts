import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { admitUser } from '../../../src/features/identity/people/admit-user.ts';
import { findOrganization } from '../../../src/features/identity/people/organization-store.ts';
import { openDatabase } from '../../../src/foundation/db/open-database.ts';
import { systemClock } from '../../../src/foundation/kernel/clock.ts';
import { type Githost, type HostedRepository, startGithost } from '../../standins/githost/githost.ts';
import { type Oncall, startOncall } from '../../standins/oncall/oncall.ts';
import { startTracker, type Tracker } from '../../standins/tracker/tracker.ts';
import { seedRepository } from '../codesearch/seeded-repositories.ts';
import { createRepository } from '../git/git-repository.ts';
import { silentLog } from '../silent-log.ts';
import { fillWorkspace } from '../tracker/example-workspace.ts';
import { type Quickstart, startQuickstart } from './program.ts';

/** The program, started from its source, with an organization in which everything has something to show. */
export interface ExampleService extends AsyncDisposable {
  readonly result: Quickstart;
  readonly tracker: Tracker;
  readonly oncall: Oncall;
  readonly githost: Githost;
  /** A repository for the records of a further connection. */
  readonly context: HostedRepository;
  /** Id of a connected connection. */
  readonly connectionId: string;
  /** Sends a REST request of the organization; fails if it is refused. */
  rest<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
}

const hostToken = 'bot-token-0123456789';
const webhookSecret = 'tracker-webhook-secret';
const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Returns source files of this project, as the content of a repository. */
function projectFiles(folder: string): Readonly<Record<string, string>> {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  const code = paths.filter((path) => /\.(?:ts|md)$/.test(path));
  return Object.fromEntries(
    code.map((path) => [join(folder, path), readFileSync(join(root, folder, path), 'utf8')]),
  );
}

export async function openExampleService(): Promise<ExampleService> {
  await using opened = new AsyncDisposableStack();
  const tracker = opened.use(await startTracker());
  const oncall = opened.use(await startOncall());
  const githost = await startGithost({ flavour: 'gitea' });
  opened.defer(() => githost.close());
  githost.addUser('bot', hostToken);
  const [records, context, hidden] = ['octo-org/records', 'octo-org/context', 'octo-org/hidden'].map(
    (name) => {
      const repository = githost.addRepository(name, { files: { 'README.md': `# ${name}\n` } });
      repository.access.set('bot', 'admin');
      return repository;
    },
  );
  if (records === undefined || context === undefined || hidden === undefined)
    throw new Error('no repositories');
  const { issue } = fillWorkspace(tracker.workspace);
  const shop = oncall.us.account.addService('Shop', { description: 'The web shop' });
  oncall.us.account.incidents.trigger(shop, { title: 'Checkout returns 500', quiet: true });

  const env = {
    ...tracker.settings,
    ...oncall.settings,
    OUTBOUND_ALLOW_HOSTS: new URL(githost.origin).host,
  };
  const source = createRepository(projectFiles('src/foundation/jobs'));
  source.commit(
    { 'scripts/deploy.py': python, 'go/lease.go': go },
    `Deploy from Python, see ${String(issue['identifier'])}`,
  );
  const service = await startQuickstart([source.folder], {
    env,
    program: join(root, 'bin/orgctx.ts'),
    timeoutMs: 300_000,
  });
  opened.defer(async () => void (await service.stop()));
  const { result } = service;

  async function rest<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${result.baseUrl}/${result.orgSlug}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${result.apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text === '' ? '{}' : text) as Answer;
  }

  const host = await rest<{ id: string }>('POST', '/githost/connections', {
    kind: 'gitea',
    url: githost.origin,
    token: hostToken,
  });
  const {
    id: connectionId,
    redirectUri,
    webhookUrl,
  } = await rest<Readonly<Record<string, string>>>('POST', '/connections', { kind: 'tracker' });
  if (connectionId === undefined || redirectUri === undefined) throw new Error('no connection');
  const path = `/connections/${connectionId}`;
  const { clientId, clientSecret } = tracker.addApp(redirectUri);
  await rest('PUT', `${path}/app`, { clientId, clientSecret, webhookSecret });
  const { authorizationUrl } = await rest<{ authorizationUrl: string }>('POST', `${path}/authorize`);
  await fetch(authorizationUrl);
  const binding = { githostConnectionId: host.id, repository: 'octo-org/records', scope: { teams: ['ENG'] } };
  await rest('POST', `${path}/pull-request`, { binding });
  githost.merge(records, 1);
  await until(async () => (await rest<{ state: string }>('GET', `${path}/status`)).state === 'connected');
  await until(() => records.bare.read('main', 'tracker/issues/ENG/ENG-1.md') !== undefined);
  tracker.webhooks.webhook = { url: webhookUrl ?? '', secret: webhookSecret };
  tracker.workspace.update(issue, { title: 'Ranking is fast' });
  await rest('POST', '/connections', { kind: 'oncall', name: 'incidents of the shop' });
  await seedRows(result);
  const stack = opened.move();
  return {
    result,
    tracker,
    oncall,
    githost,
    context,
    connectionId,
    rest,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Writes what no request can cause at once: repositories in several states, and members. */
async function seedRows({ dataDir, orgSlug }: Quickstart): Promise<void> {
  const database = await openDatabase({ dialect: 'sqlite', file: join(dataDir, 'orgctx.db') }, silentLog);
  const organization = await findOrganization(database.queries, orgSlug);
  if (organization === undefined) throw new Error(`${orgSlug} does not exist`);
  const scope = { organizationId: organization.id, orgSlug };
  await seedRepository(database, scope, {
    name: 'payments/ledger-service-with-a-long-name-that-wraps-on-a-telephone',
    state: 'failed',
    error: {
      code: 'authentication_failed',
      message: 'The Git host refused the credentials. Check the token of its connection, then sync again.',
    },
  });
  await seedRepository(database, scope, {
    name: 'mobile/app',
    state: 'cloning',
    progress: { phase: 'receiving', done: 4_200, total: 18_000 },
  });
  await seedRepository(database, scope, { name: 'old/archive', state: 'removing' });
  for (const [email, role] of [
    ['ada@example.com', 'admin'],
    ['grace.hopper-with-a-long-address@engineering.example.com', 'member'],
  ] as const) {
    await admitUser({ database, clock: systemClock }, { email, orgSlug, role });
  }
  await database.close();
}

/** Repeats a check until it holds. */
async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 180_000;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error(`not reached: ${check.toString()}`);
    await sleep(250);
  }
}

const python = `"""Deploys the service."""
import subprocess


class Deployment:
    """One deployment; see the runbook."""

    def __init__(self, target: str, retries: int = 3) -> None:
        self.target = target  # a host name
        self.retries = retries

    def run(self) -> bool:
        for attempt in range(self.retries):
            if subprocess.call(["deploy", self.target]) == 0:
                return True
        return False
`;

const go = `package lease

// Renew extends a lease, unless it has expired.
func Renew(id string, seconds int) error {
	if seconds <= 0 {
		return fmt.Errorf("seconds of %q: %d", id, seconds)
	}
	return nil
}
`;
