import type { InvitationId } from '../../../foundation/kernel/ids.ts';
import type { Role } from '../access/principal.ts';

/** An invitation to an organization. Times are in milliseconds since the epoch. */
export interface Invitation {
  readonly id: InvitationId;
  /** Only the user with this e-mail address can accept the invitation. */
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** The state of an invitation, as its link shows it. */
export type InvitationState =
  | {
      readonly state: 'valid';
      readonly email: string;
      readonly role: Role;
      /** Display name of the organization. */
      readonly organization: string;
      /** True if an account with this e-mail address exists; its user must sign in first. */
      readonly known: boolean;
    }
  | { readonly state: 'expired' | 'used' | 'unknown' };

export const invitationLimits = {
  lifetimeMs: 7 * 24 * 3_600_000,
  /** Maximum number of open invitations of an organization. */
  open: 500,
} as const;

/** Returns the URL of an invitation. `appUrl` is the origin of page links, without a trailing slash. */
export function invitationUrl(appUrl: string, token: string): string {
  return `${appUrl}/.auth/invitation/${token}`;
}
