import { z } from 'zod';
import type { Sealer } from '../../../foundation/secrets/sealer.ts';

/** Maximum duration of a sign-in at the provider, in milliseconds (contract section 3: state lives 10 minutes). */
const lifetimeMs = 10 * 60_000;

const place = 'upstream sign-in';

/** A sign-in attempt of one browser. It is stored only in a cookie of that browser, sealed. */
export interface UpstreamAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** The path of this service to redirect to after the sign-in. */
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

/** Unseals an attempt; `undefined` if it is forged, for another issuer, or older than 10 minutes. */
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
