import type { Clock } from '../../foundation/kernel/clock.ts';
import { Unauthenticated } from '../../foundation/kernel/errors.ts';
import type { Bearer } from '../remote/bearer.ts';
import { loginHint } from '../remote/login-hint.ts';
import type { LoginService } from './endpoints.ts';
import type { LoginStore, StoredLogin } from './stored-login.ts';
import { refreshTokens } from './tokens.ts';

/** A token is refreshed this long before it expires, in milliseconds, or after half of a shorter lifetime. */
const marginMs = 60_000;

/**
 * Provides the access token of the stored login, and refreshes it shortly before it expires or when the service
 * refuses it. Among concurrent commands, one refreshes and the others use the tokens that it saved, because a refresh
 * token is valid once (the service's REFRESH_GRACE covers concurrent use after a broken lock).
 */
export function loginBearer(service: LoginService, store: LoginStore, clock: Clock): Bearer {
  const stored = async (): Promise<StoredLogin> =>
    (await store.find(service.baseUrl)) ?? throwNotSignedIn(service);
  const refresh = async (seen: StoredLogin): Promise<string> => {
    const login = await store.change(service.baseUrl, async (current) => {
      if (current === undefined) return throwNotSignedIn(service);
      if (current.accessToken !== seen.accessToken) return current;
      return { ...current, ...(await refreshTokens(service, current.refreshToken, clock)) };
    });
    return (login ?? throwNotSignedIn(service)).accessToken;
  };
  return {
    current: async () => {
      const login = await stored();
      const left = login.accessTokenExpiresAt - clock();
      if (left > Math.min(marginMs, login.accessTokenLifetime / 2)) return login.accessToken;
      return refresh(login).catch((error: unknown) => {
        // If the service is briefly unreachable or the local disk is full, the current token is still valid.
        if (left > 0 && !(error instanceof Unauthenticated)) return login.accessToken;
        throw error;
      });
    },
    after: async (refused) => {
      const login = await stored();
      return login.accessToken === refused ? refresh(login) : login.accessToken;
    },
  };
}

function throwNotSignedIn({ baseUrl }: LoginService): never {
  const message = `You are no longer signed in at ${baseUrl}. Run: ${loginHint(baseUrl)}`;
  throw new Unauthenticated('unauthenticated', message);
}
