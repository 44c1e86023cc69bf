import type { ApiKeyId, OrganizationId, RepositoryId, UserId } from '../../../foundation/kernel/ids.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';

export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];
export type Scope = 'mcp' | 'api';

/** A caller and their credential. Only `authenticate` (bearer tokens) and `admitSession` (pages) create it. */
export interface Principal {
  readonly userId: UserId;
  readonly email: string;
  readonly credential: Credential;
  readonly scopes: ReadonlySet<Scope>;
}

export type Credential =
  /** An API key. The request names the organization: any of the user's, or only the one that the key is bound to. */
  | {
      readonly kind: 'api-key';
      readonly apiKeyId: ApiKeyId;
      readonly organizationId: OrganizationId | undefined;
      /** The only repositories that the key reads; it does nothing else. Default: the access of its user. */
      readonly repositories?: ReadonlySet<RepositoryId>;
    }
  | {
      readonly kind: 'oauth';
      readonly grantId: string;
      /** The organization that the user chose at authorization; `undefined` for an unbound grant, which is refused. */
      readonly organizationId: OrganizationId | undefined;
      /** True for orgctx's own command line, which has more rights than other clients, such as creating API keys. */
      readonly firstParty: boolean;
    }
  /** The session of a signed-in browser, for pages only. The address of the page names the organization. */
  | {
      readonly kind: 'session';
      /** Hash of the token, which identifies the session without giving access to it. */
      readonly sessionHash: string;
      readonly organizationId: undefined;
    };

/** A principal inside one organization. Every handler receives it. */
export interface Access {
  readonly principal: Principal;
  readonly scope: OrgScope;
  readonly role: Role;
  /** Address of the sender as reported by the proxy, for the audit log. */
  readonly address?: string | undefined;
}
