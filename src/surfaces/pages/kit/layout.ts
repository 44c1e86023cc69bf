import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { pagePaths } from '../page-paths.ts';
import { el } from './element.ts';
import { hiddenFields } from './form.ts';
import { stylesheet } from './stylesheet.ts';

export interface Page {
  /** Of the tab; the page's own heading is part of its content. */
  readonly title: string;
  readonly content: ComponentChildren;
  /** Who is signed in, with the way out; absent where nobody is. */
  readonly person?: SignedInPerson | undefined;
}

export interface SignedInPerson {
  readonly email: string;
  readonly signOut: { readonly csrf: string; readonly returnTo?: string };
}

/** The complete document. Everything in it is escaped by the renderer; there is no way around it in here. */
export function renderPage({ title, content, person }: Page): string {
  const page = el(
    'html',
    { lang: 'en' },
    el(
      'head',
      null,
      el('meta', { charset: 'utf-8' }),
      el('title', null, `${title} · orgctx`),
      el('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      el('meta', { name: 'robots', content: 'noindex' }),
      el('link', { rel: 'stylesheet', href: stylesheet.path }),
      // Browsers ask for an icon otherwise, and a 404 stands on their console.
      el('link', { rel: 'icon', href: 'data:,' }),
    ),
    el(
      'body',
      null,
      el('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
      masthead(person),
      el('main', { id: 'main' }, content),
    ),
  );
  return `<!doctype html>\n${renderToString(page)}\n`;
}

function masthead(person: SignedInPerson | undefined): VNode {
  return el(
    'header',
    { class: 'masthead' },
    el('a', { class: 'brand', href: '/' }, 'orgctx'),
    person &&
      el(
        'div',
        { class: 'person' },
        el('span', null, `Signed in as ${person.email}`),
        el(
          'form',
          { method: 'post', action: pagePaths.signOut },
          hiddenFields(person.signOut),
          el('button', { class: 'plain' }, 'Sign out'),
        ),
      ),
  );
}

/** A heading and what belongs to it, on a surface of its own. */
export function card(heading: string, ...content: ComponentChildren[]): VNode {
  return el('div', { class: 'card' }, el('h1', null, heading), ...content);
}
