import { isoTime } from '../../foundation/kernel/clock.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import { minuteOf } from '../frame/in-words.ts';
import { withService } from '../remote/api-client.ts';
import { fetchCaller, type RemoteCaller } from '../remote/remote-caller.ts';
import { type RemoteTarget, readRemoteTarget, remoteFlags } from '../remote/remote-target.ts';

export const whoamiCommand = defineCommand({
  description: 'Shows the identity of the current credential: user, organization, role, scopes and expiry.',
  flags: remoteFlags,
  examples: ['orgctx whoami', 'orgctx whoami --url https://context.example.com --json'],
  run: async ({ flags }, context) => {
    const target = await readRemoteTarget(context, flags);
    const caller = await withService(target, context, (send) => fetchCaller(send, target), target.org);
    const tokenEnds = await accessTokenEnd(target);
    return {
      json: { url: target.baseUrl, ...caller, ...(tokenEnds && { accessTokenExpiresAt: tokenEnds }) },
      text: toText(target.baseUrl, caller),
    };
  },
});

/** Reads the expiry of the stored access token, which the preceding request may have refreshed. */
async function accessTokenEnd({ baseUrl, credential }: RemoteTarget): Promise<string | undefined> {
  if (credential.kind === 'api-key') return undefined;
  const login = await credential.store.find(baseUrl);
  return login && isoTime(login.accessTokenExpiresAt);
}

function toText(baseUrl: string, { user, organization, credential, scopes }: RemoteCaller): string {
  const { slug, name, role } = organization;
  const what = credential.kind === 'api-key' ? 'API key' : 'login';
  const rows: readonly (readonly [string, string])[] = [
    ['service', baseUrl],
    ['organization', `${slug} (${name}), as ${role}`],
    ['credential', `${what} "${credential.name}" (${credential.id})`],
    ['scopes', scopes.join(' ')],
    ['expires', formatExpiry(credential)],
  ];
  const lines = rows.map(([label, value]) => `  ${label.padEnd(12)} ${visibleLine(value)}`);
  return [visibleLine(user.email), ...lines].join('\n');
}

function formatExpiry({ kind, expiresAt }: RemoteCaller['credential']): string {
  if (!expiresAt) return 'never';
  const minute = minuteOf(expiresAt);
  return kind === 'api-key' ? minute : `${minute}, extended with each use`;
}
