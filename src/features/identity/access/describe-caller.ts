import type { Queries } from '../../../foundation/db/database.ts';
import type { DescribeGrant } from '../identity-deps.ts';
import type { Access, Credential, Role, Scope } from './principal.ts';

/** The kinds of credentials that clients have. Sessions belong to pages, which do not describe them. */
type DescribedKind = Exclude<Credential['kind'], 'session'>;

/** A description of a caller's user, organization and credential, for the caller. */
export interface CallerDescription {
  readonly user: { readonly id: string; readonly email: string };
  readonly organization: { readonly slug: string; readonly name: string; readonly role: Role };
  readonly credential: {
    readonly kind: DescribedKind;
    /** Id of the API key or the grant. */
    readonly id: string;
    /** Name of the API key, or of the authorized client. */
    readonly name: string;
    /** Expiry in milliseconds since the epoch; use of a grant extends it. */
    readonly expiresAt: number | undefined;
  };
  readonly scopes: readonly Scope[];
}

export interface DescribeCallerDeps {
  readonly queries: Queries;
  readonly describeGrant: DescribeGrant;
}

/** Describes an admitted caller. */
export async function describeCaller(deps: DescribeCallerDeps, access: Access): Promise<CallerDescription> {
  const { queries } = deps;
  const { principal, scope, role } = access;
  const organization = await queries
    .selectFrom('organizations')
    .where('id', '=', scope.organizationId)
    .select('name')
    .executeTakeFirst();
  return {
    user: { id: principal.userId, email: principal.email },
    organization: { slug: scope.orgSlug, name: organization?.name ?? scope.orgSlug, role },
    credential: await describeCredential(deps, principal.credential),
    scopes: [...principal.scopes].toSorted(),
  };
}

async function describeCredential(
  { queries, describeGrant }: DescribeCallerDeps,
  credential: Credential,
): Promise<CallerDescription['credential']> {
  if (credential.kind === 'api-key') {
    const key = await queries
      .selectFrom('api_keys')
      .where('id', '=', credential.apiKeyId)
      .select(['name', 'expires_at'])
      .executeTakeFirst();
    return described(credential.kind, credential.apiKeyId, key?.name, key?.expires_at);
  }
  if (credential.kind === 'session') throw new Error('a session is no credential of a client');
  const grant = await describeGrant(queries, credential.grantId);
  return described(credential.kind, credential.grantId, grant?.clientName, grant?.expiresAt);
}

/** Builds the description. A credential that was deleted after the caller's admission has an empty name. */
function described(
  kind: DescribedKind,
  id: string,
  name: string | undefined,
  expiresAt: number | null | undefined,
): CallerDescription['credential'] {
  return { kind, id, name: name ?? '', expiresAt: expiresAt ?? undefined };
}
