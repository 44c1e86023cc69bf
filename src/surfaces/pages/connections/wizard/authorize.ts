import type { FastifyReply } from 'fastify';
import type { ComponentChildren } from 'preact';
import { beginAuthorization } from '../../../../features/connectors/setup/authorize-connection.ts';
import { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import type { Visit } from '../../app/app-page.ts';
import { actions, button, form } from '../../kit/forms/form.ts';
import { el } from '../../kit/html/element.ts';
import { foreignText } from '../../kit/html/foreign-text.ts';
import { name } from '../../kit/html/name.ts';
import { leave } from '../../kit/requests/leave.ts';
import { visitorOf } from '../../kit/requests/page-scope.ts';
import type { PageContext } from '../../pages-deps.ts';
import { loadSetup, type Setup, stepPath, wizardView } from './setup.ts';

export async function showAuthorize(visit: Visit, context: PageContext): Promise<FastifyReply> {
  return show(visit, await loadSetup(visit, context));
}

/** Redirects to the provider. The state of the redirect is bound to the session of this browser. */
export async function startAuthorize(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const setup = await loadSetup(visit, context);
  const session = visitorOf(visit.request).session?.hash;
  const { id } = setup.connection;
  try {
    const url = await beginAuthorization(context.connections, visit.scope, id, visit.signal, session);
    const message = `This page leads to ${setup.connector.product}.`;
    return leave(visit.request, visit.reply, { url, message });
  } catch (error) {
    if (!(error instanceof OrgctxError) || error.status === 404) throw error;
    return show(visit, setup, error);
  }
}

function show(visit: Visit, setup: Setup, error?: OrgctxError): FastifyReply {
  const { connection, connector } = setup;
  const { account } = connection;
  const content = [
    account !== undefined && el('p', null, 'Authorized for ', el('strong', null, name(account.name)), '.'),
    lost(setup),
    el(
      'p',
      null,
      `${connector.product} asks you whether this service may read the account, then leads back here. Sign in there with an account that can see everything to be mirrored.`,
    ),
    form(
      { ...visit.form(stepPath(setup, 'authorize')), errors: error && { '': error.message } },
      actions(
        button(account === undefined ? `Authorize at ${connector.product}` : 'Authorize again', {
          primary: true,
        }),
      ),
    ),
  ];
  return visit.show(wizardView(visit, setup, 'authorize', { content, status: error?.status }));
}

function lost({ connection: { state, error } }: Setup): ComponentChildren {
  if (state !== 'disconnected') return false;
  return el('p', { class: 'notice' }, foreignText(error?.message ?? 'The authorization has ended.', 500));
}
