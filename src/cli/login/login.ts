import { isoTime, systemClock } from '../../foundation/kernel/clock.ts';
import { visibleLine } from '../../foundation/kernel/text/visible-text.ts';
import { defineCommand } from '../frame/command.ts';
import type { CommandContext } from '../frame/context.ts';
import { toggle } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { openClient } from '../remote/open-client.ts';
import { readApiKey, readBaseUrl, remoteFlags, warnOfOpenTransport } from '../remote/remote-target.ts';
import { completeLogin } from './complete-login.ts';
import { type DeviceCode, pollForTokens, requestDeviceCode } from './device-flow.ts';
import { discoverLogin, type LoginService } from './endpoints.ts';
import { openInBrowser } from './open-browser.ts';
import { openLoginStore, type StoredLogin } from './stored-login.ts';

export const loginCommand = defineCommand({
  description:
    'Signs in to a service: prints the address of a page and a code to confirm there in any browser, and waits. You choose ' +
    'the organization on that page. MCP clients do not use this login; they sign in themselves.',
  flags: {
    url: remoteFlags.url,
    noBrowser: toggle('print the address only, do not open a browser'),
    wait: toggle('wait for the confirmation without a terminal as well, or with --json'),
  },
  examples: ['orgctx login --url https://context.example.com'],
  run: async ({ flags }, context) => {
    const baseUrl = readBaseUrl(context, flags.url);
    if (!context.terminal.interactive && !flags.wait) throw noTerminal();
    warnOfOpenTransport(baseUrl, context);
    const http = openClient(context);
    try {
      const login = await signIn({ http, baseUrl }, flags.noBrowser, context);
      noteKey(context);
      return { json: toJson(baseUrl, login), text: toText(baseUrl, login) };
    } finally {
      await http.close();
    }
  },
});

/** Creates the error for a run in which probably nobody sees the code, so that a script does not wait for minutes. */
function noTerminal(): UsageError {
  return new UsageError(
    'A login needs a terminal, because somebody has to confirm its code in a browser. Nothing was changed.',
    'For a script, set ORGCTX_API_KEY or ORGCTX_API_KEY_FILE to an API key. To print the code on stderr and wait for its ' +
      'confirmation nevertheless, add --wait.',
  );
}

async function signIn(
  service: LoginService,
  noBrowser: boolean,
  context: CommandContext,
): Promise<StoredLogin> {
  const { baseUrl } = service;
  const { signal, terminal } = context;
  const store = openLoginStore(context);
  // Fails early if the folder cannot be written, before the person confirms the code.
  await store.change(baseUrl, async (current) => current);
  const endpoints = await discoverLogin(service, signal);
  const code = await requestDeviceCode(service, endpoints, systemClock, signal);
  showCode(code, context);
  if (terminal.interactive && !noBrowser) openInBrowser(code.pageWithCode, context);
  const tokens = await pollForTokens({ service, clock: systemClock, signal }, endpoints, code);
  return completeLogin(service, store, tokens, signal);
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
      `Waiting for confirmation, at most ${minutes} min. Press Ctrl-C to cancel.`,
    ].join('\n'),
  );
}

function noteKey(context: CommandContext): void {
  if (readApiKey(context) === undefined) return;
  context.terminal.note(
    'ORGCTX_API_KEY is set: commands use that key instead of this login until you unset it.',
  );
}

function toJson(
  baseUrl: string,
  { email, organization, scopes, accessTokenExpiresAt }: StoredLogin,
): unknown {
  return { url: baseUrl, email, organization, scopes, accessTokenExpiresAt: isoTime(accessTokenExpiresAt) };
}

function toText(baseUrl: string, { email, organization }: StoredLogin): string {
  return visibleLine(`Signed in at ${baseUrl} as ${email}, organization ${organization.slug}.`);
}
