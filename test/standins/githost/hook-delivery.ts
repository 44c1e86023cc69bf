import { createHmac, randomUUID } from 'node:crypto';
import { accountOf, type Hook, type HostedRepository, type Model, ownerOf } from './model.ts';

/** One webhook delivery, as the host lists it. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Status of the last attempt; `undefined` if it was dropped or nobody answered. */
  status: number | undefined;
}

/** Sends webhooks over HTTP, signed as the host does. Like real hosts, it never repeats one by itself. */
export interface HookSender {
  readonly deliveries: Delivery[];
  /** True to lose every delivery. */
  dropped: boolean;
  push(repository: HostedRepository, move: BranchMove): void;
  installation(webhook: Pick<Hook, 'url' | 'secret'>, action: string, installationId: number): void;
  redeliver(delivery: Delivery): Promise<void>;
  /** Resolves once no delivery is under way. */
  settled(): Promise<void>;
}

export interface BranchMove {
  readonly branch: string;
  /** `undefined` for a new branch. */
  readonly before: string | undefined;
  /** `undefined` for a deleted branch. */
  readonly after: string | undefined;
}

/** The time that hosts wait for an answer. */
const timeoutMs = 10_000;
const zeros = '0'.repeat(40);

export function createHookSender(model: Model): HookSender {
  const underWay = new Set<Promise<void>>();

  async function attempt(delivery: Delivery): Promise<void> {
    try {
      const response = await fetch(delivery.url, {
        method: 'POST',
        headers: delivery.headers,
        body: new Uint8Array(delivery.body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
      delivery.status = response.status;
    } catch {
      delivery.status = undefined;
    }
  }

  function send({ url, secret }: Pick<Hook, 'url' | 'secret'>, event: string, payload: object): void {
    const body = Buffer.from(JSON.stringify(payload));
    const id = randomUUID();
    const headers = headersOf(model, { event, id, body, secret });
    const delivery: Delivery = { id, event, url, headers, body, status: undefined };
    sender.deliveries.push(delivery);
    if (sender.dropped) return;
    const attempted = attempt(delivery).finally(() => underWay.delete(attempted));
    underWay.add(attempted);
  }

  const sender: HookSender = {
    deliveries: [],
    dropped: false,
    push(repository, move) {
      for (const hook of repository.hooks.filter((one) => one.active && one.events.includes('push'))) {
        send(hook, 'push', pushPayload(model, repository, move));
      }
      for (const { webhook, id } of model.apps) {
        const installation = [...model.installations.values()].find(
          (one) => one.appId === id && one.account.login === ownerOf(repository.fullName),
        );
        if (webhook === undefined || installation === undefined || installation.suspended) continue;
        const payload = { ...pushPayload(model, repository, move), installation: { id: installation.id } };
        send(webhook, 'push', payload);
      }
    },
    installation: (webhook, action, installationId) =>
      send(webhook, 'installation', { action, installation: { id: installationId }, sender: { id: 1 } }),
    redeliver: attempt,
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
  return sender;
}

interface Signed {
  readonly event: string;
  readonly id: string;
  readonly body: Buffer;
  readonly secret: string;
}

function headersOf({ flavour }: Model, { event, id, body, secret }: Signed): Record<string, string> {
  const hex = createHmac('sha256', secret).update(body).digest('hex');
  const shared = {
    'content-type': 'application/json',
    'x-github-event': event,
    'x-github-delivery': id,
    'x-hub-signature-256': `sha256=${hex}`,
  };
  if (flavour === 'github') return { ...shared, 'user-agent': 'GitHub-Hookshot/stand-in' };
  return { ...shared, 'x-gitea-event': event, 'x-gitea-delivery': id, 'x-gitea-signature': hex };
}

function pushPayload(
  model: Model,
  repository: HostedRepository,
  { branch, before, after }: BranchMove,
): object {
  const { id, fullName, defaultBranch } = repository;
  const owner = accountOf(model, ownerOf(fullName));
  const payload = {
    ref: `refs/heads/${branch}`,
    before: before ?? zeros,
    after: after ?? zeros,
    // Hosts cut this list; a reader must not need it.
    commits: [],
    head_commit: null,
    repository: {
      id,
      full_name: fullName,
      private: repository.private,
      default_branch: defaultBranch,
      owner: { id: owner.id, login: owner.login },
    },
    pusher: { name: owner.login },
  };
  if (model.flavour === 'gitea') return { ...payload, compare_url: '', total_commits: 0 };
  const forced = before !== undefined && after !== undefined && !isAncestor(repository, before, after);
  return {
    ...payload,
    created: before === undefined,
    deleted: after === undefined,
    forced,
    base_ref: null,
    compare: '',
  };
}

function isAncestor({ bare }: HostedRepository, before: string, after: string): boolean {
  return bare.git('rev-list', '--count', '--max-count=1', before, `^${after}`) === '0';
}
