import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { addCommit } from '../../support/mirror/context-writer.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import type { Certificate } from '../certificate-authority.ts';
import type { MergeMethod } from './bare-repository.ts';
import { giteaRoutes } from './gitea-api.ts';
import { githubRoutes } from './github-api.ts';
import { type BranchMove, createHookSender, type HookSender } from './hook-delivery.ts';
import {
  type Account,
  type App,
  accountOf,
  addRepository,
  createModel,
  type Flavour,
  type HostedInstallation,
  type HostedRepository,
  type Model,
  type NewRepository,
  renameRepository,
} from './model.ts';
import { mergePull } from './pulls.ts';
import { answerGit, readGitRequest } from './smart-http.ts';
import { answerCall, sendReply } from './strict-api.ts';

export type { HostedInstallation, HostedRepository } from './model.ts';

/** A reply that the API gives in place of its own. */
export interface Failure {
  /** Calls that it concerns: `GET /repositories/7/pulls`. Default: every call of the API. */
  readonly calls?: RegExp;
  /** Default: until it is removed from `failures`. */
  times?: number;
  /** `silent` accepts the call and never answers. */
  readonly reply:
    | 'silent'
    | {
        readonly status: number;
        readonly headers?: Readonly<Record<string, string>>;
        readonly body?: string | object;
      };
}

/** A Git host on loopback: a REST API, Git's smart HTTP and webhooks over the same repositories. */
export interface Githost extends AsyncDisposable {
  readonly origin: string;
  readonly apiUrl: string;
  readonly model: Model;
  readonly hooks: HookSender;
  readonly failures: Failure[];
  /** Called before each answer of the API: simulates a change during a call. */
  beforeAnswer: ((call: string) => Promise<void>) | undefined;
  /** `GET /path` of each call of the API so far. */
  readonly calls: string[];
  /** Calls that were refused because no such route, parameter or field exists. */
  readonly strays: string[];
  /** Moves the clock of the host, which decides when tokens expire. */
  advance(ms: number): void;

  addRepository(fullName: string, options?: NewRepository): HostedRepository;
  renameRepository(repository: HostedRepository, fullName: string): void;
  deleteRepository(repository: HostedRepository): void;
  /** Commits as another person and delivers the webhooks of the push. */
  commit(repository: HostedRepository, files: Readonly<Record<string, string>>, branch?: string): string;
  /** Runs Git in the repository as the host does, and delivers the webhooks of the branches that it moves. */
  change(repository: HostedRepository, change: () => void): void;
  merge(
    repository: HostedRepository,
    number: number,
    how?: { method?: MergeMethod; deleteBranch?: boolean },
  ): void;

  /** Creates an App and returns its private key. */
  addApp(options?: Pick<App, 'setupUrl' | 'webhook'>): { readonly app: App; readonly privateKey: string };
  install(app: App, login: string, options?: InstallOptions): HostedInstallation;
  /** Suspends or removes an installation, and tells the App. */
  changeInstallation(installation: HostedInstallation, action: 'suspend' | 'unsuspend' | 'deleted'): void;
  /** The account of a user who opens the install page. */
  installer: string;
  addUser(login: string, token: string, scopes?: readonly string[]): Account;
  close(): Promise<void>;
}

export interface InstallOptions {
  readonly permissions?: HostedInstallation['permissions'];
  readonly selected?: readonly HostedRepository[];
}

export interface GithostOptions {
  readonly flavour: Flavour;
  readonly tls?: Certificate;
}

const allPermissions = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  repository_hooks: 'write',
} as const;

const allScopes = ['write:user', 'write:repository', 'write:issue'] as const;

/** One pair for all Apps: generating keys takes long. */
let keys: { readonly publicKey: string; readonly privateKey: string } | undefined;

function appKeys(): { readonly publicKey: string; readonly privateKey: string } {
  keys ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    // The format in which GitHub gives out keys.
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return keys;
}

