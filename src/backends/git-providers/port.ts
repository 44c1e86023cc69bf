import type { IncomingHttpHeaders } from 'node:http';
import type { GitCredentials } from '../../foundation/git/remote/git-credentials.ts';
import type { Clock } from '../../foundation/kernel/clock.ts';
import { ExternalServiceError } from '../../foundation/kernel/errors.ts';
import type { Registration } from '../../foundation/kernel/registration.ts';
import type { HttpClient } from '../../foundation/net/http.ts';
import type { TokenCache } from './token-cache.ts';

export { canonicalHost, type HostPages, pagesAt, usualHost } from './public-hosts.ts';
export { createTokenCache, type TokenCache } from './token-cache.ts';

/**
 * The port of Git hosts. Each kind is one folder with one `GitProvider`; `app/open/git-providers.ts` lists them. An
 * adapter receives its settings and credentials as values: it reads no database and stores no secret.
 */
export interface GitProvider {
  /** The name in records, bodies and commands: lower-case letters. */
  readonly kind: string;
  /** The product, as people know it. */
  readonly product: string;
  /** The web URL of the product's public service; `undefined` if every organization has its own server. */
  readonly publicUrl: string | undefined;
  /** Returns the API URL of the host with a web URL. */
  apiUrlOf(url: string): string;
  /** The registration that a new connection needs; `undefined` if the kind knows none. */
  readonly registration: Registration | undefined;
  readonly can: GitProviderAbilities;
  /** The fields that a new connection of this kind takes, beside `kind` and `name`. */
  readonly fields: readonly GitProviderField[];
  /**
   * Checks and completes the fields of a new connection. `deployment` has the settings GITHOST_* if they are of this
   * kind; a connection that gives no own credentials uses them, where the kind allows that.
   * @throws InvalidInput naming the fields
   */
  parse(fields: Readonly<Record<string, string>>, deployment?: Partial<HostSettings>): HostSettings;
  /** Opens one connection. Sends no request. */
  open(settings: HostSettings, deps: GitProviderDeps): GitHost;
  /** `undefined` if the kind has no webhooks. */
  readonly hooks: HookReader | undefined;
}

/**
 * The abilities of a kind of Git host. A method of `GitHost` that is not supported throws GitHostError `unsupported`.
 */
export interface GitProviderAbilities {
  /** Credentials with access `write`. */
  readonly push: boolean;
  readonly hooks: boolean;
  readonly pullRequests: boolean;
  /** The connection is an App that an organization installs: `installUrl`, `installation`. */
  readonly install: boolean;
  /** The API of repositories: `listRepositories`, `findRepository`, `headOf`, `readFile`. */
  readonly list: boolean;
}

export interface GitProviderField {
  readonly name: string;
  readonly secret: boolean;
  readonly required: boolean;
  /** For people, in the help of the command line and the API reference. */
  readonly description: string;
}

/** The checked settings of one connection. `token`, `privateKey` and `webhookSecret` are secrets. */
export interface HostSettings {
  /** The web URL without a trailing slash; repositories are cloned from below it. */
  readonly url: string;
  /** The API URL without a trailing slash. Equal to `url` if the kind has no API. */
  readonly apiUrl: string;
  readonly user?: string;
  readonly token?: string;
  readonly appId?: string;
  readonly appSlug?: string;
  readonly privateKey?: string;
  /** Absent until the App is installed. */
  readonly installationId?: string;
  readonly webhookSecret?: string;
  /** True if the App is the deployment's: its secrets are settings and must not be stored with the connection. */
  readonly deploymentApp?: boolean;
}

export interface GitProviderDeps {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** One for the process, so that all connections opened for one installation share a token. */
  readonly tokens: TokenCache;
  /** Origins that the operator wrote (GITHOST_URL, GITHOST_API_URL). Any other origin must be https and public. */
  readonly operatorOrigins: readonly string[];
}

/**
 * One open connection. A repository is named by the host's own id: its full name may change at any time, and another
 * repository may take the old name. Every method throws GitHostError, RateLimited (with the delay that the host asked
 * for), Unavailable, and the errors of the HTTP client.
 */
