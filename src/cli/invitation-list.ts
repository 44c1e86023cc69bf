import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { invitationList } from './invitation-record.ts';
import { pageFlags, showPage } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

export const invitationListCommand = defineCommand({
  flags: { ...pageFlags, ...remoteFlags },
  run: ({ flags }, context) =>
    withApi(context, flags, (api) => showPage(api, invitationList, flags, context.terminal)),
});
