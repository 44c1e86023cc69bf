import type { FastifyInstance } from 'fastify';
import { finishInstallation } from '../../features/githosts/install-githost.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { el } from './kit/html/element.ts';
import { card, type Page } from './kit/html/layout.ts';
import { sendPage } from './kit/requests/send-page.ts';
import { textParameter } from './kit/requests/text-parameter.ts';
import { pagePaths } from './page-paths.ts';
import type { PageContext } from './pages-deps.ts';

/**
 * Registers the page to which a Git host redirects after its App was installed. The state in the URL names the
 * organization; it was issued over REST or the command line, so no browser session is needed (contract section 3).
 */
export function githostSetupRoutes(server: FastifyInstance, { githosts }: PageContext): void {
  server.get(pagePaths.githostSetup, { schema: { hide: true } }, async ({ query }, reply) => {
    const installationId = textParameter(query, 'installation_id');
    const state = textParameter(query, 'state');
    if (textParameter(query, 'setup_action') === 'request') throw new InvalidInput(awaitsApproval);
    if (installationId === undefined || state === undefined) throw new InvalidInput(noState);
    const redirect = { installationId, state };
    const { name, account } = await finishInstallation(githosts, redirect, disconnectSignal(reply));
    return sendPage(reply, installedPage(name, account?.name ?? ''));
  });
}

const awaitsApproval =
  'An owner of the account at the Git host must approve the App first. Then ask for a new installation link here and follow it.';

const noState =
  'This address is only for the redirect after the App was installed from a link of this service. Ask for an installation link and follow it.';

function installedPage(connection: string, account: string): Page {
  return {
    title: 'App installed',
    content: card(
      'App installed',
      el(
        'p',
        null,
        `The connection ${visibleLine(connection)} now opens the repositories of ${visibleLine(account)}. You can close this window and return to the terminal.`,
      ),
      el('p', null, el('a', { href: '/' }, 'Open the start page')),
    ),
  };
}