export interface GitHost {
  /**
   * Returns whose credentials these are, which proves that they work. A kind without an API sends no request: only the
   * first fetch proves its credentials.
   */
  account(signal: AbortSignal): Promise<HostAccount>;
  /**
   * Returns credentials for Git over https. They expire: ask anew for each clone, fetch and push. `refused`: those that
   * the host has just refused; others are fetched, if the kind fetches any.
   */
  credentials(
    access: HostAccess,
    signal: AbortSignal,
    repository?: HostRepositoryKey,
    refused?: GitCredentials,
  ): Promise<GitCredentials>;
  listRepositories(request: ListRepositories, signal: AbortSignal): Promise<HostRepositoryPage>;
  /** Finds a repository by its full name, or a known one again. `undefined` if these credentials cannot read it. */
  findRepository(
    wanted: string | HostRepositoryKey,
    signal: AbortSignal,
  ): Promise<HostRepository | undefined>;
  /** Returns the commit of a branch; `undefined` if there is no such branch. */
  headOf(repository: HostRepositoryKey, branch: string, signal: AbortSignal): Promise<string | undefined>;
  /** Reads a file of at most 1 MiB; `undefined` if the commit has no such file. */
  readFile(
    repository: HostRepositoryKey,
    file: { readonly path: string; readonly commit: string },
    signal: AbortSignal,
  ): Promise<{ readonly content: Buffer } | undefined>;

  /** Makes sure that the repository has exactly one push webhook with this URL, and that it uses this secret. */
  ensureHook(
    repository: HostRepositoryKey,
    hook: { readonly url: string; readonly secret: string },
    signal: AbortSignal,
  ): Promise<void>;
  /** Removes the webhooks with this URL. Does nothing if there is none, or the repository is gone. */
  removeHook(repository: HostRepositoryKey, url: string, signal: AbortSignal): Promise<void>;

  /** Finds the pull request between two branches of the repository: an open one, else the newest. */
  findPullRequest(
    repository: HostRepositoryKey,
    branches: PullRequestBranches,
    signal: AbortSignal,
  ): Promise<PullRequest | undefined>;
  /** @throws GitHostError `conflict` if one is open already, `invalid` if there is nothing to merge */
  openPullRequest(
    repository: HostRepositoryKey,
    request: PullRequestBranches & { readonly title: string; readonly body: string },
    signal: AbortSignal,
  ): Promise<PullRequest>;
  /** @throws GitHostError `invalid` if it is merged, or its branch was deleted */
  reopenPullRequest(repository: HostRepositoryKey, number: number, signal: AbortSignal): Promise<PullRequest>;
  /** Creates or updates the one comment of this account that contains `marker`, which is added to the body. */
  comment(
    repository: HostRepositoryKey,
    number: number,
    comment: { readonly marker: string; readonly body: string },
    signal: AbortSignal,
  ): Promise<void>;

  /** Returns the page at which a user installs the App. The host gives `state` back to the setup URL. */
  installUrl(state: string, signal: AbortSignal): Promise<string>;
  /** Returns an installation of this App; `undefined` if the App has none with this id. */
  installation(id: string, signal: AbortSignal): Promise<Installation | undefined>;
}

export type HostAccess = 'read' | 'write';

