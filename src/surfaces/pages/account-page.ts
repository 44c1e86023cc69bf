import type { VNode } from 'preact';
import type { Role } from '../../features/identity/principal.ts';
import { el } from './kit/element.ts';
import { foreignText } from './kit/foreign-text.ts';
import { card, type Page, type SignedInPerson } from './kit/layout.ts';

export interface AccountView {
  readonly person: SignedInPerson;
  readonly organizations: readonly { readonly slug: string; readonly name: string; readonly role: Role }[];
  readonly baseUrl: string;
}

/** Where people land: who they are, where they belong, and how a client is connected. */
export function accountPage({ person, organizations, baseUrl }: AccountView): Page {
  return {
    title: 'Your account',
    person,
    content: [
      card('Your account', el('p', null, 'You are signed in as ', el('strong', null, person.email), '.')),
      el(
        'div',
        { class: 'card' },
        el('h2', null, 'Organizations'),
        organizations.length === 0
          ? el('p', null, 'None yet. An administrator of an organization can invite you.')
          : el('ul', null, ...organizations.map(membership)),
      ),
      el('div', { class: 'card' }, ...connecting(baseUrl)),
    ],
  };
}

function membership({ slug, name, role }: AccountView['organizations'][number]): VNode {
  const shown = foreignText(name, 100);
  return el('li', null, el('strong', null, shown), shown === slug ? '' : ` (${slug})`, `: ${role}`);
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
