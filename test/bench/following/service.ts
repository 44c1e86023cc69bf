import { setTimeout as sleep } from 'node:timers/promises';
import { type Githost, type HostedRepository, startGithost } from '../../standins/githost/githost.ts';
import { startTracker, type Tracker } from '../../standins/tracker/tracker.ts';
import { createRepository } from '../../support/git/git-repository.ts';
import { startQuickstart } from '../../support/program/program.ts';

/** The built service with a Git host and a tracker on loopback, and a connection to that Git host. */
export interface FollowingService extends AsyncDisposable {
  readonly baseUrl: string;
  readonly dataDir: string;
  /** Process id of the command that started server and worker. */
  readonly pid: number;
  readonly githost: Githost;
  readonly tracker: Tracker;
  /** Id of the connection to the Git host. */
  readonly githostId: string;
  /** Sends a REST request as an owner, again if the service asks to wait. @throws with the response */
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer>;
  /** Adds a repository at the Git host, which the connection may administrate. */
  addHosted(name: string, files: Readonly<Record<string, string>>): HostedRepository;
}

export type Answer = Readonly<Record<string, unknown>>;

export const owner = 'octo-org';
export const hostToken = 'bot-token-0123456789';

export async function startFollowing(): Promise<FollowingService> {
  await using opened = new AsyncDisposableStack();
  const tracker = opened.use(await startTracker());
  const githost = opened.use(await startGithost({ flavour: 'gitea' }));
  githost.addUser('bot', hostToken);
  tracker.workspace.add('Team', { key: 'SHOP', name: 'Shop' });
  const env = { ...tracker.settings, OUTBOUND_ALLOW_HOSTS: new URL(githost.origin).host };
  const { folder } = createRepository({ 'src/cart.ts': 'export const total = () => 0;\n' });
  const running = await startQuickstart([folder], { env });
  opened.defer(async () => void (await running.stop()));
  const { baseUrl, orgSlug, apiKey, dataDir } = running.result;
  const call: FollowingService['call'] = async (method, path, body) => {
    for (;;) {
      const response = await fetch(`${baseUrl}/${orgSlug}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (response.ok) return text === '' ? {} : (JSON.parse(text) as Answer);
      if (response.status !== 429) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
    }
  };
  const added = await call('POST', '/githost/connections', {
    kind: 'gitea',
    url: githost.origin,
    token: hostToken,
  });
  const toClose = opened.move();
  return {
    baseUrl,
    dataDir,
    pid: running.process.pid ?? 0,
    githost,
    tracker,
    githostId: String(added['id']),
    call,
    addHosted(name, files) {
      const repository = githost.addRepository(`${owner}/${name}`, { files });
      repository.access.set('bot', 'admin');
      return repository;
    },
    [Symbol.asyncDispose]: () => toClose.disposeAsync(),
  };
}

/** Waits until a condition holds. @throws after `timeoutMs` */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  { everyMs, timeoutMs = 120_000 }: { readonly everyMs: number; readonly timeoutMs?: number },
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`timed out after ${timeoutMs / 1_000} s: ${what}`);
    await sleep(everyMs);
  }
}
