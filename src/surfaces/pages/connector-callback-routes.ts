import type { FastifyInstance } from 'fastify';
import type { Connection } from '../../features/connectors/connections/connection.ts';
import { finishAuthorization } from '../../features/connectors/setup/authorize-connection.ts';
import { organizationScope } from '../../features/identity/people/organization-store.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { appPath } from './app/app-path.ts';
import { el } from './kit/html/element.ts';
import { card, type Page } from './kit/html/layout.ts';
import { visitorOf } from './kit/requests/page-scope.ts';
import { seeOther, sendPage } from './kit/requests/send-page.ts';
import { textParameter } from './kit/requests/text-parameter.ts';
import { connectorCallbackPath } from './page-paths.ts';
import type { PageContext } from './pages-deps.ts';

/**
 * Registers the page of each connector to which its provider redirects after an authorization. The state in the URL
 * names the connection. A state of the wizard leads back to it; one that was issued over REST or the command line needs
 * no browser session (contract section 3).
 */
export function connectorCallbackRoutes(server: FastifyInstance, { connections }: PageContext): void {
  for (const { kind } of connections.connectors) {
    server.get(connectorCallbackPath(kind), { schema: { hide: true } }, async (request, reply) => {
      const { query } = request;
      const response = {
        state: textParameter(query, 'state'),
        code: textParameter(query, 'code'),
        error: textParameter(query, 'error'),
        errorDescription: textParameter(query, 'error_description'),
        session: visitorOf(request).session?.hash,
      };
      const connection = await finishAuthorization(connections, kind, response, disconnectSignal(reply));
      const { queries } = connections.database;
      const scope = connection.ofPage && (await organizationScope(queries, connection.organizationId));
      if (scope) return seeOther(reply, appPath(scope.orgSlug, `/connections/${connection.id}/setup`));
      return sendPage(reply, authorizedPage(connection));
    });
  }
}

function authorizedPage({ name, account, binding }: Connection): Page {
  const next =
    binding === undefined
      ? 'Next, choose the repository to mirror into. You can close this window and return to the terminal.'
      : 'You can close this window and return to the terminal.';
  const title = 'Account authorized';
  const text = `The connection ${visibleLine(name)} is authorized for ${visibleLine(account?.name ?? '')}. ${next}`;
  return { title, content: card(title, el('p', null, text)) };
}
