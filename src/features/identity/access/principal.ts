import type { ApiKeyId, OrganizationId, UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

export type Role = 'owner' | 'admin' | 'member';
export type Scope = 'mcp' | 'api';

/** Who calls, and with what. Made by `authenticate` from a bearer token; nothing else makes one. */
export interface Principal {
  readonly userId: UserId;
  readonly email: string;
  readonly credential: Credential;
  readonly scopes: ReadonlySet<Scope>;
}

export type Credential =
  /** The request names the organization: any of its user's, or the one that the key was made for. */
  | {
      readonly kind: 'api-key';
      readonly apiKeyId: ApiKeyId;
      readonly organizationId: OrganizationId | undefined;
    }
  | {
      readonly kind: 'oauth';
      readonly grantId: string;
      /** Chosen when it was authorized; `undefined` for an unbound grant, which is refused. */
      readonly organizationId: OrganizationId | undefined;
      /** Of our own command line: it may do what no other client may, such as making API keys. */
      readonly firstParty: boolean;
    };

/** A principal inside one organization: what every handler receives. */
export interface Access {
  readonly principal: Principal;
  readonly scope: OrgScope;
  readonly role: Role;
  /** Where the request came from, as the proxy tells: for the audit log. */
  readonly address?: string | undefined;
}
