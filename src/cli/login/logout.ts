import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { openClient } from '../remote/open-client.ts';
import { readBaseUrl, remoteFlags, requireOwnServer } from '../remote/remote-target.ts';
import { openLoginStore, type StoredLogin } from './stored-login.ts';
import { revokeLogin } from './tokens.ts';

export const logoutCommand = defineCommand({
  description:
    'Signs out of a service: revokes the login there and removes it from this machine. The login is removed even if it ' +
    'cannot be revoked.',
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
    return { json: { url: baseUrl, removed, revoked }, text: toText(baseUrl, removed) };
  },
});

async function revoke(baseUrl: string, login: StoredLogin, context: CommandContext): Promise<boolean> {
  const http = openClient(context);
  try {
    await requireOwnServer(baseUrl, login);
    await revokeLogin({ http, baseUrl }, login.refreshToken, context.signal);
    return true;
  } catch (error) {
    context.signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    context.terminal.note(
      `warning: the login could not be revoked at ${baseUrl} (${reason}). Revoke it with "orgctx grant remove <id>" or on the ` +
        'account page of the service.',
    );
    return false;
  } finally {
    await http.close();
  }
}

function toText(baseUrl: string, removed: boolean): string {
  return removed ? `Signed out at ${baseUrl}.` : `Not signed in at ${baseUrl}; nothing to do.`;
}
