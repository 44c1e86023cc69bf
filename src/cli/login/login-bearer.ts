import type { Clock } from '../../foundation/kernel/clock.ts';
import { Unauthenticated } from '../../foundation/kernel/errors.ts';
import type { Bearer } from '../bearer.ts';
import { loginHint } from '../login-hint.ts';
import type { LoginService } from './endpoints.ts';
import type { LoginStore, StoredLogin } from './stored-login.ts';
import { refreshTokens } from './tokens.ts';

/** A token that is about to end is not begun with; half of a short life is enough. */
const marginMs = 60_000;

/**
 * The access token of the stored login, changed for a new one shortly before it ends or when the service refuses it.
 * Of several commands at once one refreshes, and the others take what it saved: a refresh token counts once (the
 * service's REFRESH_GRACE covers what a broken lock lets through).
 */
export function loginBearer(service: LoginService, store: LoginStore, clock: Clock): Bearer {
  const stored = async (): Promise<StoredLogin> => (await store.find(service.baseUrl)) ?? gone(service);
  const refresh = async (seen: StoredLogin): Promise<string> => {
    const login = await store.change(service.baseUrl, async (current) => {
      if (current === undefined) return gone(service);
      if (current.accessToken !== seen.accessToken) return current;
      return { ...current, ...(await refreshTokens(service, current.refreshToken, clock)) };
    });
    return (login ?? gone(service)).accessToken;
  };
  return {
    current: async () => {
      const login = await stored();
      const left = login.accessTokenExpiresAt - clock();
      if (left > Math.min(marginMs, login.accessTokenLifetime / 2)) return login.accessToken;
      return refresh(login).catch((error: unknown) => {
        // A service that is away for a moment, or a full disk here: the token in hand still counts.
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

function gone({ baseUrl }: LoginService): never {
  const words = `Not signed in at ${baseUrl} any more. Run ${loginHint(baseUrl)}`;
  throw new Unauthenticated('unauthenticated', words);
}
