import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { script } from '../assets/script.ts';
import { stylesheet } from '../assets/stylesheet.ts';
import { el } from './element.ts';
import { masthead, type PageFrame } from './frame.ts';

export interface Page extends PageFrame {
  /** The title of the browser tab; the heading of the page is part of its content. */
  readonly title: string;
  readonly content: ComponentChildren;
  /** The address that the page leads to at once, without script. */
  readonly refreshTo?: string;
}

/** Renders the complete document. The renderer escapes all text; raw HTML is never inserted. */
export function renderPage({ title, content, refreshTo, person, organization }: Page): string {
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
      refreshTo !== undefined && el('meta', { 'http-equiv': 'refresh', content: `0; url=${refreshTo}` }),
      el('link', { rel: 'stylesheet', href: stylesheet.path }),
      // Without it browsers request an icon and log a 404.
      el('link', { rel: 'icon', href: 'data:,' }),
      organization && el('script', { src: script.path, defer: true }),
    ),
    el(
      'body',
      null,
      el('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
      masthead({ person, organization }),
      el('main', { id: 'main', class: organization === undefined ? undefined : 'wide' }, content),
    ),
  );
  return `<!doctype html>\n${renderToString(page)}\n`;
}

/** A card with a heading. */
export function card(heading: string, ...content: ComponentChildren[]): VNode {
  return el('div', { class: 'card' }, el('h1', null, heading), ...content);
}
