import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { gitProviders } from '../../../src/app/open/git-providers.ts';
import {
  createTokenCache,
  type GitHost,
  GitHostError,
  type GitProvider,
  type GitProviderDeps,
  type HookDelivery,
  type HostAccess,
  type HostRepositoryKey,
  type HostSettings,
} from '../../../src/backends/git-providers/port.ts';
import { createHttpClient } from '../../../src/foundation/net/http-client.ts';
import {
  type Githost,
  type HostedInstallation,
  type HostedRepository,
  startGithost,
} from '../../standins/githost/githost.ts';
import type { Flavour } from '../../standins/githost/model.ts';

/** A stand-in with one connection to it. */
export interface ProviderStandIn extends AsyncDisposable {
  readonly githost: Githost;
  readonly provider: GitProvider;
  readonly settings: HostSettings;
  readonly deps: GitProviderDeps;
  readonly host: GitHost;
  /** The installation of the App; only of kinds that have Apps. */
  readonly installation: HostedInstallation | undefined;
  /** Every secret of the connection. */
  readonly secrets: readonly string[];
  /** Adds a repository that the connection may write to. */
  repository(fullName?: string, files?: Readonly<Record<string, string>>): HostedRepository;
}

export const owner = 'octo-org';
const botToken = `bot-token-${'0123456789abcdef'.repeat(4)}`;

export async function openProviderStandIn(kind: string): Promise<ProviderStandIn> {
  const provider = gitProviders.find((one) => one.kind === kind);
  if (provider === undefined) throw new Error(`there is no kind ${kind}`);
  const githost = await startGithost({ flavour: kind as Flavour });
  const http = createHttpClient({ allowHosts: [new URL(githost.origin).host] });
  const clock = githost.model.now;
  const deps = { http, clock, tokens: createTokenCache(clock), operatorOrigins: [] };
  const { settings, installation } = provider.can.install
    ? ofApp(githost, provider)
    : ofBot(githost, provider);
  return {
    githost,
    provider,
    settings,
    deps,
    host: provider.open(settings, deps),
    installation,
    secrets: [settings.token, settings.privateKey].filter((one) => one !== undefined),
    repository(fullName = `${owner}/service`, files = { 'README.md': 'Hello\n' }) {
      const repository = githost.addRepository(fullName, { files });
      if (!provider.can.install) repository.access.set('bot', 'admin');
      return repository;
    },
    async [Symbol.asyncDispose]() {
      await http.close();
      await githost.close();
    },
  };
}

interface Ready {
  readonly settings: HostSettings;
  readonly installation: HostedInstallation | undefined;
}

function ofApp(githost: Githost, provider: GitProvider): Ready {
  const { app, privateKey } = githost.addApp();
  const installation = githost.install(app, owner);
  const parsed = provider.parse({ url: githost.origin, appId: String(app.id), privateKey });
  return { settings: { ...parsed, installationId: String(installation.id) }, installation };
}

function ofBot(githost: Githost, provider: GitProvider): Ready {
  githost.addUser('bot', botToken);
  const user = provider.fields.some(({ name }) => name === 'user') ? { user: 'bot' } : {};
  return {
    settings: provider.parse({ url: `${githost.origin}/`, token: botToken, ...user }),
    installation: undefined,
  };
}

/** The key by which a connection names a repository of the stand-in. */
export function keyOf({ id, fullName }: HostedRepository): HostRepositoryKey {
  return { id: String(id), fullName };
}

/** Runs Git against a repository with credentials, and returns its output. @throws with Git's message */
export async function runGit(
  { githost, host }: ProviderStandIn,
  repository: HostedRepository,
  access: HostAccess,
  args: (url: string) => readonly string[],
  cwd = '.',
): Promise<string> {
  const { username, password } = await host.credentials(
    access,
    AbortSignal.timeout(20_000),
    keyOf(repository),
  );
  const url = new URL(`${githost.origin}/${repository.fullName}.git`);
  url.username = username;
  url.password = password;
  const env = { PATH: process.env['PATH'], GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_GLOBAL: '/dev/null' };
  const { stdout } = await promisify(execFile)('git', [...args(url.href)], { cwd, env });
  return stdout;
}

/** Receives webhooks over HTTP and answers 200. */
export async function receiveHooks(): Promise<
  AsyncDisposable & { readonly url: string; readonly received: readonly HookDelivery[] }
> {
  const received: HookDelivery[] = [];
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      received.push({ headers: message.headers, body: Buffer.concat(chunks) });
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Runs a test with a stand-in of the kind, and expects that the connection sent nothing unknown to the host. */
export async function withHost(kind: string, run: (opened: ProviderStandIn) => Promise<void>): Promise<void> {
  await using opened = await openProviderStandIn(kind);
  await run(opened);
  expect(opened.githost.strays).toEqual([]);
}

/** Returns the error of a promise. @throws if it does not fail */
export async function errorOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof Error) return outcome;
  throw new Error('it did not fail');
}

/** Returns the reason of a GitHostError, or any other error as text. */
export async function reasonOf(promise: Promise<unknown>): Promise<string> {
  const error = await errorOf(promise);
  return error instanceof GitHostError ? error.reason : String(error);
}
