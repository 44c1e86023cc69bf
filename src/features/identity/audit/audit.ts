import type { AuditEventId, UserId } from '../../../foundation/kernel/ids.ts';
import type { Access, Credential } from '../access/principal.ts';

/** Who did it. `host` is the operator at the command line of the host, `system` the service itself. */
export type AuditActor =
  | {
      readonly kind: 'user';
      readonly userId: UserId;
      readonly email: string;
      /** `session`, `api-key <id>` or `grant <id>`. */
      readonly credential: string;
      /** Where the request came from, as the proxy tells. */
      readonly address?: string | undefined;
    }
  | { readonly kind: 'host' }
  | { readonly kind: 'system' };

/** One thing that was done, as it is shown. Expected absence is `undefined`. */
export interface AuditEvent {
  readonly id: AuditEventId;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: {
    readonly kind: AuditActor['kind'];
    readonly userId: string | undefined;
    /** As it was then. */
    readonly email: string | undefined;
    readonly credential: string | undefined;
  };
  /** `<noun>.<what happened>`: `member.removed`. */
  readonly action: string;
  /** Id of what it was done to. */
  readonly target: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | undefined;
}

/** The caller of a surface as an actor. */
export function actorOf({ principal, address }: Pick<Access, 'principal' | 'address'>): AuditActor {
  const { userId, email, credential } = principal;
  return { kind: 'user', userId, email, credential: credentialText(credential), address };
}

/** A person at a page. */
export function actorOfSession({
  userId,
  email,
  address,
}: {
  readonly userId: UserId;
  readonly email: string;
  readonly address?: string | undefined;
}): AuditActor {
  return { kind: 'user', userId, email, credential: 'session', address };
}

function credentialText(credential: Credential): string {
  return credential.kind === 'api-key' ? `api-key ${credential.apiKeyId}` : `grant ${credential.grantId}`;
}
