import type { ComponentChildren, VNode } from 'preact';
import type { PendingAuthorization, PendingRedirect } from '../../../features/oauth/authorization-server.ts';
import { actions, button, type FieldErrors, form, radioGroup } from '../kit/forms/form.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import type { SignedInPerson } from '../kit/html/frame.ts';
import { card, type Page } from '../kit/html/layout.ts';

export interface InteractionView {
  readonly action: string;
  readonly csrf: string;
  readonly pending: PendingAuthorization;
  /** The organizations of the person. */
  readonly organizations: readonly { readonly slug: string; readonly name: string }[];
  readonly chosen?: string | undefined;
  readonly errors?: FieldErrors | undefined;
  readonly person: SignedInPerson;
}

/** The authorization page: the client, its redirect target, its permissions and the choice of an organization. */
export function interactionPage(view: InteractionView): Page {
  const { pending, organizations, person } = view;
  const name = clientName(pending);
  return {
    title: `Connect ${name}?`,
    person,
    content: card(
      'Connect this client?',
      el(
        'dl',
        null,
        ...fact('Client', el('strong', null, name), ' (not verified)'),
        ...destination(pending.redirect),
        ...fact(
          'Permissions',
          el('ul', null, ...pending.scopes.map((scope) => el('li', null, inWords(scope)))),
        ),
      ),
      el(
        'p',
        { class: 'notice' },
        'Any client can use this name. Allow it only if you have just started this sign-in yourself',
        pending.redirect.kind === 'device' ? ', on a device that shows the code above.' : '.',
      ),
      organizations.length === 0 ? withoutOrganization(view) : decision(view),
    ),
  };
}

function decision({ action, csrf, errors, organizations, chosen }: InteractionView): VNode {
  return form(
    { action, csrf, errors },
    radioGroup({
      name: 'organization',
      label: 'Organization',
      hint: 'The client gets access to this organization only.',
      error: errors?.['organization'],
      choices: organizations.map(({ slug, name }) => ({
        value: slug,
        label: name === slug ? slug : `${foreignText(name, 100)} (${slug})`,
      })),
      chosen: chosen ?? (organizations.length === 1 ? organizations[0]?.slug : undefined),
    }),
    actions(
      button('Allow', { name: 'decision', value: 'allow', primary: true }),
      button('Deny', { name: 'decision', value: 'deny' }),
    ),
  );
}

function withoutOrganization({ action, csrf, errors }: InteractionView): VNode {
  return form(
    { action, csrf, errors },
    el(
      'p',
      null,
      'You are not a member of any organization, so there is nothing to connect to. Ask an administrator of your ' +
        'organization or the operator of this service for an invitation, then start again in the client.',
    ),
    actions(button('Deny', { name: 'decision', value: 'deny' })),
  );
}

function clientName({ client }: PendingAuthorization): string {
  return foreignText(client.name, 80) || 'Unnamed client';
}

function destination(redirect: PendingRedirect): readonly VNode[] {
  switch (redirect.kind) {
    case 'web':
      return fact('Returns to', el('strong', null, redirect.host));
    case 'loopback':
      return fact('Returns to', 'an app on this computer (', el('strong', null, redirect.host), ')');
    case 'app':
      return fact(
        'Returns to',
        'the app on this computer that opens ',
        el('strong', null, `${foreignText(redirect.scheme, 60)}:`),
        ' links',
      );
    case 'device':
      return device(redirect);
  }
}

function device({
  userCode,
  address,
  userAgent,
}: Extract<PendingRedirect, { kind: 'device' }>): readonly VNode[] {
  return [
    ...fact('Signs in', 'a device'),
    ...fact('Code', el('strong', null, el('code', null, foreignText(userCode, 20)))),
    ...(address === undefined ? [] : fact('Device address', foreignText(address, 60))),
    ...(userAgent === undefined ? [] : fact('Device name (not verified)', foreignText(userAgent, 120))),
  ];
}

function fact(term: string, ...description: readonly ComponentChildren[]): readonly VNode[] {
  return [el('dt', null, term), el('dd', null, ...description)];
}

function inWords(scope: string): string {
  return scopes[scope] ?? `use “${foreignText(scope, 40)}”`;
}

const scopes: Readonly<Record<string, string>> = {
  mcp: 'ask questions and search over MCP on your behalf',
  api: 'use the REST interface on your behalf, with your role',
  offline_access: 'stay connected until you disconnect it',
};
