import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { createSession } from '../sign-in/session-store.ts';
import type { SignedIn } from '../sign-in/sign-in.ts';
import { admitIdentity } from './admit-identity.ts';
import type { UpstreamDeps } from './begin-upstream.ts';
import { exchangeCode } from './exchange-code.ts';
import { openAttempt } from './sealed-attempt.ts';

export interface UpstreamCallback {
  /** The unmodified query of the callback. */
  readonly query: URLSearchParams;
  /** The value of this browser's cookie; `undefined` if there is none. */
  readonly sealed: string | undefined;
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

export interface UpstreamSignedIn extends SignedIn {
  readonly returnTo: string;
}

/**
 * Signs in the user who returns from the identity provider.
 * @throws InvalidInput for a callback of an attempt that this browser did not start, or if the provider refused the
 * sign-in; UpstreamRefused if the user is not admitted; Unavailable if the provider does not return a valid response
 */
export async function finishUpstream(
  deps: UpstreamDeps,
  callback: UpstreamCallback,
): Promise<UpstreamSignedIn> {
  const { provider, sealer, database, clock } = deps;
  const attempt =
    callback.sealed === undefined
      ? undefined
      : openAttempt(sealer, callback.sealed, { issuer: provider.issuer, now: clock() });
  const [state, ...more] = callback.query.getAll('state');
  if (attempt === undefined || state !== attempt.state || more.length > 0) throw unknownAttempt();
  const identity = await exchangeCode(provider, callback.query, attempt);
  const { address, userAgent } = callback;
  return database.transaction(async (tx) => {
    const user = await admitIdentity(tx, provider, identity, clock());
    const actor = actorOfSession({ userId: user.id, email: user.email, address });
    const details = { issuer: provider.issuer };
    await recordAudit(tx, { organizationId: null, actor, action: 'session.begun', details }, clock());
    const session = await createSession(tx, { userId: user.id, address, userAgent }, clock);
    return { ...session, user, returnTo: attempt.returnTo };
  });
}

function unknownAttempt(): InvalidInput {
  return new InvalidInput(
    'This sign-in was started in another browser or more than 10 minutes ago, or it has been used. Start again.',
  );
}
