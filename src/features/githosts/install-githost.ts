import type { HostAccount, Installation } from '../../backends/git-providers/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { enqueue } from '../../foundation/jobs/enqueue.ts';
import { Conflict, InvalidInput, OrgctxError, RateLimited } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { countAudit, recordAudit } from '../identity/audit/audit-store.ts';
import { hashCallbackState, newCallbackState } from '../identity/callback-state.ts';
import type { Organization } from '../identity/people/organization.ts';
import { readOrganization } from '../identity/people/organization-store.ts';
import { type GithostConnection, githostLimits, sharesApp } from './githost-connection.ts';
import {
  claimInstallation,
  findSetupState,
  listGithostsOfInstallation,
  type OpenSetup,
  requireGithost,
  reserveInstallation,
  saveSetupState,
  takeSetupState,
} from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { openHost, refusalAsInput } from './open-host.ts';
import { githostCheck } from './tasks.ts';

/**
 * Returns the page at which a person installs the App of a connection. Its state is valid once, for 10 minutes, and
 * replaces an earlier one.
 * @param session hash of the browser session that the state is bound to, if a page issues it. A person is asked about
 *   any other state before it is used (contract section 8)
 * @throws NotFound; InvalidInput for a kind without an App
 */
export async function installUrlOf(
  deps: GithostsDeps,
  scope: OrgScope,
  actor: AuditActor,
  id: string,
  signal: AbortSignal,
  session?: string,
): Promise<string> {
  const { queries } = deps.database;
  const connection = await requireGithost(queries, scope, id);
  const { provider, host } = await openHost({ ...deps, queries }, connection);
  if (!provider.can.install) {
    throw new InvalidInput(`A connection to ${provider.product} needs no installation.`);
  }
  const state = newCallbackState(session);
  const url = await host.installUrl(state, signal);
  await deps.database.transaction(async (tx) => {
    const now = deps.clock();
    await saveSetupState(tx, connection, hashCallbackState(state, session), now);
    const { organizationId } = scope;
    await recordAudit(
      tx,
      { organizationId, actor, action: 'githost.link-issued', target: connection.id },
      now,
    );
  });
  return url;
}

/** The parameters of the redirect of the Git host. */
export interface SetupRedirect {
  readonly installationId: string;
  readonly state: string;
  /** Hash of the session of the browser that follows the redirect. */
  readonly session?: string | undefined;
}

/** The question that a person answers before an organization gets an installation. */
export interface InstallationQuestion {
  readonly connection: GithostConnection;
  readonly organization: Pick<Organization, 'slug' | 'name'>;
  readonly account: HostAccount;
}

/**
 * Returns what to ask the person who installed the App, and reserves the installation for the organization meanwhile. A
 * link that was not issued by a page of the same browser session may have been sent by somebody else, who would get
 * access to the repositories of that person. The state stays valid, for this installation only: it would otherwise tell
 * the accounts of many.
 * @throws the errors of `finishInstallation`
 */
export async function askAboutInstallation(
  deps: GithostsDeps,
  redirect: SetupRedirect,
  signal: AbortSignal,
): Promise<InstallationQuestion> {
  const { queries } = deps.database;
  const setup = await findSetupState(queries, hashOf(redirect), earliestState(deps));
  if (setup === undefined) throw new InvalidInput(unknownState);
  const { connection } = setup;
  const account = await useInstallation(deps, setup, redirect, signal, async (tx, installation) => {
    const reserved = await reserveInstallation(tx, connection, installation.id, earliestState(deps));
    if (reserved === 'other') return new Conflict('conflict', askedAboutOther);
    return reserved === 'taken' ? undefined : { result: installation.account };
  });
  const organization = await readOrganization(queries, connection);
  return { connection, organization, account };
}

/** Ends an installation that a person does not give to the organization. @throws InvalidInput as `finishInstallation` */
export async function denyInstallation(deps: GithostsDeps, redirect: SetupRedirect): Promise<void> {
  await deps.database.transaction(async (tx) => {
    const taken = await takeSetupState(tx, hashOf(redirect), earliestState(deps));
    if (taken === undefined) throw new InvalidInput(unknownState);
    const { organizationId, id } = taken.connection;
    const details = { installation: redirect.installationId };
    await recordAudit(
      tx,
      { organizationId, actor: { kind: 'system' }, action: 'githost.install-denied', target: id, details },
      deps.clock(),
    );
  });
}

/**
 * Claims an installation for the organization that requested it, and spends the state; a refusal does not spend it. The
 * id comes from a browser and is not trusted, because other organizations of this service may install the same App, and
 * ids can be guessed:
 *
 * - The API of the host must know it as an installation of this App. One of the deployment's App must have changed
 *   since the state was issued; those of an own App are the organization's.
 * - No other connection may have it or ask a person about it, and it must be of the account that the connection had
 *   before, if any.
 * - An organization whose claims were refused too often must wait, so that it cannot try many ids. A guess must also
 *   hit the seconds between the installation and the redirect of the organization that it belongs to.
 *
 * @throws InvalidInput for an unknown, used or expired state and for an installation that the host does not confirm;
 * Conflict if another connection has it; RateLimited after too many refusals
 */
