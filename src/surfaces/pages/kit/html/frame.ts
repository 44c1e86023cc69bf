import type { VNode } from 'preact';
import { pagePaths } from '../../page-paths.ts';
import { hiddenFields } from '../forms/form.ts';
import { el } from './element.ts';

/** The signed-in person, as the header of a page shows them. */
export interface SignedInPerson {
  readonly email: string;
  readonly signOut: { readonly csrf: string; readonly returnTo?: string };
}

/** The organization that a page belongs to, and the navigation between its pages. */
export interface OrganizationFrame {
  readonly slug: string;
  readonly homePath: string;
  readonly links: readonly NavigationLink[];
}

export interface NavigationLink {
  readonly href: string;
  readonly label: string;
  /** True if the page belongs to the section of this link. */
  readonly current: boolean;
}

/** The parts around the content of a page. */
export interface PageFrame {
  /** Absent if nobody is signed in. */
  readonly person?: SignedInPerson | undefined;
  /** Absent on pages outside of an organization. */
  readonly organization?: OrganizationFrame | undefined;
}

/**
 * The header of a page: where the person is, the sections of the organization, and the person. Narrow screens show all
 * but the first in a menu, which a button opens without script; wide screens have no button.
 */
export function masthead({ person, organization }: PageFrame): VNode {
  return el(
    'header',
    { class: 'masthead' },
    el(
      'div',
      { class: 'place' },
      el('a', { class: 'brand', href: '/' }, 'orgctx'),
      organization && el('a', { href: organization.homePath }, el('bdi', null, organization.slug)),
    ),
    person && [
      el('button', { class: 'menu', type: 'button', popovertarget: 'menu' }, 'Menu'),
      el(
        'div',
        { class: 'menu', id: 'menu', popover: 'auto' },
        organization && navigation(organization),
        personMenu(person, organization !== undefined),
      ),
    ],
  );
}

function personMenu({ email, signOut }: SignedInPerson, linksAccount: boolean): VNode {
  return el(
    'div',
    { class: 'person' },
    el('span', null, `Signed in as ${email}`),
    linksAccount && el('a', { href: pagePaths.account }, 'Account'),
    el(
      'form',
      { method: 'post', action: pagePaths.signOut },
      hiddenFields(signOut),
      el('button', { class: 'plain' }, 'Sign out'),
    ),
  );
}

function navigation({ links }: OrganizationFrame): VNode {
  return el(
    'nav',
    { class: 'sections', 'aria-label': 'Sections' },
    el(
      'ul',
      null,
      ...links.map(({ href, label, current }) =>
        el('li', null, el('a', { href, 'aria-current': current ? 'page' : undefined }, label)),
      ),
    ),
  );
}
