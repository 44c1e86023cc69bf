import { Conflict, InvalidInput } from '../../foundation/kernel/errors.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { saveSecret } from '../../foundation/secrets/secret-store.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { recordAudit } from '../identity/audit/audit-store.ts';
import { checkDisplayName } from '../identity/people/display-name.ts';
import { lockOrganization } from '../identity/people/membership-store.ts';
import { nameTaken } from './add-githost.ts';
import { type GithostConnection, isReplaceable } from './githost-connection.ts';
import { findGithostByName, requireGithost, updateGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { openUnrecorded, refusalAsInput } from './open-host.ts';

/** The changes of a connection; what is absent stays. */
export interface GithostChanges {
  readonly name?: string | undefined;
  /** New values of replaceable fields of the provider, by name. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Changes the name of a connection or replaces its credentials, for example an expired token. New credentials are
 * checked at the host before they replace the old ones. The host and the account stay: what uses the connection would
 * otherwise read other repositories. What waits for it then starts.
 * @throws NotFound; InvalidInput for bad fields, for credentials that the host refuses and for those of another
 * account; Conflict for a name that is in use; RateLimited, Unavailable and OutboundError if the host cannot be asked
 */
export async function setGithost(
  deps: GithostsDeps,
  scope: OrgScope,
  actor: AuditActor,
  id: string,
  changes: GithostChanges,
  signal: AbortSignal,
): Promise<GithostConnection> {
  const present = await requireGithost(deps.database.queries, scope, id);
  const name = changes.name === undefined ? present.name : checkDisplayName(changes.name, 'name');
  const given = Object.keys(changes.fields);
  if (changes.name === undefined && given.length === 0) {
    throw new InvalidInput('Nothing to change was given. Give a name or new credentials.');
  }
  const checked = given.length === 0 ? {} : await checkFields(deps, present, changes.fields, signal);
  const isSecret = secretFieldsOf(deps, present);
  return deps.database.transaction(async (tx) => {
    await lockOrganization(tx, scope.organizationId);
    const connection = await requireGithost(tx, scope, id);
    if (connection.installationId !== present.installationId) throw installedMeanwhile();
    const other = await findGithostByName(tx, scope, name);
    if (other !== undefined && other.id !== connection.id) throw nameTaken(name, other);
    const now = deps.clock();
    const fields = { ...connection.fields };
    for (const [field, text] of Object.entries(changes.fields)) {
      if (!isSecret.has(field)) fields[field] = text;
      else await saveSecret(tx, deps.keyring, { connectionId: connection.id, field }, text, now);
    }
    const changed = { ...connection, ...checked, name, fields };
    await updateGithost(tx, changed);
    if (given.length > 0) await deps.resumeWaiting(tx, connection, now);
    const entry = { organizationId: scope.organizationId, actor, action: 'githost.changed', target: id };
    await recordAudit(tx, { ...entry, details: { name, replaced: given } }, now);
    return changed;
  });
}

function secretFieldsOf({ providers }: GithostsDeps, { kind }: GithostConnection): ReadonlySet<string> {
  const fields = providers.get(kind)?.fields ?? [];
  return new Set(fields.filter(({ secret }) => secret).map(({ name }) => name));
}

function installedMeanwhile(): Conflict {
  return new Conflict('conflict', 'The App of the connection was installed meanwhile. Try again.');
}

/** Returns the state that follows from a check of new values at the host. */
async function checkFields(
  deps: GithostsDeps,
  connection: GithostConnection,
  changes: GithostChanges['fields'],
  signal: AbortSignal,
): Promise<Pick<GithostConnection, 'state' | 'account' | 'error'>> {
  const fixed = Object.keys(changes).find((field) => !isReplaceable(field));
  if (fixed !== undefined) throw invalidField(fixed, 'cannot be changed. Add another connection');
  const { queries } = deps.database;
  const { provider, settings, host } = await openUnrecorded({ ...deps, queries }, connection, changes);
  if (settings.deploymentApp === true) throw usesDeploymentApp(connection);
  const { state, account: present, error } = connection;
  // The host checks no webhook secret.
  if (Object.keys(changes).every((field) => field === 'webhookSecret')) {
    return { state, account: present, error };
  }
  if (provider.can.install && connection.installationId === undefined) {
    // There is no account yet. The link needs the name of the App, which only its key can read.
    await refusalAsInput(host.installUrl('', signal));
    return { state, account: present, error };
  }
  const account = await refusalAsInput(host.account(signal));
  // A kind without an API knows only the name of the user, which changes with some tokens.
  if (provider.can.list && present !== undefined && present.id !== account.id) {
    throw new InvalidInput(
      `These credentials are of ${account.name}, but ${connection.name} opens the repositories of ${present.name}. Give credentials of ${present.name}, or add another connection.`,
    );
  }
  return { state: 'connected', account, error: undefined };
}

function usesDeploymentApp({ name }: GithostConnection): InvalidInput {
  return new InvalidInput(
    `${name} uses the App of this deployment. Its credentials are settings, which the operator changes: GITHOST_APP_PRIVATE_KEY and GITHOST_WEBHOOK_SECRET.`,
  );
}
