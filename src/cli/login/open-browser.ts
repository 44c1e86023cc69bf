import { spawn } from 'node:child_process';
import type { CommandContext } from '../frame/context.ts';

/**
 * Opens a page in the browser, if there is one. The address is also printed, so errors are ignored.
 */
export function openInBrowser(url: string, { env }: CommandContext, platform = process.platform): void {
  const command = browserCommand(url, env, platform);
  if (command === undefined) return;
  const [program, ...args] = command;
  // The browser must not inherit the API key.
  const { ORGCTX_API_KEY: _key, ...inherited } = env;
  const child = spawn(program, args, { env: inherited, stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

function browserCommand(
  url: string,
  env: CommandContext['env'],
  platform: NodeJS.Platform,
): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open', url];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  // Without a display, xdg-open would start a text browser in the terminal.
  const hasBrowser = [env['DISPLAY'], env['WAYLAND_DISPLAY'], env['BROWSER']].some(Boolean);
  return hasBrowser ? ['xdg-open', url] : undefined;
}
