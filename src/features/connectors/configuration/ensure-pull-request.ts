import { join } from 'node:path';
import { GitHostError, type HostRepository, type PullRequest } from '../../../backends/git-providers/port.ts';
import { GitError } from '../../../foundation/git/process/git-error.ts';
import { parseSource } from '../../../foundation/git/source/parse-source.ts';
import { ensureContextRepository } from '../../../foundation/git/writing/context-repository.ts';
import { pushCommit } from '../../../foundation/git/writing/push-commit.ts';
import { type FileChange, writeCommit } from '../../../foundation/git/writing/write-commit.ts';
import { enqueue } from '../../../foundation/jobs/enqueue.ts';
import { dataFolder } from '../../../foundation/kernel/data-folder.ts';
import { Conflict } from '../../../foundation/kernel/errors.ts';
import type { ConnectionId } from '../../../foundation/kernel/ids.ts';
import { openSemaphore } from '../../../foundation/kernel/limits/semaphore.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { withRunFolder } from '../../../foundation/kernel/run-folder.ts';
import { withOperatorHosts } from '../../githosts/source-access.ts';
import type { AuditActor } from '../../identity/audit/audit.ts';
import { mirrorAuthor } from '../../mirror/commits/commit-run.ts';
import {
  type Binding,
  type ConfigurationPull,
  type Connection,
  isConnected,
  requireAuthorized,
} from '../connections/connection.ts';
import {
  auditConnection,
  changeConnection,
  enterState,
  lockConnection,
  requireConnection,
} from '../connections/connection-store.ts';
import { connectorOf, type SetupDeps } from '../connections/connections-deps.ts';
import type { Connector } from '../port.ts';
import { type BindingRequest, bindConnection, indexContextRepository } from '../setup/bind-connection.ts';
import { type OpenedContextHost, openContextHost } from '../setup/context-repository.ts';
import { configBranch, configPath, renderConfig } from './config-file.ts';

/**
 * Makes sure that a pull request proposes the configuration of a connection, and returns it. Also the retry after any
 * failure: what is on its branch already is never changed, and a binding in the request counts only while there is no
 * branch. A closed pull request is opened again, or replaced.
 * @throws NotFound; Conflict without an authorization or binding; as `bindConnection`; GitError and GitHostError
 */
export async function ensurePullRequest(
  deps: SetupDeps,
  scope: OrgScope,
  actor: AuditActor,
  id: ConnectionId,
  request: BindingRequest | undefined,
  signal: AbortSignal,
): Promise<ConfigurationPull> {
  const { queries } = deps.database;
  const connection = await requireConnection(queries, scope, id);
  requireAuthorized(connection);
  let proposal = connection.binding && (await openProposal(deps, connection, signal));
  if (request !== undefined && proposal?.hasBranch !== true) {
    await bindConnection(deps, { scope, actor, id, request, isProposed: false }, signal);
    proposal = undefined;
  }
  proposal ??= await openProposal(deps, await requireConnection(queries, scope, id), signal);
  const isProposed = proposal.hasBranch || (await pushBranch(deps, proposal, signal));
  await indexContextRepository(deps, scope, actor, id);
  const pull = isProposed ? await ensureOpen(proposal, signal) : undefined;
  return savePull(deps, scope, actor, proposal, pull);
}

interface Proposal extends OpenedContextHost {
  readonly connector: Connector;
  readonly connection: Connection;
  readonly binding: Binding;
  readonly repository: HostRepository;
  readonly branch: string;
  /** True if the repository has the branch. */
  readonly hasBranch: boolean;
}

async function openProposal(deps: SetupDeps, connection: Connection, signal: AbortSignal): Promise<Proposal> {
  const { binding, kind, id, pull } = connection;
  if (binding === undefined) {
    throw new Conflict(
      'conflict',
      `${connection.name} has no repository yet. Choose a repository and a scope first.`,
    );
  }
  const opened = await openContextHost(deps, connection.organizationId, binding);
  const { hostRepositoryId, repository: fullName } = binding;
  const repository = await opened.host.findRepository({ id: hostRepositoryId, fullName }, signal);
  if (repository === undefined) {
    throw new GitHostError(
      opened.githost.url,
      'not_found',
      `${opened.githost.name} can no longer read ${binding.repository}: it was deleted, or the access was taken away.`,
    );
  }
  const connector = connectorOf(deps.connectors, kind);
  const branch = configBranch(kind, id, pull);
  const hasBranch = (await opened.host.headOf(repository, branch, signal)) !== undefined;
  return { ...opened, connector, connection, binding, repository, branch, hasBranch };
}

/** Bounds the copies that a process holds at the same time: each may be as large as a context repository. */
const copies = openSemaphore(2);

/**
 * Pushes a new branch with the configuration file, never by force: the content of one that somebody created meanwhile
 * stays. Returns false if the file on the target branch has this content already. @throws GitError
 */
