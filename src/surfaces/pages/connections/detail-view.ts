import type { ComponentChildren, VNode } from 'preact';
import { presentScope } from '../../../features/connectors/connections/connection.ts';
import type { ConnectionWithSetup } from '../../../features/connectors/connections/show-connections.ts';
import type { Delivery } from '../../../features/connectors/intake/delivery-store.ts';
import type { Page } from '../../../foundation/kernel/wire/page.ts';
import type { AppView, Visit } from '../app/app-page.ts';
import { selectField } from '../kit/forms/choice-fields.ts';
import { button, hiddenFields } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { name, nameText } from '../kit/html/name.ts';
import { nextPage, pageHeading, section, table } from '../kit/html/parts.ts';
import { connectionState, externalLink } from './connection-parts.ts';

export interface DetailData {
  readonly connection: ConnectionWithSetup;
  readonly kindName: string;
  /** For admins only. */
  readonly deliveries: Page<Delivery> | undefined;
  /** The action that was just started. */
  readonly done: string | undefined;
  /** Why something was not started. */
  readonly said: { readonly status: number; readonly message: string } | undefined;
}

export function detailView(visit: Visit, data: DetailData): AppView {
  const { connection, deliveries, done, said } = data;
  const isSetUp = connection.pull !== undefined && connection.state !== 'disconnected';
  return {
    title: nameText(connection.name, 100),
    status: said?.status,
    content: [
      pageHeading(
        name(connection.name),
        ...(visit.may('admin') ? headingActions(visit, connection, isSetUp) : []),
      ),
      done !== undefined && el('p', { class: 'notice', role: 'status' }, done),
      said !== undefined && el('p', { class: 'summary', role: 'alert' }, foreignText(said.message, 1_000)),
      el(
        'div',
        { id: 'state', 'data-live': '10' },
        error(connection),
        facts(visit, data),
        errors(visit, connection),
      ),
      scopeCard(visit, connection, isSetUp),
      deliveries !== undefined && deliveriesCard(visit, connection, deliveries),
    ],
  };
}

function headingActions(
  visit: Visit,
  { id, pull, state }: ConnectionWithSetup,
  isSetUp: boolean,
): readonly VNode[] {
  const path = `/connections/${id}`;
  const sync = visit.form(`${path}/sync`);
  const link = (below: string, text: string, kind = '') =>
    el('a', { class: `button ${kind}`.trim(), href: visit.path(`${path}/${below}`) }, text);
  return [
    ...(isSetUp
      ? [
          el(
            'form',
            { method: 'post', action: sync.action },
            hiddenFields({ csrf: sync.csrf }),
            button('Sync now'),
          ),
          link('authorize', 'Authorize again'),
          ...(state === 'connected' && pull?.state === 'merged'
            ? []
            : [link('pull-request', 'Retry the pull request')]),
        ]
      : [link('setup', 'Continue the setup', 'primary')]),
    link('remove', 'Remove', 'danger'),
  ];
}

function error({ error: current }: ConnectionWithSetup): VNode | false {
  if (current === undefined) return false;
  return el(
    'div',
    { class: 'summary', role: 'alert' },
    el('h2', null, 'Needs attention'),
    el('p', null, foreignText(current.message, 1_000)),
  );
}

function facts(visit: Visit, { connection, kindName }: DetailData): VNode {
  const { account, binding, pull, counts, state } = connection;
  const when = (time: number | undefined, none = 'never') =>
    time === undefined ? none : age(time, visit.now);
  const rows: readonly (readonly [string, ComponentChildren])[] = [
    ['State', connectionState(state)],
    ['Kind', kindName],
    [
      'Account',
      account === undefined
        ? 'none'
        : [name(account.name), account.url !== undefined && [' ', externalLink(account.url, 'Open it')]],
    ],
    [
      'Repository',
      binding === undefined ? 'none' : [name(binding.repository), ', branch ', name(binding.branch)],
    ],
    [
      'Pull request',
      pull === undefined
        ? 'none'
        : [
            pull.url === undefined ? 'not needed' : externalLink(pull.url, `#${pull.number ?? ''}`),
            ` (${pull.state})`,
          ],
    ],
    ['Last accepted delivery', when(connection.lastAcceptedAt)],
    ['Last rejected delivery', when(connection.lastRejectedAt)],
    ['Last sync', when(connection.lastSyncAt)],
    ['Mirrored records', counts.mirrored.toLocaleString('en')],
    ['Waiting', counts.pending.toLocaleString('en')],
    ['Failed', counts.failed.toLocaleString('en')],
    ['Authorization ends', when(connection.reauthorizeBy)],
  ];
  return section(
    'facts',
    'Details',
    el('dl', null, ...rows.flatMap(([term, value]) => [el('dt', null, term), el('dd', null, value)])),
  );
}

function errors(visit: Visit, { errors: recent }: ConnectionWithSetup): VNode | false {
  if (recent.length === 0) return false;
  return section(
    'errors',
    'Failures',
    table({
      caption: 'Failures, newest first',
      columns: ['When', 'Failure'],
      rows: recent.map(({ at, message }) => [age(at, visit.now), foreignText(message, 500)]),
    }),
  );
}

function scopeCard(visit: Visit, connection: ConnectionWithSetup, isSetUp: boolean): VNode | false {
  const scope = presentScope(connection);
  if (scope === undefined) return false;
  return section(
    'scope',
    'Scope',
    el('pre', { tabIndex: 0 }, el('code', null, JSON.stringify(scope, undefined, 2))),
    visit.may('admin') &&
      isSetUp &&
      el(
        'a',
        { class: 'button', href: visit.path(`/connections/${connection.id}/scope`) },
        'Change the scope',
      ),
  );
}

function deliveriesCard(
  visit: Visit,
  { id }: ConnectionWithSetup,
  { items, nextCursor }: Page<Delivery>,
): VNode {
  const path = `/connections/${id}`;
  const next = nextCursor === null ? undefined : visit.path(`${path}?deliveries=${nextCursor}`);
  return section(
    'deliveries',
    'Deliveries',
    items.length === 0
      ? el('p', null, 'No webhook of the provider has arrived yet.')
      : [
          table({
            caption: 'Deliveries, newest first',
            columns: ['When', 'Event', 'Outcome', 'Reason', 'Replayed'],
            rows: items.map(({ receivedAt, event, outcome, reason, replayedAt }) => [
              age(receivedAt, visit.now),
              foreignText(event ?? 'unknown', 100),
              outcome,
              foreignText(reason ?? '', 200),
              replayedAt === undefined ? '' : age(replayedAt, visit.now),
            ]),
          }),
          nextPage(next, 'Older deliveries'),
          replayForm(visit, path),
        ],
  );
}

function replayForm(visit: Visit, path: string): VNode {
  const { action, csrf } = visit.form(`${path}/replay`);
  return el(
    'form',
    { method: 'post', action, class: 'filters after' },
    hiddenFields({ csrf }),
    selectField({
      name: 'period',
      label: 'Process accepted deliveries again',
      options: [
        { value: 'hour', label: 'of the last hour' },
        { value: 'day', label: 'of the last 24 hours' },
        { value: 'days', label: 'of the last 3 days' },
      ],
    }),
    button('Replay'),
  );
}
