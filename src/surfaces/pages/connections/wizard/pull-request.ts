import type { FastifyReply } from 'fastify';
import type { ComponentChildren, VNode } from 'preact';
import { ensurePullRequest } from '../../../../features/connectors/configuration/ensure-pull-request.ts';
import { OrgctxError } from '../../../../foundation/kernel/errors.ts';
import type { Visit } from '../../app/app-page.ts';
import { actions, button, form } from '../../kit/forms/form.ts';
import { el } from '../../kit/html/element.ts';
import { foreignText } from '../../kit/html/foreign-text.ts';
import { name } from '../../kit/html/name.ts';
import type { PageContext } from '../../pages-deps.ts';
import { connectionState, externalLink } from '../connection-parts.ts';
import { isOpen, loadSetup, type Setup, stepPath, wizardView } from './setup.ts';

export async function showPullRequest(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const setup = await loadSetup(visit, context);
  if (!isOpen(setup, 'pull-request')) return visit.seeOther(stepPath(setup, 'setup'));
  return show(visit, setup);
}

/** Opens the pull request, or retries it. */
export async function openPullRequest(visit: Visit, context: PageContext): Promise<FastifyReply> {
  const setup = await loadSetup(visit, context);
  const { id } = setup.connection;
  try {
    await ensurePullRequest(context.connections, visit.scope, visit.actor, id, undefined, visit.signal);
  } catch (error) {
    if (!(error instanceof OrgctxError) || error.status === 404) throw error;
    return show(visit, await loadSetup(visit, context), error);
  }
  return visit.seeOther(stepPath(setup, 'pull-request'));
}

function show(visit: Visit, setup: Setup, error?: OrgctxError): FastifyReply {
  const { connection } = setup;
  const isDone = connection.state === 'connected';
  const isWaiting = connection.pull !== undefined && !isDone;
  const needsPull = !isDone || connection.pull?.state !== 'merged' || error !== undefined;
  const content = [
    el(
      'div',
      { id: 'state', ...(isWaiting && error === undefined && { 'data-live': '3' }), 'aria-live': 'polite' },
      ...state(setup),
      isDone &&
        el(
          'p',
          null,
          el(
            'a',
            { class: 'button primary', href: visit.path(`/connections/${connection.id}`) },
            'Open the connection',
          ),
        ),
      needsPull &&
        form(
          { ...visit.form(stepPath(setup, 'pull-request')), errors: error && { '': error.message } },
          el(
            'p',
            { class: 'quiet' },
            'What is on the branch of the pull request already is never changed. A closed pull request is opened again.',
          ),
          actions(
            button(connection.pull === undefined ? 'Open the pull request' : 'Retry', { primary: !isDone }),
          ),
        ),
    ),
  ];
  return visit.show(wizardView(visit, setup, 'pull-request', { content, status: error?.status }));
}

function state({ connection }: Setup): readonly ComponentChildren[] {
  const { binding, pull } = connection;
  return [
    el(
      'dl',
      null,
      el('dt', null, 'State'),
      el('dd', null, connectionState(connection.state)),
      ...(binding === undefined
        ? []
        : [
            el('dt', null, 'Repository'),
            el('dd', null, name(binding.repository), ', branch ', name(binding.branch)),
          ]),
      ...(pull === undefined ? [] : [el('dt', null, 'Pull request'), el('dd', null, pullText(pull))]),
    ),
    connection.error !== undefined &&
      el('p', { class: 'notice' }, foreignText(connection.error.message, 1_000)),
    explained(connection),
  ];
}

function pullText({
  url,
  number,
  state: pullState,
}: NonNullable<Setup['connection']['pull']>): ComponentChildren {
  if (url === undefined) return 'None was needed: the branch has this configuration already.';
  return [externalLink(url, number === undefined ? 'Open it' : `#${number}`), ` (${pullState})`];
}

function explained({ state: now, pull, counts }: Setup['connection']): VNode | false {
  if (now === 'connected')
    return el(
      'p',
      null,
      counts.mirrored === 0
        ? 'Connected. The first records are being mirrored.'
        : `Connected. Mirrored records: ${counts.mirrored.toLocaleString('en')}.`,
    );
  if (pull?.state === 'open')
    return el('p', null, 'Merge the pull request at the Git host. This page notices it.');
  if (pull !== undefined) return false;
  return el(
    'p',
    null,
    'A pull request proposes the configuration file. Nothing is mirrored before its merge.',
  );
}
