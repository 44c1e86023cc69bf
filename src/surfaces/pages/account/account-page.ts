import type { VNode } from 'preact';
import type { GrantSummary } from '../../../features/oauth/grants/grant-store.ts';
import { isoTime } from '../../../foundation/kernel/clock.ts';
import { appPath } from '../app/app-path.ts';
import { hiddenFields } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import type { SignedInPerson } from '../kit/html/frame.ts';
import { card, type Page } from '../kit/html/layout.ts';
import { pagePaths } from '../page-paths.ts';
import { type AccountOrganization, organizationCard } from './account-organization.ts';
import { passwordTitles } from './password-page.ts';
import type { PasswordState } from './password-state.ts';

export interface AccountView {
  readonly person: SignedInPerson;
  readonly password: PasswordState;
  /** True right after the person saved a password. */
  readonly passwordSaved: boolean;
  readonly organizations: readonly AccountOrganization[];
  /** Clients and devices that the person allowed, oldest first. */
  readonly grants: readonly GrantSummary[];
  /** URL of the next page of grants. */
  readonly nextPage?: string | undefined;
  readonly endGrant: { readonly action: string; readonly csrf: string };
  readonly baseUrl: string;
}

/**
 * The account page: the person, the next step, their organizations and connected clients, and how to connect another.
 */
export function accountPage(view: AccountView): Page {
  const { person, password, organizations, baseUrl } = view;
  return {
    title: 'Your account',
    person,
    content: [
      card(
        'Your account',
        view.passwordSaved && el('p', { class: 'notice', role: 'status' }, 'Password saved.'),
        el('p', null, 'You are signed in as ', el('strong', null, person.email), '.'),
        password !== 'elsewhere' &&
          el('p', null, el('a', { href: pagePaths.password }, passwordTitles[password])),
      ),
      el('div', { class: 'card' }, el('h2', null, 'Next step'), ...nextStep(view)),
      ...organizations.map(organizationCard),
      el('div', { class: 'card' }, el('h2', null, 'Connected clients'), ...connected(view)),
      el('div', { class: 'card' }, ...connecting(baseUrl, organizations[0]?.slug)),
    ],
  };
}

/** Names the first thing that is missing between the person and an answer. */
function nextStep({ organizations, grants }: AccountView): readonly VNode[] {
  if (organizations.length === 0) {
    return [el('p', null, 'Ask an administrator of an organization to invite you. You are in none yet.')];
  }
  if (organizations.every(({ repositories }) => repositories.length === 0)) {
    return organizations.slice(0, 1).flatMap(firstRepository);
  }
  const link = el('a', { href: '#connect' }, 'Connect an MCP client');
  if (grants.length === 0) return [el('p', null, link, ', then ask it about your code.')];
  return organizations
    .slice(0, 1)
    .map(({ slug }) =>
      el(
        'p',
        null,
        el('a', { href: appPath(slug, '/ask') }, 'Ask about your code'),
        ', here or in a connected client.',
      ),
    );
}

function firstRepository({ slug, role }: AccountOrganization): readonly VNode[] {
  if (role === 'member') {
    return [el('p', null, `Ask an administrator of ${slug} to add a repository. There is none yet.`)];
  }
  return [
    el('p', null, el('a', { href: appPath(slug, '/repositories/add') }, 'Add a repository'), ` to ${slug}.`),
  ];
}

function command(text: string): VNode {
  return el('pre', null, el('code', null, text));
}

function connected({ grants, nextPage, endGrant }: AccountView): readonly VNode[] {
  if (grants.length === 0)
    return [el('p', null, 'None. Clients that you allow appear here, and you can disconnect them.')];
  return [
    el('ul', { class: 'rows' }, ...grants.map((grant) => connection(grant, endGrant))),
    ...(nextPage === undefined ? [] : [el('p', null, el('a', { href: nextPage }, 'More clients'))]),
  ];
}

function connection(
  { id, client, organization, createdAt }: GrantSummary,
  { action, csrf }: AccountView['endGrant'],
): VNode {
  const name = foreignText(client.name, 80) || 'Unnamed client';
  return el(
    'li',
    null,
    el(
      'span',
      null,
      el('strong', null, name),
      ` in ${organization?.slug ?? 'no organization'}`,
      el('span', { class: 'quiet' }, ` since ${isoTime(createdAt).slice(0, 10)}`),
    ),
    el(
      'form',
      { method: 'post', action },
      hiddenFields({ csrf, grant: id }),
      el('button', { type: 'submit', 'aria-label': `Disconnect ${name}` }, 'Disconnect'),
    ),
  );
}

function connecting(baseUrl: string, orgSlug: string | undefined): readonly VNode[] {
  const url = `${baseUrl}/mcp`;
  return [
    el('h2', { id: 'connect' }, 'Connect an MCP client'),
    el(
      'p',
      null,
      'Configure this URL in the client. It opens this service in a browser, where you choose the organization.',
    ),
    command(url),
    el('p', null, 'For Claude Code:'),
    command(`claude mcp add --transport http orgctx ${url}`),
    ...(orgSlug === undefined
      ? []
      : [
          el(
            'p',
            null,
            el('a', { href: appPath(orgSlug, '/connect') }, 'The configuration of other clients'),
          ),
        ]),
    el('h2', null, 'Sign in from a terminal'),
    command(`orgctx login --url ${baseUrl}`),
  ];
}
