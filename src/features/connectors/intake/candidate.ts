import type { ConnectionId } from '../../../foundation/kernel/ids.ts';

/** A connection of the workspace or account that a webhook claims to be about. */
export interface Candidate {
  readonly connectionId: ConnectionId;
  readonly account: string;
  /** Whether what happens there is to be mirrored. */
  readonly following: boolean;
  readonly secret: CandidateSecret;
}

export type CandidateSecret =
  | { readonly kind: 'own'; readonly text: string }
  | { readonly kind: 'none' }
  /** Saved, and cannot be decrypted: a fault of ours, whoever asks. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

/** Of one account, most often one; empty for an account that nobody has connected. */
export type FindCandidates = (account: string) => Promise<readonly Candidate[]>;
