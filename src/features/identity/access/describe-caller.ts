import type { Queries } from '../../../foundation/db/database.ts';
import type { Access, Credential, Role, Scope } from './principal.ts';

/** What a credential is good for, as its holder may know it. */
export interface CallerDescription {
  readonly user: { readonly id: string; readonly email: string };
  readonly organization: { readonly slug: string; readonly name: string; readonly role: Role };
  readonly credential: {
    readonly kind: Credential['kind'];
    /** Of the API key or the grant. */
    readonly id: string;
    /** What the key is called, or the client that was authorized. */
    readonly name: string;
    /** Milliseconds since the epoch; of a grant, when it ends unless it is used. */
    readonly expiresAt: number | undefined;
  };
  readonly scopes: readonly Scope[];
}

/** Who an admitted caller is, where they are and with what. */
export async function describeCaller(queries: Queries, access: Access): Promise<CallerDescription> {
  const { principal, scope, role } = access;
  const organization = await queries
    .selectFrom('organizations')
    .where('id', '=', scope.organizationId)
    .select('name')
    .executeTakeFirst();
  return {
    user: { id: principal.userId, email: principal.email },
    organization: { slug: scope.orgSlug, name: organization?.name ?? scope.orgSlug, role },
    credential: await describeCredential(queries, principal.credential),
    scopes: [...principal.scopes].toSorted(),
  };
}

async function describeCredential(
  queries: Queries,
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
  const grant = await queries
    .selectFrom('oauth_grants')
    .where('id', '=', credential.grantId)
    .select(['client_name', 'expires_at'])
    .executeTakeFirst();
  return described(credential.kind, credential.grantId, grant?.client_name, grant?.expires_at);
}

/** It was there when the caller was admitted; one that has gone since has no name left. */
function described(
  kind: Credential['kind'],
  id: string,
  name: string | undefined,
  expiresAt: number | null | undefined,
): CallerDescription['credential'] {
  return { kind, id, name: name ?? '', expiresAt: expiresAt ?? undefined };
}
