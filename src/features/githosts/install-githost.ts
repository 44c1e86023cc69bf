import type { Installation } from '../../backends/git-providers/port.ts';
import type { Queries } from '../../foundation/db/database.ts';
import { Conflict, InvalidInput, OrgctxError, RateLimited } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { countAudit, recordAudit } from '../identity/audit/audit-store.ts';
import { hashToken, newSecretToken } from '../identity/secret-token.ts';
import { type GithostConnection, githostLimits, sharesApp } from './githost-connection.ts';
import {
  claimInstallation,
  requireGithost,
  saveSetupState,
  type TakenSetup,
  takeSetupState,
} from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { openHost, refusalAsInput } from './open-host.ts';

/**
 * Returns the page at which a person installs the App of a connection. Its state is valid once, for 10 minutes, and
 * replaces an earlier one. @throws NotFound; InvalidInput for a kind without an App
 */
export async function installUrlOf(
  deps: GithostsDeps,
  scope: OrgScope,
  actor: AuditActor,
  id: string,
  signal: AbortSignal,
): Promise<string> {
  const { queries } = deps.database;
  const connection = await requireGithost(queries, scope, id);
  const { provider, host } = await openHost({ ...deps, queries }, connection);
  if (!provider.can.install) {
    throw new InvalidInput(`A connection to ${provider.title} needs no installation.`);
  }
  const state = newSecretToken();
  const url = await host.installUrl(state, signal);
  await deps.database.transaction(async (tx) => {
    const now = deps.clock();
    await saveSetupState(tx, connection, hashToken(state), now);
    const { organizationId } = scope;
    await recordAudit(
      tx,
      { organizationId, actor, action: 'githost.link-issued', target: connection.id },
      now,
    );
  });
  return url;
}

export interface SetupRedirect {
  readonly installationId: string;
  readonly state: string;
}

/**
 * Claims an installation for the organization that requested it. The id comes from a browser and is not trusted,
 * because other organizations of this service install the same App, and ids can be guessed:
 *
 * - The API of the host must know it as an installation of this App, changed since the state was issued.
 * - No other connection may have it, and it must be of the account that the connection had before, if any.
 * - An organization whose claims were refused too often must wait, so that it cannot try many ids. A guess must also hit
 *   the seconds between the installation and the redirect of the organization that it belongs to.
 *
 * @throws InvalidInput for an unknown, used or expired state and for an installation that the host does not confirm;
 *   Conflict if another connection has it; RateLimited after too many refusals
 */
export async function finishInstallation(
  deps: GithostsDeps,
  redirect: SetupRedirect,
  signal: AbortSignal,
): Promise<GithostConnection> {
  const { database, clock } = deps;
  const taken = await takeSetupState(
    database.queries,
    hashToken(redirect.state),
    clock() - githostLimits.setupStateMs,
  );
  if (taken === undefined) throw new InvalidInput(unknownState);
  const { connection } = taken;
  if (sharesApp(connection)) await checkRefusals(database.queries, connection, clock());
  const { host } = await openHost({ ...deps, queries: database.queries }, connection);
  const installation = await refusalAsInput(host.installation(redirect.installationId, signal));
  const claimed = await database.transaction(async (tx) => {
    const given = await claim(tx, taken, installation);
    const isRefused = given instanceof OrgctxError;
    const entry = {
      organizationId: connection.organizationId,
      actor: { kind: 'system' },
      action: isRefused ? refusedAction : 'githost.installed',
      target: connection.id,
      details: { installation: redirect.installationId, ...(!isRefused && { account: given.account?.name }) },
    } as const;
    await recordAudit(tx, entry, clock());
    return given;
  });
  if (claimed instanceof OrgctxError) throw claimed;
  return claimed;
}

const unknownState =
  'This link is unknown, was used already, or is older than 10 minutes. Ask for a new installation link and follow it.';

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

/** Gives an installation to the connection that asked for it, or returns why not. */
async function claim(
  tx: Queries,
  { connection, issuedAt }: TakenSetup,
  installation: Installation | undefined,
): Promise<GithostConnection | OrgctxError> {
  if (installation === undefined) {
    return new InvalidInput('The Git host knows no such installation of this App. Install the App again.');
  }
  // Anybody may name the installation of another account. Only a person with rights there can install or change it.
  // Until the claim succeeds, no message names the account: the ids of installations can be guessed.
  if (installation.changedAt === undefined || installation.changedAt < issuedAt - clockSkewMs) {
    return new InvalidInput(
      'The App was installed before this link was made, and not changed since. Ask for a new link, change the choice of repositories at the Git host and save it, or uninstall the App and install it again.',
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
  const claimed = await claimInstallation(tx, connection, installation.id, installation.account);
  return claimed ?? claimedElsewhere();
}

function claimedElsewhere(): Conflict {
  return new Conflict(
    'conflict',
    'The installation belongs to another connection of this service. Remove that connection first, or install the App for another account.',
  );
}
