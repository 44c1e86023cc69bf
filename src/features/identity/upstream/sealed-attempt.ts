import { z } from 'zod';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';

/** How long somebody may take at the provider (contract section 3: state lives 10 minutes). */
const lifetimeMs = 10 * 60_000;

const place = 'upstream sign-in';

/** What one browser began at the provider. It travels in that browser's cookie alone, sealed. */
export interface UpstreamAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** A path of ours, where they wanted to go. */
  readonly returnTo: string;
}

const sealedAttempt = z.object({
  issuer: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  returnTo: z.string(),
  expiresAt: z.number(),
});

export function sealAttempt(
  sealer: Pick<Sealer, 'seal'>,
  attempt: UpstreamAttempt & { readonly issuer: string },
  now: number,
): string {
  return sealer.seal(place, JSON.stringify({ ...attempt, expiresAt: now + lifetimeMs }));
}

/** `undefined` for what is not ours, was begun at another issuer, or is older than 10 minutes. */
export function openAttempt(
  sealer: Pick<Sealer, 'open'>,
  sealed: string,
  { issuer, now }: { readonly issuer: string; readonly now: number },
): UpstreamAttempt | undefined {
  const text = sealer.open(place, sealed);
  if (text === undefined) return undefined;
  const attempt = sealedAttempt.parse(JSON.parse(text));
  return attempt.issuer === issuer && attempt.expiresAt > now ? attempt : undefined;
}
