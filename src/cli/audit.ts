import type { z } from 'zod';
import { auditRecord } from '../features/identity/audit/audit-record.ts';
import { defineCommand } from './frame/command.ts';
import { withApi } from './remote/api-client.ts';
import { pageFlags, type RemoteList, showPage } from './remote/remote-page.ts';
import { remoteFlags } from './remote/remote-target.ts';
import { tolerant } from './remote/tolerant.ts';

const auditEvent = tolerant(
  auditRecord.pick({ id: true, at: true, actor: true, action: true, target: true, details: true }),
);

const auditLog: RemoteList<z.output<typeof auditEvent>> = {
  path: '/audit',
  item: auditEvent,
  plural: 'events',
  idOf: ({ id }) => id,
  labelOf: ({ action }) => action,
  columns: () => [
    // An audit log needs the time itself, not an age.
    { title: 'TIME (UTC)', cell: ({ at }) => at.replace('T', ' ').replace(/:\d\d(?:\.\d+)?Z$/, '') },
    { title: 'WHO', cell: ({ actor }) => actor.email ?? actor.kind, shrinks: 3 },
    { title: 'ACTION', cell: ({ action }) => action },
    { title: 'TARGET', cell: ({ target }) => target ?? '', shrinks: 2 },
    {
      title: 'DETAILS',
      cell: ({ details }) => (Object.keys(details).length === 0 ? '' : JSON.stringify(details)),
      shrinks: 1,
    },
  ],
  none: 'No events have been recorded yet. Changes of repositories, members, invitations, keys and grants appear here.',
};

export const auditCommand = defineCommand({
  description: 'Shows who did what in the organization, newest first. For admins and owners.',
  flags: { ...pageFlags, ...remoteFlags },
  examples: ['orgctx audit --limit 20', 'orgctx audit --json'],
  run: ({ flags }, context) =>
    withApi(context, flags, (api) => showPage(api, auditLog, flags, context.terminal)),
});
