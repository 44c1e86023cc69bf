import type { Installation } from '../../backends/git-providers/port.ts';
import { GitHostError } from '../../backends/git-providers/port.ts';
import { Conflict, InvalidInput } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { recordAudit } from '../identity/audit/audit-store.ts';
import { hashToken, newSecretToken } from '../identity/secret-token.ts';
import { type GithostConnection, githostLimits } from './githost-connection.ts';
import { claimInstallation, requireGithost, saveSetupState, takeSetupState } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { openHost } from './open-host.ts';

/**
 * Returns the page at which a person installs the App of a connection. Its state is valid once, for 10 minutes, and
 * replaces an earlier one. @throws NotFound; InvalidInput for a kind without an App
 */
export async function installUrlOf(
  deps: GithostsDeps,
  scope: OrgScope,
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
  await saveSetupState(queries, connection, hashToken(state), deps.clock());
  return url;
}

export interface SetupRedirect {
  readonly installationId: string;
  readonly state: string;
}

/**
 * Claims an installation for the organization that requested it. The id comes from a browser and is not trusted: the
 * API of the host must know it as an installation of this App, changed since the state was issued, and no other
 * connection may have it.
 * @throws InvalidInput for an unknown, used or expired state and for an installation that the host does not confirm;
 *   Conflict if another connection has it
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
  const { connection, issuedAt } = taken;
  const { host } = await openHost({ ...deps, queries: database.queries }, connection);
  const installation = await confirmed(() => host.installation(redirect.installationId, signal), issuedAt);
  const now = clock();
  return database.transaction(async (tx) => {
    const claimed = await claimInstallation(tx, connection, installation.id, installation.account);
    if (claimed === undefined) throw claimedElsewhere();
    await recordAudit(
      tx,
      {
        organizationId: connection.organizationId,
        actor: { kind: 'system' },
        action: 'githost.installed',
        target: connection.id,
        details: { installation: installation.id, account: installation.account.name },
      },
      now,
    );
    return claimed;
  });
}

const unknownState =
  'This link is unknown, was used already, or is older than 10 minutes. Ask for a new installation link and follow it.';

/** Maximum difference between the clocks of this service and the host, in milliseconds. */
const clockSkewMs = 60_000;

async function confirmed(
  look: () => Promise<Installation | undefined>,
  issuedAt: number,
): Promise<Installation> {
  const installation = await look().catch((error: unknown) => {
    if (error instanceof GitHostError) throw new InvalidInput(error.message, { cause: error });
    throw error;
  });
  if (installation === undefined) {
    throw new InvalidInput('The Git host knows no such installation of this App. Install the App again.');
  }
  // Anybody may name the installation of another account. Only a person with rights there can install or change it.
  // Until the claim succeeds, no message names the account: the ids of installations can be guessed.
  if (installation.changedAt === undefined || installation.changedAt < issuedAt - clockSkewMs) {
    throw new InvalidInput(
      'The App was installed before this link was made, and not changed since. Ask for a new link, change the choice of repositories at the Git host and save it, or uninstall the App and install it again.',
    );
  }
  if (installation.suspended) {
    throw new InvalidInput(
      'The installation is suspended. Unsuspend it at the Git host, then install the App again.',
    );
  }
  if (installation.missingPermissions.length > 0) {
    throw new InvalidInput(
      `The installation lacks permissions: ${installation.missingPermissions.join(', ')}. Grant them at the Git host, then install the App again.`,
    );
  }
  return installation;
}

function claimedElsewhere(): Conflict {
  return new Conflict(
    'conflict',
    'The installation belongs to another connection of this service. Remove that connection first, or install the App for another account.',
  );
}
