import type { InvitationId } from '../../../foundation/kernel/ids.ts';
import type { Role } from '../access/principal.ts';

/** Somebody is asked into an organization. Times are milliseconds since the epoch. */
export interface Invitation {
  readonly id: InvitationId;
  /** Only who has this address can accept it. */
  readonly email: string;
  readonly role: Role;
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** What opening the link of an invitation would come to. */
export type InvitationState =
  | {
      readonly state: 'valid';
      readonly email: string;
      readonly role: Role;
      /** The organization's name for people. */
      readonly organization: string;
      /** Whether somebody with this address exists, who then signs in first. */
      readonly known: boolean;
    }
  | { readonly state: 'expired' | 'used' | 'unknown' };

export const invitationLimits = {
  lifetimeMs: 7 * 24 * 3_600_000,
  /** Open ones of one organization. */
  open: 500,
} as const;

/** Where people open it. `appUrl` is the origin of page links, without a trailing slash. */
export function invitationUrl(appUrl: string, token: string): string {
  return `${appUrl}/.auth/invitation/${token}`;
}
