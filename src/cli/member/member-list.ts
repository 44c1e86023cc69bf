import { defineCommand } from '../frame/command.ts';
import { withApi } from '../remote/api-client.ts';
import { pageFlags, showPage } from '../remote/remote-page.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { memberList } from './remote-member.ts';

export const memberListCommand = defineCommand({
  flags: { ...pageFlags, ...remoteFlags },
  run: ({ flags }, context) =>
    withApi(context, flags, (api) => showPage(api, memberList, flags, context.terminal)),
});
