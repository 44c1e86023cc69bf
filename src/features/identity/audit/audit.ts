import type { AuditEventId, UserId } from '../../../foundation/kernel/ids.ts';
import type { Access, Credential } from '../access/principal.ts';

/** The actor of an audit event. `host` is the operator at the command line of the host, `system` the service itself. */
export type AuditActor =
  | {
      readonly kind: 'user';
      readonly userId: UserId;
      readonly email: string;
      /** `session`, `api-key <id>` or `grant <id>`. */
      readonly credential: string;
      /** Address of the sender as reported by the proxy. */
      readonly address?: string | undefined;
    }
  | { readonly kind: 'host' }
  | { readonly kind: 'system' };

/** An event of the audit log, for display. Absent values are `undefined`. */
export interface AuditEvent {
  readonly id: AuditEventId;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: {
    readonly kind: AuditActor['kind'];
    readonly userId: string | undefined;
    /** The e-mail address at the time of the event. */
    readonly email: string | undefined;
    readonly credential: string | undefined;
  };
  /** `<noun>.<past participle>`, such as `member.removed`. */
  readonly action: string;
  /** Id of the changed object. */
  readonly target: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  readonly address: string | undefined;
}

/** Returns the actor for a caller of a surface. */
export function actorOf({ principal, address }: Pick<Access, 'principal' | 'address'>): AuditActor {
  const { userId, email, credential } = principal;
  return { kind: 'user', userId, email, credential: credentialText(credential), address };
}

/** Returns the actor for a user of the pages. */
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
  switch (credential.kind) {
    case 'api-key':
      return `api-key ${credential.apiKeyId}`;
    case 'oauth':
      return `grant ${credential.grantId}`;
    case 'session':
      return 'session';
  }
}
