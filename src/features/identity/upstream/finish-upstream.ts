import { InvalidInput } from '../../../foundation/kernel/errors.ts';
import { actorOfSession } from '../audit/audit.ts';
import { recordAudit } from '../audit/audit-store.ts';
import { createSession } from '../sign-in/session-store.ts';
import type { SignedIn } from '../sign-in/sign-in.ts';
import { admitIdentity } from './admit-identity.ts';
import type { UpstreamDeps } from './begin-upstream.ts';
import { exchangeCode } from './exchange-code.ts';
import { openAttempt } from './sealed-attempt.ts';

export interface UpstreamAnswer {
  /** Of the callback, as it came. */
  readonly query: URLSearchParams;
  /** From the cookie of this browser; `undefined` where there is none. */
  readonly sealed: string | undefined;
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

export interface UpstreamSignedIn extends SignedIn {
  readonly returnTo: string;
}

/**
 * Signs in who comes back from the identity provider.
 * @throws InvalidInput for an answer to nothing that this browser began, and for a refusal at the provider;
 * UpstreamRefused for a person who may not come in; Unavailable for a provider that cannot be relied on
 */
export async function finishUpstream(deps: UpstreamDeps, answer: UpstreamAnswer): Promise<UpstreamSignedIn> {
  const { provider, sealer, database, clock } = deps;
  const attempt =
    answer.sealed === undefined
      ? undefined
      : openAttempt(sealer, answer.sealed, { issuer: provider.issuer, now: clock() });
  const [state, ...more] = answer.query.getAll('state');
  if (attempt === undefined || state !== attempt.state || more.length > 0) throw unknownAttempt();
  const identity = await exchangeCode(provider, answer.query, attempt);
  const { address, userAgent } = answer;
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
    'This sign-in was begun in another browser, or longer than 10 minutes ago, or it has been used. Begin again.',
  );
}
