import { z } from 'zod';
import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { pageFlags, type RemoteList, showPage } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

const auditEvent = z.looseObject({
  id: z.string(),
  at: z.string(),
  actor: z.looseObject({ kind: z.string(), email: z.string().nullish() }),
  action: z.string(),
  target: z.string().nullish(),
  details: z.record(z.string(), z.unknown()),
});

const auditLog: RemoteList<z.output<typeof auditEvent>> = {
  path: '/audit',
  item: auditEvent,
  cells: ({ at, actor, action, target, details }) => [
    at,
    actor.email ?? actor.kind,
    action,
    target ?? '',
    Object.keys(details).length === 0 ? '' : JSON.stringify(details),
  ],
  none: 'Nothing has been recorded yet.',
};

export const auditCommand = defineCommand({
  description: 'Shows who did what in the organization, newest first. For admins and owners.',
  flags: { ...pageFlags, ...remoteFlags },
  examples: ['orgctx audit --org acme --limit 20', 'orgctx audit --org acme --json'],
  run: ({ flags }, context) =>
    withApi(context, flags, (api) => showPage(api, auditLog, flags, context.terminal)),
});
