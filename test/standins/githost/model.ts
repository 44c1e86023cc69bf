import { randomBytes } from 'node:crypto';
import { addCommit } from '../../support/mirror/context-writer.ts';
import type { GitHttpBehaviour } from '../git-http-server.ts';
import { type BareRepository, createBareRepository } from './bare-repository.ts';

export type Flavour = 'github' | 'gitea' | 'https';

/** A user, or an organization. `tokens` has the scopes of each token; the flavour `https` ignores them. */
export interface Account {
  readonly id: number;
  readonly login: string;
  readonly tokens: Map<string, readonly string[]>;
}

export interface HostedRepository {
  readonly id: number;
  /** `owner/name`; change it with `rename`. */
  fullName: string;
  private: boolean;
  archived: boolean;
  defaultBranch: string;
  /** Branches that only pull requests may change. */
  readonly protectedBranches: Set<string>;
  /** What each account may do; the flavour `github` asks the installation instead. */
  readonly access: Map<string, 'read' | 'write' | 'admin'>;
  readonly hooks: Hook[];
  readonly pulls: Pull[];
  readonly comments: Comment[];
  /** How its smart HTTP behaves. */
  git: GitHttpBehaviour;
  /** Called once, at the next push: simulates a change between a fetch and a push. */
  beforePush: (() => void) | undefined;
  /** Created when it is first used, so that thousands of repositories cost nothing. */
  readonly bare: BareRepository;
  isEmpty(): boolean;
}

export interface Hook {
  readonly id: number;
  url: string;
  secret: string;
  events: readonly string[];
  active: boolean;
}

export interface Pull {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  state: 'open' | 'closed';
  headCommit: string;
  mergedAt: string | undefined;
  mergeCommit: string | undefined;
}

export interface Comment {
  readonly id: number;
  readonly pull: number;
  readonly author:
    | { readonly kind: 'app'; readonly id: number }
    | { readonly kind: 'user'; readonly account: Account };
  body: string;
}

export interface App {
  readonly id: number;
  readonly slug: string;
  /** PEM of the public key that its tokens must verify with. */
  readonly publicKey: string;
  /** Where GitHub sends a user after installing. */
  readonly setupUrl?: string;
  /** The App-wide webhook. */
  readonly webhook?: { readonly url: string; readonly secret: string };
}

export interface HostedInstallation {
  readonly id: number;
  readonly appId: number;
  readonly account: Account;
  suspended: boolean;
  /** When it was last installed or changed. */
  updatedAt: number;
  readonly permissions: Record<string, 'read' | 'write'>;
  /** `undefined`: all repositories of the account. */
  readonly selected: Set<number> | undefined;
}

/** A token of an installation. */
export interface IssuedToken {
  readonly value: string;
  readonly installationId: number;
  readonly repositoryIds: readonly number[] | undefined;
  readonly permissions: Readonly<Record<string, 'read' | 'write'>>;
  expiresAt: number;
}

/** Everything that the stand-in knows. Tests read and change it while it runs. */
export interface Model {
  readonly flavour: Flavour;
  readonly root: string;
  readonly accounts: Account[];
  readonly repositories: Map<number, HostedRepository>;
  /** Former full names in lower case, to the id. */
  readonly formerNames: Map<string, number>;
  readonly apps: App[];
  readonly installations: Map<number, HostedInstallation>;
  readonly tokens: Map<string, IssuedToken>;
  /** Length of the tokens of installations. Real ones may have any length. */
  tokenLength: number;
  tokenLifetimeMs: number;
  now(): number;
  nextId(): number;
}

export function createModel(flavour: Flavour, root: string, now: () => number): Model {
  let last = 1_000;
  return {
    flavour,
    root,
    accounts: [],
    repositories: new Map(),
    formerNames: new Map(),
    apps: [],
    installations: new Map(),
    tokens: new Map(),
    tokenLength: 520,
    tokenLifetimeMs: 3_600_000,
    now,
    nextId: () => ++last,
  };
}

export function accountOf(model: Model, login: string): Account {
  const found = model.accounts.find((account) => account.login.toLowerCase() === login.toLowerCase());
  if (found !== undefined) return found;
  const account: Account = { id: model.nextId(), login, tokens: new Map() };
  model.accounts.push(account);
  return account;
}

export interface NewRepository {
  readonly private?: boolean;
  readonly defaultBranch?: string;
  /** Files of the first commit; without any the repository is empty. */
  readonly files?: Readonly<Record<string, string>>;
}

export function addRepository(model: Model, fullName: string, options: NewRepository = {}): HostedRepository {
  const { defaultBranch = 'main', files = {} } = options;
  accountOf(model, ownerOf(fullName));
  const id = model.nextId();
  let bare: BareRepository | undefined;
  const repository: HostedRepository = {
    id,
    fullName,
    private: options.private ?? true,
    archived: false,
    defaultBranch,
    protectedBranches: new Set(),
    access: new Map(),
    hooks: [],
    pulls: [],
    comments: [],
    git: { kind: 'well' },
    beforePush: undefined,
    get bare() {
      bare ??= createBareRepository(model.root, `${id}.git`, defaultBranch);
      return bare;
    },
    isEmpty: () => bare === undefined || bare.branches().size === 0,
  };
  model.repositories.set(id, repository);
  model.formerNames.delete(fullName.toLowerCase());
  if (Object.keys(files).length > 0) addCommit(repository.bare.gitDir, files, defaultBranch);
  return repository;
}

/** Renames or transfers a repository; the old name redirects until another repository takes it. */
export function renameRepository(model: Model, repository: HostedRepository, fullName: string): void {
  model.formerNames.set(repository.fullName.toLowerCase(), repository.id);
  accountOf(model, ownerOf(fullName));
  repository.fullName = fullName;
}

/** Finds a repository by full name in any spelling. */
export function repositoryNamed(model: Model, fullName: string): HostedRepository | undefined {
  const name = fullName.toLowerCase();
  return [...model.repositories.values()].find((one) => one.fullName.toLowerCase() === name);
}

export function ownerOf(fullName: string): string {
  return fullName.split('/')[0] ?? '';
}

export function issueToken(
  model: Model,
  token: Pick<IssuedToken, 'installationId' | 'repositoryIds' | 'permissions'>,
): IssuedToken {
  const start = 'ghs_';
  const random = randomBytes(model.tokenLength).toString('base64url');
  const value = `${start}${random}`.slice(0, model.tokenLength);
  const issued = { ...token, value, expiresAt: model.now() + model.tokenLifetimeMs };
  model.tokens.set(value, issued);
  return issued;
}

/** Whether an installation reaches a repository: it belongs to the account and is selected. */
export function reaches(installation: HostedInstallation, repository: HostedRepository): boolean {
  const isOwner = ownerOf(repository.fullName).toLowerCase() === installation.account.login.toLowerCase();
  return isOwner && (installation.selected === undefined || installation.selected.has(repository.id));
}
