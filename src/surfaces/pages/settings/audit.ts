import type { FastifyReply } from 'fastify';
import type { AuditEvent } from '../../../features/identity/audit/audit.ts';
import { listAudit } from '../../../features/identity/audit/audit-store.ts';
import type { Visit } from '../app/app-page.ts';
import { exactTime } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { name } from '../kit/html/name.ts';
import { empty, nextPage, section, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { nextOf, settingsView } from './settings-view.ts';

const path = '/settings/audit';

/** Maximum length of one detail, in characters. REST returns the whole value. */
const maxValue = 160;

/** Shows who did what in the organization, newest first. */
export async function listAuditPage(visit: Visit, { identity }: PageContext): Promise<FastifyReply> {
  const request = { cursor: visit.query('cursor') };
  const page = await listAudit(identity.database.queries, visit.scope, request);
  const content = section(
    'events',
    'Who did what',
    page.items.length === 0
      ? empty(el('p', null, 'Nothing was recorded yet.'))
      : table({
          caption: 'Audit events, newest first',
          columns: ['When', 'Who', 'What', 'Details'],
          rows: page.items.map((event) => [
            exactTime(event.at),
            actor(event),
            el('code', null, event.action),
            details(event),
          ]),
        }),
    nextPage(nextOf(visit, path, page.nextCursor), 'Older events'),
  );
  return visit.show(settingsView(visit, path, content));
}

const credentialKinds: Readonly<Record<string, string>> = { 'api-key': 'by API key', grant: 'by a client' };

function actor({ actor: { kind, email, credential }, address }: AuditEvent) {
  if (kind === 'host') return 'operator of the host';
  if (kind === 'system') return 'the service';
  // The id of the key or grant follows its kind.
  const means = credentialKinds[credential?.split(' ', 1)[0] ?? ''];
  return [
    name(email ?? 'unknown'),
    means !== undefined && el('span', { class: 'quiet', title: credential }, ` ${means}`),
    address !== undefined && el('span', { class: 'quiet' }, ` from ${address}`),
  ];
}

function details({ target, details: given }: AuditEvent): string {
  const parts = Object.entries(given).map(
    ([key, value]) =>
      `${key}: ${foreignText(typeof value === 'string' ? value : JSON.stringify(value), maxValue)}`,
  );
  return foreignText([...parts, ...(target === undefined ? [] : [`id: ${target}`])].join('; '), 500);
}