async function pushBranch(
  setup: SetupDeps,
  { host, connector, connection, binding, repository, branch }: Proposal,
  signal: AbortSignal,
): Promise<boolean> {
  const deps = withOperatorHosts(setup.git, setup);
  const source = parseSource(repository.cloneUrl, { allowLocal: false, allowHosts: deps.allowHosts });
  const remote = { source, credentials: await host.credentials('write', signal, repository), deps, signal };
  const { root } = connector.records;
  const path = configPath(connector);
  const { id: connectionId, account } = connection;

  async function propose(gitDir: string): Promise<boolean> {
    const write = async (parent: string | undefined, subject: string, file: FileChange) => {
      const message = `${subject}\n\nOrgctx-Connection: ${connectionId}\n`;
      const [changes, roots] = [[file], [root]];
      const place = { gitDir, parent, changes, roots, stagingRef: 'refs/orgctx/staging/0', signal };
      const written = await writeCommit({ ...place, message, author: mirrorAuthor, time: setup.clock() });
      return written.changed ? written.commit : undefined;
    };

    /** Returns the tip of the target branch. In an empty repository it makes the first commit. */
    const targetTip = async (): Promise<string> => {
      const target = { ...remote, gitDir, branch: binding.branch };
      const { tip } = await ensureContextRepository(target);
      if (tip !== undefined) return tip;
      const readme = `Files in this folder are mirrored by orgctx; ${path} says which. Changes here are overwritten.\n`;
      const file = { path: `${root}/README.md`, content: Buffer.from(readme) };
      const commit = await write(undefined, `Add ${root}/`, file);
      if (commit !== undefined && (await pushCommit({ ...target, commit })) === 'pushed') return commit;
      const again = await ensureContextRepository(target);
      if (again.tip !== undefined) return again.tip;
      throw new GitError('failed', `The branch ${binding.branch} could not be created. Try again.`);
    };

    const tip = await targetTip();
    const present = await host.readFile(repository, { path, commit: tip }, signal);
    const text = renderConfig({ connector, connectionId, account, scope: binding.scope }, present?.content);
    const commit = await write(tip, `Configure ${root}/`, { path, content: Buffer.from(text) });
    if (commit !== undefined) await pushCommit({ ...remote, gitDir, branch, commit });
    return commit !== undefined;
  }

  const { proposals } = dataFolder(deps.dataDir);
  return copies(() => withRunFolder(proposals, (folder) => propose(join(folder, 'copy.git'))), signal);
}

/** Returns an open or merged pull request of the branch. */
async function ensureOpen(proposal: Proposal, signal: AbortSignal): Promise<PullRequest> {
  const { host, repository, branch, binding, connector, connection } = proposal;
  const branches = { head: branch, base: binding.branch };
  const found = await host.findPullRequest(repository, branches, signal);
  if (found !== undefined && found.state !== 'closed') return found;
  if (found !== undefined) {
    const reopening = host.reopenPullRequest(repository, found.number, signal);
    const reopened = await reopening.catch(orRefused('invalid'));
    if (reopened !== undefined) return reopened;
  }
  const request = { ...branches, ...wordsOf(connector, connection, binding) };
  const opened = await host.openPullRequest(repository, request, signal).catch(orRefused('conflict'));
  const pull = opened ?? (await host.findPullRequest(repository, branches, signal));
  if (pull !== undefined) return pull;
  throw new Conflict('conflict', 'The pull request was closed while it was being opened. Try again.');
}

const orRefused = (reason: GitHostError['reason']) =>
  orUndefined((error) => error instanceof GitHostError && error.reason === reason);

function wordsOf(connector: Connector, connection: Connection, { branch }: Binding) {
  const path = configPath(connector);
  return {
    title: `Mirror ${connector.product} into ${connector.records.root}/`,
    body: [
      `Merge this to connect **${connection.name}** of orgctx. Its records are then written into \`${connector.records.root}/\` on \`${branch}\`.`,
      '',
      `\`${path}\` says what is mirrored. Edit it here before the merge, or on \`${branch}\` at any time after it.`,
    ].join('\n'),
  };
}

/** Records the pull request; `undefined` if the live file has this content already. */
async function savePull(
  { database, clock }: SetupDeps,
  scope: OrgScope,
  actor: AuditActor,
  { connection: { id }, connector, branch }: Proposal,
  pull: PullRequest | undefined,
): Promise<ConfigurationPull> {
  return database.transaction(async (tx) => {
    const locked = await lockConnection(tx, scope, id);
    requireAuthorized(locked);
    const now = clock();
    const saved = recordedPull(locked.pull, branch, pull);
    const changes = { pull_request: JSON.stringify(saved), next_check_at: now };
    if (isConnected(locked)) await changeConnection(tx, locked, changes);
    else await enterState(tx, locked, 'awaiting_merge', { ...changes, error: null });
    await enqueue(tx, connector.tasks.config, { connectionId: id });
    await auditConnection(tx, locked, actor, 'connection.proposed', { branch, url: pull?.url }, now);
    return saved;
  });
}

function recordedPull(
  last: ConfigurationPull | undefined,
  branch: string,
  pull: PullRequest | undefined,
): ConfigurationPull {
  if (pull === undefined)
    return last?.state === 'merged' ? last : { branch, state: 'merged', commented: false };
  const { number, url, state } = pull;
  const same = last?.number === number ? last : undefined;
  const { validatedCommit, commented = false } = same ?? {};
  return { branch, number, url, state, validatedCommit, commented };
}
