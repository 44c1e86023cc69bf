import { isoTime, systemClock } from '../../foundation/kernel/clock.ts';
import { visibleLine } from '../../foundation/kernel/visible-text.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import { sendWith } from '../api-client.ts';
import { keyBearer } from '../bearer.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { toggle } from '../frame/parameters.ts';
import { fetchCaller, type RemoteCaller } from '../remote-caller.ts';
import { readApiKey, readBaseUrl, remoteFlags, warnOfOpenTransport } from '../remote-target.ts';
import { type DeviceCode, pollForTokens, requestDeviceCode } from './device-flow.ts';
import { discoverLogin, type LoginService } from './endpoints.ts';
import { openInBrowser } from './open-browser.ts';
import { openLoginStore, type StoredLogin } from './stored-login.ts';
import { type LoginTokens, revokeLogin } from './tokens.ts';

export const loginCommand = defineCommand({
  description:
    'Signs this account in at a service: shows a page and a code to confirm there, in any browser, and waits. The ' +
    'organization is chosen on that page. It does not sign MCP clients in; they do so themselves.',
  flags: {
    url: remoteFlags.url,
    noBrowser: toggle('only print the page, do not open it'),
  },
  examples: ['orgctx login --url https://context.example.com'],
  run: async ({ flags }, context) => {
    const baseUrl = readBaseUrl(context, flags.url);
    warnOfOpenTransport(baseUrl, context);
    const http = createHttpClient({ allowHosts: [] });
    try {
      const login = await signIn({ http, baseUrl }, flags.noBrowser, context);
      noteKey(context);
      return { json: inJson(baseUrl, login), text: inWords(baseUrl, login) };
    } finally {
      await http.close();
    }
  },
});

async function signIn(
  service: LoginService,
  noBrowser: boolean,
  context: CommandContext,
): Promise<StoredLogin> {
  const { baseUrl } = service;
  const { signal, terminal } = context;
  const store = openLoginStore(context);
  // A folder that cannot be written is told before anybody confirms anything.
  await store.change(baseUrl, async (current) => current);
  const endpoints = await discoverLogin(service, signal);
  const code = await requestDeviceCode(service, endpoints, systemClock, signal);
  showCode(code, context);
  if (terminal.interactive && !noBrowser) openInBrowser(code.pageWithCode, context);
  const tokens = await pollForTokens({ service, clock: systemClock, signal }, endpoints, code);
  const login = loginOf(tokens, await callerOf(service, tokens, context));
  let former: StoredLogin | undefined;
  await store.change(baseUrl, async (current) => {
    former = current;
    return login;
  });
  if (former !== undefined) await revokeLogin(service, former.refreshToken, signal).catch(() => undefined);
  return login;
}

function showCode({ page, userCode, expiresAt }: DeviceCode, { terminal }: CommandContext): void {
  const minutes = Math.max(1, Math.round((expiresAt - systemClock()) / 60_000));
  terminal.note(
    [
      'Open this page in a browser and confirm the code:',
      '',
      `  ${terminal.err.style('cyan', visibleLine(page))}`,
      `  ${terminal.err.style('bold', visibleLine(userCode))}`,
      '',
      `Waiting, for ${minutes} min at most. Ctrl-C gives up.`,
    ].join('\n'),
  );
}

/** Who confirmed, and where: also the proof that the token opens REST. A login that cannot be used is not left behind. */
async function callerOf(
  service: LoginService,
  tokens: LoginTokens,
  { signal }: CommandContext,
): Promise<RemoteCaller> {
  try {
    const send = sendWith(service.http, {
      baseUrl: service.baseUrl,
      bearer: keyBearer(tokens.accessToken),
      signal,
      advice: {},
    });
    return await fetchCaller(send, { baseUrl: service.baseUrl, org: undefined });
  } catch (error) {
    await revokeLogin(service, tokens.refreshToken, AbortSignal.timeout(5_000)).catch(() => undefined);
    throw error;
  }
}

function loginOf(tokens: LoginTokens, { user, organization, scopes }: RemoteCaller): StoredLogin {
  const { slug, name } = organization;
  return { ...tokens, scopes, email: user.email, organization: { slug, name } };
}

function noteKey(context: CommandContext): void {
  if (readApiKey(context) === undefined) return;
  context.terminal.note('ORGCTX_API_KEY is set: commands use that key and not this login until it is unset.');
}

function inJson(
  baseUrl: string,
  { email, organization, scopes, accessTokenExpiresAt }: StoredLogin,
): unknown {
  return { url: baseUrl, email, organization, scopes, accessTokenExpiresAt: isoTime(accessTokenExpiresAt) };
}

function inWords(baseUrl: string, { email, organization }: StoredLogin): string {
  return visibleLine(`Signed in at ${baseUrl} as ${email}, organization ${organization.slug}.`);
}
