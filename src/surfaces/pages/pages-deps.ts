import type { AnswerDeps } from '../../features/advisor/advisor-deps.ts';
import type { SetupDeps } from '../../features/connectors/connections/connections-deps.ts';
import type { GithostsDeps } from '../../features/githosts/githosts-deps.ts';
import type { SignInDeps } from '../../features/identity/sign-in/sign-in.ts';
import type { UpstreamDeps } from '../../features/identity/upstream/begin-upstream.ts';
import type { KnowledgeDeps } from '../../features/knowledge/knowledge-deps.ts';
import type { AuthorizationServer } from '../../features/oauth/authorization-server.ts';
import type { RepositoriesDeps } from '../../features/repositories/repositories-deps.ts';
import type { Config } from '../../foundation/config/config.ts';
import type { Sealer } from '../../foundation/secrets/sealer.ts';
import type { PageCookies } from './kit/requests/cookies.ts';
import type { FormTokens } from './kit/requests/form-tokens.ts';
import type { HostChecks } from './system/host-checks.ts';

/** The dependencies of the pages. */
export interface PagesDeps {
  readonly config: Pick<Config, 'baseUrl' | 'appUrl'>;
  readonly identity: SignInDeps;
  readonly oauth: Pick<
    AuthorizationServer,
    'pending' | 'allow' | 'deny' | 'answered' | 'enterDeviceCode' | 'clientName'
  >;
  readonly repositories: RepositoriesDeps;
  /** Code search, source reading and the advisor over both. */
  readonly answers: AnswerDeps;
  readonly knowledge: KnowledgeDeps;
  readonly githosts: GithostsDeps;
  /** The checks of the host, for the system page. */
  readonly hostChecks: HostChecks;
  readonly connections: SetupDeps;
  /** Sign-in at an identity provider; absent if none is configured. */
  readonly upstream?: UpstreamDeps | undefined;
  /** Creates the tokens of forms. */
  readonly sealer: Pick<Sealer, 'mac'>;
}

/** The dependencies together with the cookies and form tokens that all pages share. */
export interface PageContext extends PagesDeps {
  readonly cookies: PageCookies;
  readonly tokens: FormTokens;
}
