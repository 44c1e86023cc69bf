import type { ComponentChildren, VNode } from 'preact';
import type { PendingAuthorization, PendingRedirect } from '../../features/oauth/authorization-server.ts';
import { el } from './kit/element.ts';
import { foreignText } from './kit/foreign-text.ts';
import { actions, button, type Faults, form, radioGroup } from './kit/form.ts';
import { card, type Page, type SignedInPerson } from './kit/layout.ts';

export interface InteractionView {
  readonly action: string;
  readonly csrf: string;
  readonly pending: PendingAuthorization;
  /** Those that the person is a member of. */
  readonly organizations: readonly { readonly slug: string; readonly name: string }[];
  readonly chosen?: string | undefined;
  readonly faults?: Faults | undefined;
  readonly person: SignedInPerson;
}

/** Who asks, where the answer goes, for what, in which organization: everything of one authorization on one page. */
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
        ...fact('It may', el('ul', null, ...pending.scopes.map((scope) => el('li', null, inWords(scope))))),
      ),
      el(
        'p',
        { class: 'notice' },
        'Anybody can give a client this name. Allow it only if you have just begun this yourself',
        pending.redirect.kind === 'device' ? ', on a device that shows the code above.' : '.',
      ),
      organizations.length === 0 ? withoutOrganization(view) : decision(view),
    ),
  };
}

function decision({ action, csrf, faults, organizations, chosen }: InteractionView): VNode {
  return form(
    { action, csrf, faults },
    radioGroup({
      name: 'organization',
      label: 'Organization',
      hint: 'The client reaches this one and no other.',
      fault: faults?.['organization'],
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

function withoutOrganization({ action, csrf, faults }: InteractionView): VNode {
  return form(
    { action, csrf, faults },
    el(
      'p',
      null,
      'You are not a member of any organization, so there is nothing to connect to. Ask an administrator of yours for ' +
        'an invitation, or the operator of this service, and begin again in the client.',
    ),
    actions(button('Deny', { name: 'decision', value: 'deny' })),
  );
}

function clientName({ client }: PendingAuthorization): string {
  return foreignText(client.name, 80) || 'A client without a name';
}

function destination(redirect: PendingRedirect): readonly VNode[] {
  switch (redirect.kind) {
    case 'web':
      return fact('Goes back to', el('strong', null, redirect.host));
    case 'loopback':
      return fact('Goes back to', 'an app on this computer (', el('strong', null, redirect.host), ')');
    case 'app':
      return fact(
        'Goes back to',
        'an app on this computer, the one that opens ',
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
    ...(address === undefined ? [] : fact('Its address', foreignText(address, 60))),
    ...(userAgent === undefined ? [] : fact('It says it is', foreignText(userAgent, 120))),
  ];
}

function fact(term: string, ...description: readonly ComponentChildren[]): readonly VNode[] {
  return [el('dt', null, term), el('dd', null, ...description)];
}

function inWords(scope: string): string {
  return scopes[scope] ?? `use “${foreignText(scope, 40)}”`;
}

const scopes: Readonly<Record<string, string>> = {
  mcp: 'ask and search over MCP, as you',
  api: 'use the REST interface with your role, as you',
  offline_access: 'stay connected until you end it',
};
