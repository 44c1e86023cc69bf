import type { ComponentChildren, VNode } from 'preact';
import { connectorOf } from '../../../../features/connectors/connections/connections-deps.ts';
import {
  type ConnectionWithSetup,
  showConnection,
} from '../../../../features/connectors/connections/show-connections.ts';
import { type Connector, connectorName } from '../../../../features/connectors/port.ts';
import { readChoices, type WizardChoices } from '../../../../features/connectors/setup/wizard-choices.ts';
import type { AppView, Visit } from '../../app/app-page.ts';
import { el } from '../../kit/html/element.ts';
import { name, nameText } from '../../kit/html/name.ts';
import { pageHeading } from '../../kit/html/parts.ts';
import type { PageContext } from '../../pages-deps.ts';

export type Step = 'register' | 'authorize' | 'repository' | 'scope' | 'pull-request';

const titles: Readonly<Record<Step, string>> = {
  register: 'Register',
  authorize: 'Authorize',
  repository: 'Repository',
  scope: 'Scope',
  'pull-request': 'Pull request',
};

/** A connection in the wizard. */
export interface Setup {
  readonly connection: ConnectionWithSetup;
  readonly connector: Connector;
  readonly choices: WizardChoices;
}

/** Reads the connection that the path names. @throws NotFound */
export async function loadSetup(visit: Visit, { connections }: PageContext): Promise<Setup> {
  const connection = await showConnection(connections, visit.scope, visit.param('id'));
  const choices = await readChoices(connections.database.queries, visit.scope, connection.id);
  return { connection, choices, connector: connectorOf(connections.connectors, connection.kind) };
}

/** Returns the steps of a connection. The deployment may provide the app, which then is not registered here. */
function stepsOf({ connection }: Setup): readonly Step[] {
  const isProvided = connection.appConfigured && connection.clientId === undefined;
  const further = ['authorize', 'repository', 'scope', 'pull-request'] as const;
  return isProvided ? further : ['register', ...further];
}

/** Returns whether the steps before this one are done. */
export function isOpen({ connection: { state, binding }, choices }: Setup, step: Step): boolean {
  const authorized = state !== 'draft' && state !== 'disconnected';
  switch (step) {
    case 'register':
    case 'authorize':
      return true;
    case 'repository':
      return authorized;
    case 'scope':
      return authorized && (choices.repository !== undefined || binding !== undefined);
    case 'pull-request':
      return authorized && binding !== undefined;
  }
}

/** Returns the first step that is not done. */
export function nextStep(setup: Setup): Step {
  const { connection } = setup;
  if (!connection.appConfigured) return 'register';
  return (
    (['pull-request', 'scope', 'repository'] as const).find((step) => isOpen(setup, step)) ?? 'authorize'
  );
}

export function stepPath({ connection }: Pick<Setup, 'connection'>, step: Step | 'setup'): string {
  return `/connections/${connection.id}/${step}`;
}

/** A step of the wizard, with the list of all steps. */
export function wizardView(
  visit: Visit,
  setup: Setup,
  step: Step,
  { status, content }: Pick<AppView, 'status' | 'content'>,
): AppView {
  const { connection, connector } = setup;
  return {
    title: `${titles[step]}: ${nameText(connection.name, 100)}`,
    status,
    content: [
      pageHeading(
        ['Connect ', name(connection.name)],
        el('a', { class: 'button', href: visit.path(`/connections/${connection.id}`) }, 'Overview'),
      ),
      el('p', { class: 'quiet' }, connectorName(connector)),
      stepList(visit, setup, step),
      el('div', { class: 'card' }, el('h2', null, titles[step]), content),
    ],
  };
}

function stepList(visit: Visit, setup: Setup, current: Step): VNode {
  const label = (step: Step, index: number): ComponentChildren => {
    const text = `${index + 1}. ${titles[step]}`;
    if (step === current) return el('strong', { 'aria-current': 'step' }, text);
    if (!isOpen(setup, step)) return el('span', { class: 'quiet' }, text);
    return el('a', { href: visit.path(stepPath(setup, step)) }, text);
  };
  return el(
    'nav',
    { class: 'trail', 'aria-label': 'Steps' },
    el('ol', null, ...stepsOf(setup).map((step, index) => el('li', null, label(step, index)))),
  );
}
