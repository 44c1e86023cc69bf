import { isAbsolute, join } from 'node:path';
import type { CommandContext } from './context.ts';

/**
 * Returns the folder of this program in the user's config folder. A relative XDG_CONFIG_HOME is ignored (XDG Base
 * Directory Specification).
 */
export function userConfigFolder({ env, homeDir }: Pick<CommandContext, 'env' | 'homeDir'>): string {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(given) ? given : join(homeDir, '.config'), 'orgctx');
}