export async function startGithost({ flavour, tls }: GithostOptions): Promise<Githost> {
  let skewMs = 0;
  const model = createModel(flavour, temporaryFolder(), () => Date.now() + skewMs);
  const hooks = createHookSender(model);
  const root = flavour === 'github' ? '/api/v3' : '/api/v1';
  const routes = { github: githubRoutes, gitea: giteaRoutes, https: () => [] }[flavour](model);

  function change(repository: HostedRepository, act: () => void): void {
    const before = repository.bare.branches();
    act();
    announce(repository, before);
  }

  function announce(repository: HostedRepository, before: ReadonlyMap<string, string>): void {
    for (const move of movesOf(before, repository.bare.branches())) hooks.push(repository, move);
  }

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (message.url ?? '/').split('?')[0] ?? '/';
    const git = readGitRequest(message.url ?? '/');
    if (git !== undefined) return answerPush(message, response, git);
    if (path.startsWith(`${root}/`)) return answerApi(message, response, path.slice(root.length));
    const slug = /^\/github-apps\/([^/]+)\/installations\/new$/.exec(path)?.[1];
    const app = model.apps.find((one) => one.slug === slug);
    if (app !== undefined) return answerInstallPage(githost, app, message, response);
    githost.strays.push(`${message.method} ${path}`);
    response.writeHead(404).end();
  }

  function answerPush(
    message: IncomingMessage,
    response: ServerResponse,
    git: NonNullable<ReturnType<typeof readGitRequest>>,
  ): void {
    const repository = [...model.repositories.values()].find(
      (one) => one.fullName.toLowerCase() === git.fullName.toLowerCase(),
    );
    const isUpdate = git.isPush && message.method === 'POST';
    const before = isUpdate ? repository?.bare.branches() : undefined;
    answerGit(model, git, message, response, (pushed) => {
      if (before !== undefined) announce(pushed, before);
    });
  }

  async function answerApi(message: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const call = `${message.method} ${path}`;
    githost.calls.push(call);
    await githost.beforeAnswer?.(call);
    const failure = githost.failures.find(({ calls = /./, times = 1 }) => times > 0 && calls.test(call));
    if (failure === undefined) {
      sendReply(response, await answerCall(routes, path, message, (what) => githost.strays.push(what)));
      return;
    }
    if (failure.times !== undefined) failure.times -= 1;
    if (failure.reply !== 'silent') sendReply(response, failure.reply);
  }

  const listener = (message: IncomingMessage, response: ServerResponse): void => {
    response.setHeader('date', new Date(model.now()).toUTCString());
    answer(message, response).catch((error: unknown) => {
      githost.strays.push(String(error));
      response.writeHead(500).end();
    });
  };
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const githost: Githost = {
    origin,
    apiUrl: `${origin}${root}`,
    model,
    hooks,
    failures: [],
    beforeAnswer: undefined,
    calls: [],
    strays: [],
    installer: 'octo-org',
    advance: (ms) => void (skewMs += ms),
    addRepository: (fullName, options) => addRepository(model, fullName, options),
    renameRepository: (repository, fullName) => renameRepository(model, repository, fullName),
    deleteRepository: ({ id }) => void model.repositories.delete(id),
    commit(repository, files, branch = repository.defaultBranch) {
      let commit = '';
      change(repository, () => {
        commit = addCommit(repository.bare.gitDir, files, branch);
      });
      return commit;
    },
    change,
    merge(repository, number, { method = 'merge', deleteBranch = false } = {}) {
      const pull = repository.pulls.find((one) => one.number === number);
      if (pull === undefined) throw new Error(`there is no pull request ${number}`);
      change(repository, () => mergePull(model, repository, pull, { method, deleteBranch }));
    },
    addApp(options = {}) {
      const { publicKey, privateKey } = appKeys();
      const id = model.nextId();
      const app = { ...options, id, slug: `app-${id}`, publicKey };
      model.apps.push(app);
      return { app, privateKey };
    },
    install: (app, login, options) => install(model, app, login, options),
    changeInstallation(installation, action) {
      if (action === 'deleted') model.installations.delete(installation.id);
      else installation.suspended = action === 'suspend';
      installation.updatedAt = model.now();
      const webhook = model.apps.find(({ id }) => id === installation.appId)?.webhook;
      if (webhook !== undefined) hooks.installation(webhook, action, installation.id);
    },
    addUser(login, token, scopes = allScopes) {
      const account = accountOf(model, login);
      account.tokens.set(token, scopes);
      return account;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    [Symbol.asyncDispose]: () => githost.close(),
  };
  return githost;
}

function install(
  model: Model,
  app: App,
  login: string,
  { permissions = { ...allPermissions }, selected }: InstallOptions = {},
): HostedInstallation {
  const installation: HostedInstallation = {
    id: model.nextId(),
    appId: app.id,
    account: accountOf(model, login),
    suspended: false,
    updatedAt: model.now(),
    permissions,
    selected: selected === undefined ? undefined : new Set(selected.map(({ id }) => id)),
  };
  model.installations.set(installation.id, installation);
  return installation;
}

/** The page on which a user installs an App: confirms at once, and sends the browser to the setup URL. */
function answerInstallPage(
  githost: Githost,
  app: App,
  message: IncomingMessage,
  response: ServerResponse,
): void {
  const state = new URL(message.url ?? '/', githost.origin).searchParams.get('state');
  const existing = [...githost.model.installations.values()].find(
    (one) => one.appId === app.id && one.account.login === githost.installer,
  );
  const { id } = existing ?? githost.install(app, githost.installer);
  if (existing !== undefined) existing.updatedAt = githost.model.now();
  if (app.setupUrl === undefined) {
    response.writeHead(200).end();
    return;
  }
  const target = new URL(app.setupUrl);
  target.searchParams.set('installation_id', String(id));
  target.searchParams.set('setup_action', existing === undefined ? 'install' : 'update');
  if (state !== null) target.searchParams.set('state', state);
  response.writeHead(302, { location: target.href }).end();
}

function movesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): BranchMove[] {
  const branches = new Set([...before.keys(), ...after.keys()]);
  return [...branches]
    .map((branch) => ({ branch, before: before.get(branch), after: after.get(branch) }))
    .filter((move) => move.before !== move.after);
}
