import type { ComponentChildren, VNode } from 'preact';
import type { Role } from '../../../features/identity/access/principal.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { hiddenFields } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { pageHeading } from '../kit/html/parts.ts';

/** The pages of the settings, with the role that each needs. */
const topics = [
  { path: '/settings/keys', title: 'API keys', role: 'member' },
  { path: '/settings/clients', title: 'Connected clients', role: 'member' },
  { path: '/settings/members', title: 'Members', role: 'admin' },
  { path: '/settings/invitations', title: 'Invitations', role: 'admin' },
  { path: '/settings/git-hosts', title: 'Git hosts', role: 'admin' },
  { path: '/settings/audit', title: 'Audit log', role: 'admin' },
] as const satisfies readonly { readonly path: string; readonly title: string; readonly role: Role }[];

export type SettingsPath = (typeof topics)[number]['path'];

/** A page of the settings, with links to the others that the person may open. */
export function settingsView(
  visit: Visit,
  current: SettingsPath,
  content: ComponentChildren,
  status?: number,
): AppView {
  const title = topics.find(({ path }) => path === current)?.title ?? '';
  const links = topics.filter(({ role }) => visit.may(role));
  return {
    title: `${title}: settings`,
    status,
    content: [
      pageHeading('Settings'),
      el(
        'nav',
        { class: 'topics', 'aria-label': 'Settings' },
        el(
          'ol',
          null,
          ...links.map((topic) =>
            el(
              'li',
              null,
              el(
                'a',
                { href: visit.path(topic.path), 'aria-current': topic.path === current ? 'page' : undefined },
                topic.title,
              ),
            ),
          ),
        ),
      ),
      content,
    ],
  };
}

/** A form that consists of one button. `label` names for screen readers what the button acts on. */
export function buttonForm(
  visit: Visit,
  below: string,
  text: string,
  label: string,
  fields: Readonly<Record<string, string>> = {},
): VNode {
  const { action, csrf } = visit.form(below);
  return el(
    'form',
    { method: 'post', action },
    hiddenFields({ csrf, ...fields }),
    el('button', { type: 'submit', 'aria-label': label }, text),
  );
}

export interface Question {
  /** Text of the button that asks. */
  readonly text: string;
  /** Names for screen readers what the button acts on. */
  readonly label: string;
  /** Describes what the form will do. Shown with the button that confirms it. */
  readonly consequence: string;
  /** Text of the button that confirms it. */
  readonly confirm: string;
}

/** A form for what cannot be undone: its button shows the consequence and a second button. Works without script. */
export function confirmedForm(
  visit: Visit,
  below: string,
  { text, label, consequence, confirm }: Question,
): VNode {
  const { action, csrf } = visit.form(below);
  return el(
    'details',
    { class: 'confirm' },
    el('summary', { class: 'button', 'aria-label': label }, text),
    el(
      'form',
      { method: 'post', action },
      hiddenFields({ csrf }),
      el('p', null, consequence),
      el('button', { type: 'submit', class: 'danger' }, confirm),
    ),
  );
}

/** Returns the address of the next page of a list. */
export function nextOf(visit: Visit, path: SettingsPath, cursor: string | null): string | undefined {
  return cursor === null ? undefined : visit.path(`${path}?cursor=${cursor}`);
}
