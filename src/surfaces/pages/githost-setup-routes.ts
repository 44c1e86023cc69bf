import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  askAboutInstallation,
  denyInstallation,
  finishInstallation,
  type InstallationQuestion,
  recheckInstallation,
  type SetupRedirect,
} from '../../features/githosts/install-githost.ts';
import { isOfPage } from '../../features/identity/callback-state.ts';
import { organizationScope } from '../../features/identity/people/organization-store.ts';
import { InvalidInput } from '../../foundation/kernel/errors.ts';
import { disconnectSignal } from '../fastify/disconnect.ts';
import { appPath } from './app/app-path.ts';
import { actions, button, form } from './kit/forms/form.ts';
import { el } from './kit/html/element.ts';
import { foreignText } from './kit/html/foreign-text.ts';
import { card, type Page } from './kit/html/layout.ts';
import type { FormRule } from './kit/requests/form-guard.ts';
import { fieldsOf, visitorOf } from './kit/requests/page-scope.ts';
import { seeOther, sendPage } from './kit/requests/send-page.ts';
import { textParameter } from './kit/requests/text-parameter.ts';
import { pagePaths } from './page-paths.ts';
import type { PageContext } from './pages-deps.ts';

/** A form holds for one state and one installation, which are in its address. */
const rule: FormRule = {
  purpose: (request) => `githost setup ${setupPath(redirectOf(request))}`,
  page: (request) => setupPath(redirectOf(request)),
};

/**
 * Registers the page to which a Git host redirects after its App was installed. The state in the URL names the
 * organization. One that a page issued claims the installation in the same browser session; about any other the page
 * asks first, because a link may come from somebody else (contract section 8). After an update the host may send no
 * state: then the page claims nothing and names no account. No sign-in is needed.
 */
export function githostSetupRoutes(server: FastifyInstance, { githosts, tokens }: PageContext): void {
  server.get(pagePaths.githostSetup, { schema: { hide: true } }, async (request, reply) => {
    if (textParameter(request.query, 'setup_action') === 'request') throw new InvalidInput(awaitsApproval);
    const updated = updateOf(request);
    if (updated !== undefined) {
      await recheckInstallation(githosts, updated);
      return sendPage(reply, updatedPage());
    }
    const redirect = redirectOf(request);
    const signal = disconnectSignal(reply);
    if (!isOfPage(redirect.state)) {
      const question = await askAboutInstallation(githosts, redirect, signal);
      const action = setupPath(redirect);
      const csrf = tokens.issue(visitorOf(request), rule.purpose(request));
      return sendPage(reply, questionPage(question, { action, csrf }));
    }
    const { organizationId } = await finishInstallation(githosts, redirect, signal);
    const scope = await organizationScope(githosts.database.queries, organizationId);
    return seeOther(reply, scope === undefined ? '/' : appPath(scope.orgSlug, '/settings/git-hosts'));
  });

  server.post(
    pagePaths.githostSetup,
    { schema: { hide: true }, config: { form: rule } },
    async (request, reply): Promise<FastifyReply> => {
      const redirect = redirectOf(request);
      switch (fieldsOf(request)['decision']) {
        case 'allow': {
          const { name, account } = await finishInstallation(githosts, redirect, disconnectSignal(reply));
          return sendPage(reply, installedPage(name, account?.name ?? ''));
        }
        case 'deny':
          await denyInstallation(githosts, redirect);
          return sendPage(reply, deniedPage());
        default:
          throw new InvalidInput('Choose Allow or Deny.');
      }
    },
  );
}

/** Returns the installation that was changed, if the Git host sent no state. */
function updateOf({ query }: FastifyRequest): string | undefined {
  const isUpdate = textParameter(query, 'setup_action') === 'update';
  return isUpdate && textParameter(query, 'state') === undefined
    ? textParameter(query, 'installation_id')
    : undefined;
}

/** @throws InvalidInput without a state or an installation */
function redirectOf(request: FastifyRequest): SetupRedirect {
  const installationId = textParameter(request.query, 'installation_id');
  const state = textParameter(request.query, 'state');
  if (installationId === undefined || state === undefined) throw new InvalidInput(noState);
  return { installationId, state, session: visitorOf(request).session?.hash };
}

function setupPath({ installationId, state }: SetupRedirect): string {
  const query = new URLSearchParams({ installation_id: installationId, state });
  return `${pagePaths.githostSetup}?${query.toString()}`;
}

const awaitsApproval =
  'An owner of the account at the Git host must approve the App first. Then ask for a new installation link here and follow it.';

const noState =
  'This address is only for the redirect after the App was installed from a link of this service. Ask for an installation link and follow it.';

function questionPage(
  { organization, connection, account }: InstallationQuestion,
  view: { readonly action: string; readonly csrf: string },
): Page {
  const { slug, name } = organization;
  const asked = name === slug ? slug : `${foreignText(name, 100)} (${slug})`;
  const owner = foreignText(account.name, 100);
  return {
    title: 'Give access?',
    content: card(
      `Give organization ${asked} access to account ${owner}?`,
      el(
        'p',
        null,
        `The members of the organization could then read, and write as the App permits, the repositories that you chose for the App at ${connection.url}.`,
      ),
      el(
        'p',
        { class: 'notice' },
        'Allow it only if you asked for this link yourself, or know the person of this organization who sent it.',
      ),
      form(
        view,
        actions(
          button('Allow', { name: 'decision', value: 'allow', primary: true }),
          button('Deny', { name: 'decision', value: 'deny' }),
        ),
      ),
    ),
  };
}

function installedPage(connection: string, account: string): Page {
  const text = `The connection ${foreignText(connection, 100)} now opens the repositories of ${foreignText(account, 100)}. You can close this window.`;
  return {
    title: 'App installed',
    content: card(
      'App installed',
      el('p', null, text),
      el('p', null, el('a', { href: '/' }, 'Open the start page')),
    ),
  };
}

/** Says the same of every installation, known or not. */
function updatedPage(): Page {
  return {
    title: 'Changes saved',
    content: card(
      'Changes saved',
      el(
        'p',
        null,
        'The Git host saved the change. If a connection of this service has the installation, it is read again now. To connect it to an organization, follow the installation link of the organization again.',
      ),
    ),
  };
}

function deniedPage(): Page {
  return {
    title: 'Access denied',
    content: card(
      'Access denied',
      el(
        'p',
        null,
        'The organization got no access. The App is still installed at the Git host: uninstall it there if you do not need it.',
      ),
    ),
  };
}
