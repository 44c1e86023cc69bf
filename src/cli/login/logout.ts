import { createHttpClient } from '../../foundation/net/http-client.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { readBaseUrl, remoteFlags } from '../remote-target.ts';
import { openLoginStore, type StoredLogin } from './stored-login.ts';
import { revokeLogin } from './tokens.ts';

export const logoutCommand = defineCommand({
  description:
    'Ends the login of this account at a service: revokes it there and removes it here. What cannot be revoked now is ' +
    'removed all the same.',
  flags: { url: remoteFlags.url },
  examples: ['orgctx logout --url https://context.example.com'],
  run: async ({ flags }, context) => {
    const baseUrl = readBaseUrl(context, flags.url);
    const store = openLoginStore(context);
    let revoked = false;
    let removed = false;
    await store.change(baseUrl, async (login) => {
      if (login === undefined) return undefined;
      removed = true;
      revoked = await revoke(baseUrl, login, context);
      return undefined;
    });
    return { json: { url: baseUrl, removed, revoked }, text: inWords(baseUrl, removed) };
  },
});

async function revoke(baseUrl: string, login: StoredLogin, context: CommandContext): Promise<boolean> {
  const http = createHttpClient({ allowHosts: [] });
  try {
    await revokeLogin({ http, baseUrl }, login.refreshToken, context.signal);
    return true;
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    context.terminal.note(
      `warning: ${baseUrl} could not be told (${reason}). End the grant there: orgctx grant list, or its page.`,
    );
    return false;
  } finally {
    await http.close();
  }
}

function inWords(baseUrl: string, removed: boolean): string {
  return removed ? `Signed out at ${baseUrl}.` : `Not signed in at ${baseUrl}; nothing to do.`;
}
