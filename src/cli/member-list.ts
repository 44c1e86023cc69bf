import { withApi } from './api-client.ts';
import { defineCommand } from './frame/command.ts';
import { memberList } from './member-record.ts';
import { pageFlags, showPage } from './remote-page.ts';
import { remoteFlags } from './remote-target.ts';

export const memberListCommand = defineCommand({
  flags: { ...pageFlags, ...remoteFlags },
  run: ({ flags }, context) =>
    withApi(context, flags, (api) => showPage(api, memberList, flags, context.terminal)),
});
