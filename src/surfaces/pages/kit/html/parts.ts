import type { ComponentChildren, VNode } from 'preact';
import { type Registration, registrationSteps } from '../../../../foundation/kernel/registration.ts';
import { el } from './element.ts';

export type Tone = 'good' | 'busy' | 'bad' | 'quiet';

/** A short state in words, with a colour that repeats what the words say. */
export function badge(text: string, tone: Tone): VNode {
  return el('span', { class: `badge ${tone}` }, text);
}

/** The heading of a page, with its actions. */
export function pageHeading(title: ComponentChildren, ...actions: ComponentChildren[]): VNode {
  return el(
    'div',
    { class: 'heading' },
    el('h1', null, title),
    actions.length > 0 && el('div', { class: 'actions' }, ...actions),
  );
}

/** A part of a page with a heading, which names it as a landmark. */
export function section(id: string, title: ComponentChildren, ...content: ComponentChildren[]): VNode {
  return el('section', { class: 'card', 'aria-labelledby': id }, el('h2', { id }, title), ...content);
}

/** Returns the text in place of an empty list: what is missing and what to do. */
export function empty(...content: ComponentChildren[]): VNode {
  return el('div', { class: 'empty' }, ...content);
}

export interface Table {
  /** Names the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
}

/** A table. Its first cells are the headings of their rows; narrow screens show each row as a block. */
export function table({ caption, columns, rows }: Table): VNode {
  return el(
    'table',
    { class: 'list' },
    el('caption', { class: 'unseen' }, caption),
    el('thead', null, el('tr', null, ...columns.map((column) => el('th', { scope: 'col' }, column)))),
    el(
      'tbody',
      null,
      ...rows.map(([first, ...cells]) =>
        el(
          'tr',
          null,
          el('th', { scope: 'row' }, first),
          ...cells.map((cell, index) => el('td', { 'data-column': columns[index + 1] }, cell)),
        ),
      ),
    ),
  );
}

/** The link to the next page of a list. */
export function nextPage(href: string | undefined, label = 'Next page'): VNode | undefined {
  return href === undefined ? undefined : el('p', { class: 'after' }, el('a', { href, rel: 'next' }, label));
}

/** Text to copy: a command, a URL, a configuration. `label` is the accessible name of its copy button. */
export function copyable(text: string, label: string): VNode {
  return el(
    'div',
    { class: 'copyable' },
    el('pre', { tabIndex: 0, 'data-copy': label }, el('code', null, text)),
  );
}

/** Returns the page at which a person registers this service, and what to enter there. */
export function registrationList(registration: Registration, page = registration.page): VNode {
  const link = page.startsWith('https:') ? el('a', { href: page, rel: 'noreferrer' }, page) : page;
  const steps = registrationSteps(registration).map((step) => el('li', null, step));
  return el('div', null, el('p', null, 'Open ', link, '.'), el('ol', { class: 'steps' }, ...steps));
}