export interface HostAccount {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

export interface HostRepositoryKey {
  /** The host's own id. */
  readonly id: string;
  /** The last known full name. Another repository may have it now: the id decides. */
  readonly fullName: string;
}

/** Its URLs are built from the connection's URL: credentials never go to an address that a response names. */
export interface HostRepository extends HostRepositoryKey {
  readonly cloneUrl: string;
  readonly url: string;
  readonly defaultBranch: string;
  readonly private: boolean;
  /** True if it has no commit. In a list some hosts tell only whether it is about empty. */
  readonly empty: boolean;
  /** True if the connection may push to it and open pull requests. */
  readonly canWrite: boolean;
  /** An archived repository can be read only. */
  readonly archived: boolean;
}

/** A page may have fewer items than `limit`, even none, although there is a next page: hosts without a search. */
export interface ListRepositories {
  /** Part of the full name, case-insensitive. */
  readonly query?: string;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  readonly limit: number;
}

export interface HostRepositoryPage {
  readonly items: readonly HostRepository[];
  readonly nextCursor: string | undefined;
}

export interface PullRequestBranches {
  readonly head: string;
  readonly base: string;
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly headCommit: string;
  /** The commit on the target branch; present if and only if it is merged. */
  readonly mergeCommit?: string;
}

export interface Installation {
  readonly id: string;
  readonly account: HostAccount;
  /** A suspended installation gets no tokens. */
  readonly suspended: boolean;
  /** Time at which somebody last installed it or changed it, in milliseconds; `undefined` if the host does not say. */
  readonly changedAt: number | undefined;
  /** Permissions that the connection needs and the installation lacks, such as `contents: write`. */
  readonly missingPermissions: readonly string[];
}

/** Verifies and reads the webhooks of one kind. The caller verifies before it reads. */
export interface HookReader {
  /** Maximum size of a body, in bytes. */
  readonly bodyLimit: number;
  /** Verifies the signature of the raw bytes, in constant time. False if it is missing or malformed. */
  verify(delivery: HookDelivery, secret: string): boolean;
  /** Returns the host's id of the delivery, for deduplication; a hash of the body if it sent none. */
  deliveryIdOf(delivery: HookDelivery): string;
  /** @throws InvalidInput if the body cannot be read */
  read(delivery: HookDelivery): HookEvent;
}

export interface HookDelivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type HookEvent = PushEvent | RepositoryEvent | InstallationEvent | IgnoredEvent;

/** A branch moved. Pushes of tags are ignored events. */
export interface PushEvent {
  readonly kind: 'push';
  readonly repository: HostRepositoryKey;
  readonly branch: string;
  /** `undefined` if the push created the branch. */
  readonly before: string | undefined;
  /** `undefined` if the push deleted the branch. */
  readonly after: string | undefined;
  /** The installation whose App-wide webhook this is. */
  readonly installationId: string | undefined;
}

/** A repository was renamed, transferred, deleted, archived or changed its default branch: look at it again. */
export interface RepositoryEvent {
  readonly kind: 'repository';
  readonly repository: HostRepositoryKey;
  readonly installationId: string | undefined;
}

/** An installation was suspended, deleted or changed: look at it again. */
export interface InstallationEvent {
  readonly kind: 'installation';
  readonly installationId: string;
}

export interface IgnoredEvent {
  readonly kind: 'ignored';
  /** The name of the event, or why it is ignored: short and plain enough to store. */
  readonly reason: string;
}

export type GitHostReason =
  /** The credentials are missing, wrong, expired or revoked, or the installation is suspended or gone. */
  | 'authentication'
  /** The credentials lack a permission, which the message names. */
  | 'forbidden'
  /** The host has no such repository or pull request, or hides it from these credentials. */
  | 'not_found'
  /** It exists already. */
  | 'conflict'
  /** The host refuses the request as invalid. */
  | 'invalid'
  /** This kind of Git host cannot do that. */
  | 'unsupported'
  /** The response is not what this API answers; the URL may be of something else. */
  | 'protocol';

/**
 * A failure that a person must resolve; the message says how. Failures that pass by themselves are the errors that
 * the worker retries: RateLimited, Unavailable and OutboundError.
 */
export class GitHostError extends ExternalServiceError {
  readonly reason: GitHostReason;
  /** The time of the host's answer by its own clock, in milliseconds; `undefined` if it did not say. */
  readonly hostTime: number | undefined;

  constructor(
    host: string,
    reason: GitHostReason,
    message: string,
    { hostTime, ...options }: { cause?: unknown; hostTime?: number | undefined } = {},
  ) {
    super(host, message, { code: 'githost_failed', retryable: false, ...options });
    this.reason = reason;
    this.hostTime = hostTime;
  }
}