export async function finishInstallation(
  deps: GithostsDeps,
  redirect: SetupRedirect,
  signal: AbortSignal,
): Promise<GithostConnection> {
  const setup = await findSetupState(deps.database.queries, hashOf(redirect), earliestState(deps));
  if (setup === undefined) throw new InvalidInput(unknownState);
  const { organizationId, id: target } = setup.connection;
  return useInstallation(deps, setup, redirect, signal, async (tx, installation) => {
    const claimed = await claimInstallation(tx, setup.connection, installation, earliestState(deps));
    if (claimed === undefined) return undefined;
    // Last, so that a refusal does not spend it.
    const taken = await takeSetupState(tx, hashOf(redirect), earliestState(deps));
    if (taken === undefined) throw new InvalidInput(unknownState);
    const details = { installation: installation.id, account: installation.account.name };
    await recordAudit(
      tx,
      { organizationId, actor: { kind: 'system' }, action: 'githost.installed', target, details },
      deps.clock(),
    );
    await deps.resumeWaiting(tx, claimed, deps.clock());
    return { result: claimed };
  });
}

/**
 * Has an installation read again by the connections that have it, after a redirect without a state: the host sends none
 * after an update. Claims nothing and returns nothing, because anybody may name any id.
 */
export async function recheckInstallation(
  { database }: Pick<GithostsDeps, 'database'>,
  installationId: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    for (const { organizationId, id } of await listGithostsOfInstallation(tx, installationId))
      await enqueue(tx, githostCheck, { organizationId, githostConnectionId: id }, { runAt: 0 });
  });
}

function hashOf({ state, session }: SetupRedirect): string {
  return hashCallbackState(state, session);
}

function earliestState({ clock }: GithostsDeps): number {
  return clock() - githostLimits.setupStateMs;
}

/**
 * Reads an installation from the host, checks it, and calls `use` in a transaction; `use` returns `undefined` if
 * another connection has the installation, or another refusal. A refusal is recorded. @throws the errors of
 * `finishInstallation`
 */
async function useInstallation<Result>(
  deps: GithostsDeps,
  setup: OpenSetup,
  { installationId }: SetupRedirect,
  signal: AbortSignal,
  use: (
    tx: Queries,
    installation: Installation,
  ) => Promise<{ readonly result: Result } | OrgctxError | undefined>,
): Promise<Result> {
  const { database, clock } = deps;
  const { connection } = setup;
  await checkRefusals(database.queries, connection, clock());
  const { host } = await openHost({ ...deps, queries: database.queries }, connection);
  const installation = await refusalAsInput(host.installation(installationId, signal));
  const used = await database.transaction(async (tx) => {
    const refusal = refusalOf(setup, installation);
    const given =
      refusal ??
      (installation && (await use(tx, installation))) ??
      new Conflict('conflict', claimedElsewhere);
    if (given instanceof OrgctxError) {
      const { organizationId, id: target } = connection;
      const details = { installation: installationId };
      const entry = {
        organizationId,
        actor: { kind: 'system' },
        action: refusedAction,
        target,
        details,
      } as const;
      await recordAudit(tx, entry, clock());
    }
    return given;
  });
  if (used instanceof OrgctxError) throw used;
  return used.result;
}

const unknownState =
  'This link is unknown, was used already, is older than 10 minutes, or was made in another browser session. Ask for a new installation link and follow it.';

const refusedAction = 'githost.install-refused';

const dayMs = 24 * 3_600_000;

/** @throws RateLimited if the claims of an organization were refused too often */
async function checkRefusals(
  queries: Queries,
  { organizationId }: GithostConnection,
  now: number,
): Promise<void> {
  const { refusedClaimsPerDay: perDay } = githostLimits;
  const since = now - dayMs;
  if ((await countAudit(queries, { organizationId }, refusedAction, since)) < perDay) return;
  throw new RateLimited(
    `The organization tried to connect installations of the App that were not its own ${perDay} times within a day. Try again tomorrow.`,
    { retryAfter: dayMs / 1_000 },
  );
}

/** Maximum difference between the clocks of this service and the host, in milliseconds. */
const clockSkewMs = 60_000;

/** Returns why a connection cannot have an installation; `undefined` if it can. */
function refusalOf(
  { connection, issuedAt }: OpenSetup,
  installation: Installation | undefined,
): OrgctxError | undefined {
  if (installation === undefined) {
    return new InvalidInput('The Git host knows no such installation of this App. Install the App again.');
  }
  // Anybody may name the installation of another account. Only a person with rights there can install or change it.
  // Until these checks passed, no message names the account: the ids of installations can be guessed.
  const isChanged = (installation.changedAt ?? 0) >= issuedAt - clockSkewMs;
  if (sharesApp(connection) && !isChanged) {
    return new InvalidInput(
      `Installation ${installation.id} of the App of this deployment was made before this link, and nothing was saved there since. Open the App in the settings of its account at ${connection.url} (installed Apps, Configure), change the choice of repositories and save it, then follow the same link again within 10 minutes. The App of your own organization needs no change.`,
    );
  }
  const { account, name } = connection;
  if (account !== undefined && account.id !== installation.account.id) {
    return new InvalidInput(
      `${name} opens the repositories of ${account.name}, but the App was installed for another account. Install it for ${account.name}, or add another connection.`,
    );
  }
  if (installation.suspended) {
    return new InvalidInput(
      'The installation is suspended. Unsuspend it at the Git host, then install the App again.',
    );
  }
  if (installation.missingPermissions.length > 0) {
    return new InvalidInput(
      `The installation lacks permissions: ${installation.missingPermissions.join(', ')}. Grant them at the Git host, then install the App again.`,
    );
  }
  return undefined;
}

const askedAboutOther =
  'This link is for another installation of the App, which it asked about before. Ask for a new link and follow it.';

const claimedElsewhere =
  'The installation belongs to another connection of this service. Remove that connection first, or install the App for another account.';
