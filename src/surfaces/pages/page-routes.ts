import type { FastifyPluginAsync } from 'fastify';
import { findSession } from '../../features/identity/sign-in/session-store.ts';
import { accountRoutes } from './account/account-routes.ts';
import { passwordRoutes } from './account/password-routes.ts';
import { appRoutes } from './app/app-routes.ts';
import { connectorCallbackRoutes } from './connector-callback-routes.ts';
import { githostSetupRoutes } from './githost-setup-routes.ts';
import { assetRoutes } from './kit/assets/asset-routes.ts';
import { pageCookies } from './kit/requests/cookies.ts';
import { formTokens } from './kit/requests/form-tokens.ts';
import { openPageScope } from './kit/requests/page-scope.ts';
import { deviceRoutes } from './oauth/device-routes.ts';
import { interactionRoutes } from './oauth/interaction-routes.ts';
import type { PageContext, PagesDeps } from './pages-deps.ts';
import { invitationRoutes } from './sign-in/invitation-routes.ts';
import { linkRoutes } from './sign-in/link-routes.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';
import { signOutRoutes } from './sign-in/sign-out-routes.ts';
import { startRoutes } from './sign-in/start-routes.ts';
import { upstreamRoutes } from './sign-in/upstream-routes.ts';

/** Registers all pages. Only pages read cookies: a browser session gives no access to /mcp or REST. */
export function pageRoutes(deps: PagesDeps): FastifyPluginAsync {
  const { config, identity, sealer } = deps;
  const context: PageContext = {
    ...deps,
    cookies: pageCookies(config.baseUrl),
    tokens: formTokens(sealer),
  };
  return async (server) => {
    await server.register(assetRoutes);
    await server.register(async (scope) => {
      await openPageScope(scope, {
        cookies: context.cookies,
        tokens: context.tokens,
        findSession: (token) => findSession(identity.database.queries, token, identity.clock),
        origins: new Set([config.baseUrl, config.appUrl]),
      });
      for (const routes of [
        signInRoutes,
        upstreamRoutes,
        signOutRoutes,
        linkRoutes,
        invitationRoutes,
        accountRoutes,
        passwordRoutes,
        interactionRoutes,
        deviceRoutes,
        githostSetupRoutes,
        connectorCallbackRoutes,
        startRoutes,
      ]) {
        routes(scope, context);
      }
      await scope.register(appRoutes(context));
    });
  };
}
