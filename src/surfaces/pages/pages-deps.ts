import type { SignInDeps } from '../../features/identity/sign-in/sign-in.ts';
import type { UpstreamDeps } from '../../features/identity/upstream/begin-upstream.ts';
import type { AuthorizationServer } from '../../features/oauth/authorization-server.ts';
import type { Config } from '../../foundation/config/config.ts';
import type { Sealer } from '../../foundation/secrets/sealer.ts';
import type { PageCookies } from './kit/cookies.ts';
import type { FormTokens } from './kit/form-tokens.ts';

/** What the pages are built from. */
export interface PagesDeps {
  readonly config: Pick<Config, 'baseUrl' | 'appUrl'>;
  readonly identity: SignInDeps;
  readonly oauth: Pick<
    AuthorizationServer,
    'pending' | 'allow' | 'deny' | 'answered' | 'claimDeviceCode' | 'clientName'
  >;
  /** Sign-in at an identity provider; absent without one. */
  readonly upstream?: UpstreamDeps | undefined;
  /** For forms alone. */
  readonly sealer: Pick<Sealer, 'mac'>;
}

/** The same with what all pages share. */
export interface PageContext extends PagesDeps {
  readonly cookies: PageCookies;
  readonly tokens: FormTokens;
}
