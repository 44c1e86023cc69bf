import { spawn } from 'node:child_process';
import type { CommandContext } from '../frame/context.ts';

/**
 * Opens a page in the person's browser, where there is one. The address is on the screen as well, so whatever goes
 * wrong here is not worth a word.
 */
export function openInBrowser(url: string, { env }: CommandContext, platform = process.platform): void {
  const command = browserCommand(url, env, platform);
  if (command === undefined) return;
  const [program, ...args] = command;
  // The key of a script that signs a person in is none of the browser's business.
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
  // Without a display xdg-open takes over the terminal with a text browser.
  const hasBrowser = [env['DISPLAY'], env['WAYLAND_DISPLAY'], env['BROWSER']].some(Boolean);
  return hasBrowser ? ['xdg-open', url] : undefined;
}
