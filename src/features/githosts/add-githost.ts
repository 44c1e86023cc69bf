import { Conflict } from '../../foundation/kernel/errors.ts';
import { type ConnectionId, newId } from '../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import { invalidField } from '../../foundation/kernel/wire/invalid-field.ts';
import { checkDestination } from '../../foundation/net/check-destination.ts';
import { RefusedDestination } from '../../foundation/net/outbound-error.ts';
import { saveSecret } from '../../foundation/secrets/secret-store.ts';
import type { AuditActor } from '../identity/audit/audit.ts';
import { recordAudit } from '../identity/audit/audit-store.ts';
import { checkDisplayName } from '../identity/people/display-name.ts';
import { lockOrganization } from '../identity/people/membership-store.ts';
import { type GithostConnection, githostLimits } from './githost-connection.ts';
import { countGithosts, findGithostByName, insertGithost } from './githost-store.ts';
import type { GithostsDeps } from './githosts-deps.ts';
import { type OpenedHost, openWith, refusalAsInput } from './open-host.ts';

export interface GithostRequest {
  readonly kind: string;
  /** Default: the kind. Unique in the organization. */
  readonly name?: string | undefined;
  /** The fields of the provider, by name. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * Adds a connection to a Git host. Its credentials are checked at the host first, so that a wrong token is refused at
 * once and nothing of it is stored. An App without an installation is `pending`.
 * @throws InvalidInput for bad fields and for credentials that the host refuses; Conflict for a name that is in use;
 *   RateLimited, Unavailable and OutboundError if the host cannot be asked
 */
export async function addGithost(
  deps: GithostsDeps,
  scope: OrgScope,
  actor: AuditActor,
  request: GithostRequest,
  signal: AbortSignal,
): Promise<GithostConnection> {
  const provider = deps.providers.get(request.kind);
  if (provider === undefined) {
    throw invalidField('kind', `must be one of ${[...deps.providers.keys()].join(', ')}`);
  }
  const name = checkDisplayName(request.name ?? provider.kind, 'name');
  const { fields } = request;
  const opened = openWith(deps, provider, fields);
  checkAddress(deps, opened);
  // An App has no account before it is installed. The link needs the name of the App, which only its key can read.
  const account = provider.can.install
    ? await refusalAsInput(opened.host.installUrl('', signal)).then(() => undefined)
    : await refusalAsInput(opened.host.account(signal));
  const now = deps.clock();
  const secretNames = new Set(provider.fields.filter(({ secret }) => secret).map((field) => field.name));
  const shown = Object.entries(fields).filter(([field]) => !secretNames.has(field));
  const connection: GithostConnection = {
    id: newId<ConnectionId>(now),
    organizationId: scope.organizationId,
    kind: provider.kind,
    name,
    fields: Object.fromEntries(shown),
    url: opened.settings.url,
    apiUrl: opened.settings.apiUrl,
    installationId: undefined,
    error: undefined,
    ...(account === undefined ? { state: 'pending', account } : { state: 'connected', account }),
  };
  await deps.database.transaction(async (tx) => {
    await lockOrganization(tx, scope.organizationId);
    if (!(await insertGithost(tx, connection, now))) {
      throw nameTaken(name, await findGithostByName(tx, scope, name));
    }
    if ((await countGithosts(tx, scope)) > githostLimits.perOrganization) throw tooMany();
    for (const [field, text] of Object.entries(fields)) {
      if (!secretNames.has(field)) continue;
      await saveSecret(tx, deps.keyring, { connectionId: connection.id, field }, text, now);
    }
    const { id: target, kind, url } = connection;
    const entry = { organizationId: scope.organizationId, actor, action: 'githost.added', target };
    await recordAudit(tx, { ...entry, details: { kind, name, url } }, now);
  });
  return connection;
}

/**
 * Checks the URLs of the connection, which come from data: https and public, unless the operator names the host
 * (contract section 3). The addresses behind a name are checked at each connection.
 */
function checkAddress({ provider, allowHosts, baseUrl }: GithostsDeps, { settings }: OpenedHost): void {
  if (settings.url === baseUrl) {
    throw invalidField(
      'url',
      'is the address of this service',
      `${baseUrl} is the address of this service. Give the web address of the Git host.`,
    );
  }
  for (const url of [settings.url, settings.apiUrl]) {
    const origin = URL.parse(url)?.origin;
    if (origin !== undefined && provider.operatorOrigins.includes(origin)) continue;
    try {
      checkDestination(url, 'tenant', allowHosts);
    } catch (error) {
      if (error instanceof RefusedDestination) throw invalidField('url', 'is not allowed', error.message);
      throw error;
    }
  }
}

export function nameTaken(name: string, existing: GithostConnection | undefined): Conflict {
  return new Conflict(
    'conflict',
    `A Git-host connection named ${name} exists already. Use it, or choose another name for the new one (--name on the command line).`,
    { detail: { connectionId: existing?.id } },
  );
}

function tooMany(): Conflict {
  return new Conflict(
    'conflict',
    `An organization can have at most ${githostLimits.perOrganization} Git-host connections. Remove one that is not used.`,
  );
}
