import type { VNode } from 'preact';
import type { Role } from '../../features/identity/access/principal.ts';
import type { GrantSummary } from '../../features/oauth/grants/grant-store.ts';
import { isoTime } from '../../foundation/kernel/clock.ts';
import { el } from './kit/element.ts';
import { foreignText } from './kit/foreign-text.ts';
import { hiddenFields } from './kit/form.ts';
import { card, type Page, type SignedInPerson } from './kit/layout.ts';
import { pagePaths } from './page-paths.ts';
import { passwordTitles } from './password-page.ts';
import type { PasswordState } from './password-state.ts';

export interface AccountView {
  readonly person: SignedInPerson;
  readonly password: PasswordState;
  readonly organizations: readonly { readonly slug: string; readonly name: string; readonly role: Role }[];
  /** Clients and devices that were let in, oldest first. */
  readonly grants: readonly GrantSummary[];
  /** Address of the next page of them. */
  readonly more?: string | undefined;
  readonly endGrant: { readonly action: string; readonly csrf: string };
  readonly baseUrl: string;
}

/** Where people land: who they are, where they belong, and how a client is connected. */
export function accountPage(view: AccountView): Page {
  const { person, password, organizations, baseUrl } = view;
  return {
    title: 'Your account',
    person,
    content: [
      card(
        'Your account',
        el('p', null, 'You are signed in as ', el('strong', null, person.email), '.'),
        password !== 'elsewhere' &&
          el('p', null, el('a', { href: pagePaths.password }, passwordTitles[password])),
      ),
      el(
        'div',
        { class: 'card' },
        el('h2', null, 'Organizations'),
        organizations.length === 0
          ? el('p', null, 'None yet. An administrator of an organization can invite you.')
          : el('ul', null, ...organizations.map(membership)),
      ),
      el('div', { class: 'card' }, el('h2', null, 'Connected clients'), ...connected(view)),
      el('div', { class: 'card' }, ...connecting(baseUrl)),
    ],
  };
}

function membership({ slug, name, role }: AccountView['organizations'][number]): VNode {
  const shown = foreignText(name, 100);
  return el('li', null, el('strong', null, shown), shown === slug ? '' : ` (${slug})`, `: ${role}`);
}

function connected({ grants, more, endGrant }: AccountView): readonly VNode[] {
  if (grants.length === 0) return [el('p', null, 'None. Those that you allow stand here, and can be ended.')];
  return [
    el('ul', { class: 'rows' }, ...grants.map((grant) => connection(grant, endGrant))),
    ...(more === undefined ? [] : [el('p', null, el('a', { href: more }, 'More clients'))]),
  ];
}

function connection(
  { id, client, organization, createdAt }: GrantSummary,
  { action, csrf }: AccountView['endGrant'],
): VNode {
  const name = foreignText(client.name, 80) || 'A client without a name';
  return el(
    'li',
    null,
    el('span', null, el('strong', null, name), ` in ${organization?.slug ?? 'no organization'}`),
    el('span', { class: 'quiet' }, `since ${isoTime(createdAt).slice(0, 10)}`),
    el(
      'form',
      { method: 'post', action },
      hiddenFields({ csrf, grant: id }),
      el('button', { type: 'submit', 'aria-label': `End the connection of ${name}` }, 'End'),
    ),
  );
}

function connecting(baseUrl: string): readonly VNode[] {
  const url = `${baseUrl}/mcp`;
  return [
    el('h2', null, 'Connect an MCP client'),
    el(
      'p',
      null,
      'Give it this address. It opens this service in a browser, where you choose the organization.',
    ),
    el('pre', null, el('code', null, url)),
    el('p', null, 'Claude Code, for one:'),
    el('pre', null, el('code', null, `claude mcp add --transport http orgctx ${url}`)),
    el(
      'p',
      null,
      'Other clients: ',
      el('code', null, 'orgctx mcp config --client NAME'),
      ' writes their configuration.',
    ),
    el('h2', null, 'Sign a terminal in'),
    el('pre', null, el('code', null, `orgctx login --url ${baseUrl}`)),
  ];
}
